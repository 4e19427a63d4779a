package faultline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// shop is a system with operations: between two and five clients put numbers
// into a set on n1, which cannot stand that one of them is divisible by 7
// after a kill.
func shop(wrong func(w *World, killed bool, n int) bool) func(w *World) {
	return func(w *World) {
		var s *shopServer
		node := w.Server("n1", func(n *Node) kernel.Handler { s = &shopServer{n: n}; return s })
		for i := range w.Draw("clients", 2, 5) {
			w.Client(fmt.Sprintf("c%d", i+1), func(c *Client) {
				for n := range c.Operations() {
					c.Sleep(time.Duration(1+c.Rand().Int64N(100)) * time.Millisecond)
					op := c.Invoke("add", n)
					c.Send("n1", c.Rand().IntN(1000))
					op.OK(nil)
				}
			})
		}
		w.Faults(fault.Default())
		w.Invariant("sevens", func(n *Node) error {
			if n != nil && n == node && wrong(w, n.Boot() > 1, s.last) {
				return fmt.Errorf("%d is there", s.last)
			}
			return nil
		})
	}
}

type shopServer struct {
	kernel.Idle
	n    *Node
	last int
}

func (s *shopServer) Receive(_ string, msg any) { s.last = msg.(int) }

func sevens(_ *World, killed bool, n int) bool { return killed && n > 0 && n%7 == 0 }

func shopRecipe(t *testing.T, setup func(*World), seed uint64) recipe {
	t.Helper()
	opt, err := Options{Duration: 8 * time.Second, Unrestricted: true, NoCryptoSeed: true}.complete(false)
	if err != nil {
		t.Fatal(err)
	}
	return recipe{opt: opt, setup: setup, seed: seed, level: kernel.LevelFull}
}

// failing returns the first recording that fails.
func failing(t *testing.T, setup func(*World)) (recipe, *execution) {
	t.Helper()
	for seed := range uint64(50) {
		r := shopRecipe(t, setup, seed)
		if x := r.execute(time.Time{}); x.failure != nil && x.failure.Kind == kernel.KindInvariant {
			return r, x
		}
	}
	t.Fatal("no seed fails")
	return recipe{}, nil
}

func shrinkOf(r recipe, x *execution) (*shrunk, string) {
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure,
		budget: func() time.Duration { return time.Hour }}
	return s.shrink()
}

// A recorded schedule lists the operations, and gives the same trace.
func TestOperationsReplay(t *testing.T) {
	for seed := range uint64(10) {
		r := shopRecipe(t, shop(sevens), seed)
		x := r.execute(time.Time{})
		r.replay = x.world.schedule()
		if n := tallyOf(r.replay).operations; n < 3 {
			t.Fatalf("%d operations are listed", n)
		}
		again := r.execute(time.Time{})
		if again.result.Hash != x.result.Hash {
			t.Fatalf("seed %d: the replay differs: %s", seed, firstDifference(x.world.sim, again.world.sim))
		}
		if unmet := again.world.sim.UnmetChoices(); len(unmet) > 0 {
			t.Errorf("seed %d: met nothing: %v", seed, unmet)
		}
		if again := again.world.schedule(); !slices.Equal(again.Choices, r.replay.Choices) {
			t.Errorf("seed %d: recorded again, the choices are others", seed)
		}
	}
}

// An operation that stays when others are left out begins at the same time and
// draws the same.
func TestOperationsStandAlone(t *testing.T) {
	type did struct {
		at kernel.Time
		n  int
		v  uint64
	}
	run := func(replay *fault.Schedule) (out []did, s *fault.Schedule) {
		r := shopRecipe(t, func(w *World) {
			w.Client("c", func(c *Client) {
				for n := range c.Operations() {
					out = append(out, did{c.Sim().Now(), n, c.Rand().Uint64()})
					c.Sleep(time.Duration(c.Rand().Int64N(int64(time.Second))))
				}
			})
		}, 5)
		r.replay = replay
		return out, r.execute(time.Time{}).world.schedule()
	}
	whole, s := run(nil)
	if len(whole) < 10 {
		t.Fatalf("only %d operations", len(whole))
	}
	s.Choices = slices.DeleteFunc(s.Choices, func(c kernel.Choice) bool {
		return c.Point == "work/c/op" && c.N%3 != 0 && c.Time < kernel.Time(s.Quiet)
	})
	some, _ := run(s)
	for _, d := range some {
		if d.at < kernel.Time(s.Quiet) && d.n%3 != 0 {
			t.Errorf("operation %d was left out, and took place", d.n)
		}
		if !slices.Contains(whole, d) {
			t.Errorf("operation %d is another: %v", d.n, d)
		}
	}
	if len(some) < len(whole)/4 || len(some) >= len(whole) {
		t.Errorf("%d of %d operations are left", len(some), len(whole))
	}
}

// A shrunk run has the operation and the fault that it takes, the fewest
// clients, and ends where it has failed.
func TestShrinksOperationsAndDraws(t *testing.T) {
	r, x := failing(t, shop(sevens))
	small, note := shrinkOf(r, x)
	if small == nil {
		t.Fatal(note)
	}
	n := tallyOf(small.after)
	if n.faults != 1 || n.operations != 1 || n.choices > 1 || !small.complete {
		t.Errorf("left are %v:\n%s", n, small.text())
	}
	for _, c := range small.after.Choices { // 0 more than the least is not listed
		if c.Point == "setup/clients" && fmt.Sprintf("work/c%d/op", c.Value+2) != "work/c3/op" && c.Value > 3 {
			t.Errorf("there are %d more clients than it takes", c.Value)
		}
	}
	if d := small.after.Duration; d >= x.world.opt.Duration {
		t.Errorf("the run still lasts %v", d)
	}
	if !strings.Contains(small.text(), ": add ") {
		t.Errorf("the operation is not named:\n%s", small.text())
	}
	if again := small.run; signature(again.failure) != signature(x.failure) {
		t.Errorf("it fails with %v, before with %v", again.failure, x.failure)
	}
}

// Of a plain operation every draw is at the low end, and loops that draw until
// they like it come to an end.
func TestPlainDraws(t *testing.T) {
	r := shopRecipe(t, func(w *World) {
		w.Client("c", func(c *Client) {
			for range c.Operations() {
				rng := c.Rand()
				if a, b, d, f := rng.IntN(2), rng.IntN(10), rng.Int64N(int64(time.Second)), rng.Float64(); a != 0 || b != 0 || d > int64(time.Millisecond) || f > 0.01 {
					w.Fail("plain", "drew %d %d %d %g", a, b, d, f)
				}
				for rng.IntN(6) != 3 {
				}
				for rng.Uint64N(1<<63+1) == 0 { // rejects half of what is drawn
				}
				c.Sleep(time.Second)
			}
		})
	}, 1)
	r.replay = &fault.Schedule{Seed: 1, Duration: r.opt.Duration, Choices: []kernel.Choice{
		{Point: pointClients, Value: int64(loadClosed)}, {Point: "work/c/op", N: 4, Value: 1}, {Point: "work/c/plain", N: 4, Value: 1}}}
	if x := r.execute(time.Time{}); x.failure != nil || x.setup != nil || len(x.world.works) != 1 {
		t.Error(x.failure, x.setup)
	}
}

// What must happen in the quiet phase is not asked of a run whose operations
// are left out, and a liveness failure keeps the operations of that phase.
func TestLivenessKeepsItsLoad(t *testing.T) {
	setup := func(broken bool) func(w *World) {
		return func(w *World) {
			last := time.Duration(0)
			w.Client("c", func(c *Client) {
				for range c.Operations() {
					c.Sleep(100 * time.Millisecond)
					if !broken {
						last = c.Sim().Now().Sub(0)
					}
				}
			})
			quiet, _ := w.QuietAt()
			w.Eventually("progress", time.Second, func() error {
				if last <= quiet {
					return fmt.Errorf("the last was at %v", last)
				}
				return nil
			})
		}
	}
	r := shopRecipe(t, setup(true), 1)
	x := r.execute(time.Time{})
	if x.failure == nil || x.failure.Kind != KindLiveness {
		t.Fatal(x.failure)
	}
	small, note := shrinkOf(r, x)
	if small == nil || loadOf(small.after) != loadLater || tallyOf(small.after).operations != 0 {
		t.Fatalf("%v: %s", small, note)
	}
	if text := small.text(); !strings.Contains(text, " from here on, in the quiet phase, clients do as they like, which is not listed\n") {
		t.Errorf("what clients do in the quiet phase is not said:\n%s", text)
	}
	r.setup, r.replay = setup(false), small.after
	if x := r.execute(time.Time{}); x.failure != nil {
		t.Errorf("mended, the small schedule fails: %v", x.failure)
	}
	closed := *small.after
	closed.Choices = []kernel.Choice{{Point: pointClients, Value: int64(loadClosed)}}
	r.setup, r.replay = setup(true), &closed
	if x := r.execute(time.Time{}); x.failure != nil {
		t.Errorf("liveness was judged without any load: %v", x.failure)
	}
}

// A schedule of before there were operations, or written by hand, leaves the
// clients alone.
func TestUnlistedClientsGoOn(t *testing.T) {
	r := shopRecipe(t, shop(func(*World, bool, int) bool { return false }), 3)
	r.replay = &fault.Schedule{Seed: 3, Duration: r.opt.Duration, Choices: []kernel.Choice{}}
	x := r.execute(time.Time{})
	if n := len(x.world.history.Operations()); n < 20 {
		t.Errorf("%d operations", n)
	}
	if n := tallyOf(x.world.schedule()).operations; n < 20 {
		t.Errorf("%d operations are recorded", n)
	}
}

// A test whose outcome depends on what earlier runs have left behind cannot be
// shrunk, and it is said why.
func TestFlakyOracleIsNamed(t *testing.T) {
	runs := 0
	r, x := failing(t, shop(func(_ *World, killed bool, n int) bool { return killed && n > 0 && n%7 == 0 && runs < 3 }))
	setup := r.setup
	r.setup = func(w *World) { runs++; setup(w) }
	small, note := shrinkOf(r, x)
	if small != nil || !strings.Contains(note, "the same schedule has failed and then not") || !strings.Contains(note, "replayed three times more it passes") {
		t.Errorf("shrunk to %v: %s", small, note)
	}
}

// An operation that a client waits for when it is killed is still to come for its
// next incarnation.
func TestListedOperationOutlivesClient(t *testing.T) {
	var began []int
	r := recipe{seed: 1, level: kernel.LevelFull, setup: func(w *World) {
		began = nil
		w.Client("c1", func(c *Client) {
			for n := range c.Operations() {
				began = append(began, n)
				c.Sleep(time.Millisecond)
			}
		})
	}}
	var err error
	if r.opt, err = (Options{Duration: 4 * time.Second}).complete(true); err != nil {
		t.Fatal(err)
	}
	r.replay = &fault.Schedule{Seed: 1, Duration: 4 * time.Second, Quiet: 3 * time.Second,
		Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill, At: time.Second, For: time.Millisecond, Nodes: []string{"c1"}, Outcome: fault.Fired}},
		Choices: []kernel.Choice{{Point: pointClients, Value: int64(loadClosed)},
			{Point: workPrefix + "c1" + opSuffix, N: 5, Value: int64(2 * time.Second)}}}
	if x := r.execute(time.Time{}); x.failure != nil || x.setup != nil {
		t.Fatal(x.failure, x.setup)
	}
	if len(began) != 1 || began[0] != 5 {
		t.Errorf("operations %v began, want number 5", began)
	}
}
