package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// timerModel is what timers must do: the armed ones, sorted by deadline and
// by the number of the Reset.
type timerModel struct {
	armed map[int]key // by timer; low is the tie of its last Reset
}

// TestTimersAgainstModel drives timers by random Reset and Stop, from their own
// callbacks and from outside, and compares each firing with the model. The
// order at one instant is the node's choice of the Reset, so it is predicted.
func TestTimersAgainstModel(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	for seed := range rounds {
		timersOnce(t, uint64(seed))
	}
}

func timersOnce(t *testing.T, seed uint64) {
	const count = 12
	s := New(Config{Seed: seed})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	r := rand.New(rand.NewPCG(seed, 7))
	s.RunFor(0)
	model := timerModel{armed: map[int]key{}}
	tie := n.order // a copy that reads the same choices
	timers := make([]*Timer, count)
	span := []int64{3, 100, 100_000}[seed%3]
	act := func() {
		i := r.IntN(count)
		if r.IntN(4) == 0 {
			_, was := model.armed[i]
			if got := timers[i].Stop(); got != was {
				t.Fatalf("seed %d: Stop is %v, want %v", seed, got, was)
			}
			delete(model.armed, i)
			return
		}
		d := time.Duration(r.Int64N(span))
		timers[i].Reset(d)
		model.armed[i] = key{s.Now().Add(d), uint64(uint32(tie.Next() >> 32))}
	}
	fired := 0
	for i := range timers {
		timers[i] = n.NewTimerFunc(func() {
			fired++
			first := -1
			for j, k := range model.armed {
				if first < 0 || k.before(model.armed[first]) {
					first = j
				}
			}
			if first != i || model.armed[i].time != s.Now() {
				t.Fatalf("seed %d: timer %d fired at %v, want %d at %v", seed, i, s.Now(), first, model.armed[first].time)
			}
			delete(model.armed, i)
			for range r.IntN(3) {
				act()
			}
		})
	}
	for range 2000 {
		switch {
		case r.IntN(3) > 0:
			act()
		case len(model.armed) > 0:
			s.Step()
		}
		for i, tm := range timers {
			if _, armed := model.armed[i]; armed != tm.Armed() {
				t.Fatalf("seed %d: timer %d: armed is %v, want %v", seed, i, tm.Armed(), armed)
			}
		}
		if p := s.Pending(); p > 8*count {
			t.Fatalf("seed %d: %d keys are queued for %d timers", seed, p, count)
		}
	}
	for i := range timers {
		timers[i].Stop()
		delete(model.armed, i)
	}
	s.RunFor(time.Hour)
	mustBeEmpty(t, s)
	if fired == 0 {
		t.Errorf("seed %d: nothing fired", seed)
	}
}

// mustBeEmpty checks that no key, slot or timer is left behind.
func mustBeEmpty(t *testing.T, s *Sim) {
	t.Helper()
	want(t, "queued keys", s.Pending(), 0)
	want(t, "slots in use", len(s.slab.slots)-len(s.slab.free), 0)
	for _, n := range s.nodes {
		want(t, "armed timers of "+n.name, len(n.timers), 0)
		want(t, "backlog of "+n.name, len(n.backlog), 0)
	}
}

// TestTimerKeysBounded puts timers off and forward for long and counts what is
// queued. A timer that alternates between a long and a short deadline must not
// leave a key behind each time.
func TestTimerKeysBounded(t *testing.T) {
	patterns := map[string]func(i int, tm *Timer){
		"put off": func(i int, tm *Timer) { tm.Reset(time.Hour) },
		"alternating": func(i int, tm *Timer) {
			tm.Reset(time.Hour)
			tm.Reset(500 * time.Microsecond)
		},
		"stopped": func(i int, tm *Timer) {
			tm.Reset(time.Hour)
			tm.Stop()
		},
	}
	for name, act := range patterns {
		s := New(Config{})
		n := s.AddNode("n", func(*Node) Handler { return Idle{} })
		s.RunFor(0)
		tm := n.NewTimer()
		most := 0
		for i := range 10_000 {
			act(i, tm)
			s.RunFor(time.Millisecond)
			most = max(most, s.Pending())
		}
		if most > 2 {
			t.Errorf("%s: %d keys are queued for one timer", name, most)
		}
		if n := len(s.slab.slots); n > 2 {
			t.Errorf("%s: %d slots were made for one timer", name, n)
		}
	}
}

func TestTimerNever(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(time.Second)
	fired := 0
	tm := n.AfterFunc(math.MaxInt64, func() { fired++ })
	s.After(math.MaxInt64, func() { fired++ })
	s.At(MaxTime, func() { fired++ })
	want(t, "armed", tm.Armed(), true)
	r := s.Run()
	mustStop(t, r, StopIdle)
	want(t, "time", r.Time, Time(time.Second))
	want(t, "firings", fired, 0)
}

// TestTimerNeverBecomesSoon checks that a timer with no deadline in reach is
// still armed for a shorter one.
func TestTimerNeverBecomesSoon(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	tm := n.NewTimer()
	tm.Reset(math.MaxInt64)
	tm.Reset(time.Second)
	s.Step()
	want(t, "time", s.Now(), Time(time.Second))
	want(t, "armed", tm.Armed(), false)
}

func TestTimerOfOldIncarnationIsInert(t *testing.T) {
	s := New(Config{Level: LevelFull})
	fired := 0
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	old := n.AfterFunc(time.Second, func() { fired++ })
	n.Kill()
	want(t, "armed after the crash", old.Armed(), false)
	old.Reset(time.Second)
	n.Start()
	s.RunFor(0)
	old.Reset(time.Second)
	want(t, "Stop of a dead timer", old.Stop(), false)
	s.RunFor(time.Minute)
	want(t, "firings", fired, 0)
	inert := 0
	for r := range s.Records() {
		if a, _ := r.Get("what"); r.Kind == "inert" && a.Text == "timer" {
			inert++
		}
	}
	want(t, "inert records", inert, 2)
	mustBeEmpty(t, s)
}

// TestTimersFollowDrift compares the firing with the clock: at any drift a
// timer fires at the first virtual instant at which its node's clock has
// advanced by the duration.
func TestTimersFollowDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := New(Config{})
		n := s.AddNode("n", func(*Node) Handler { return Idle{} })
		s.RunFor(0)
		type shot struct {
			due, before, at time.Duration
			sameInstant     bool // the rate changed just now
		}
		var shots []shot
		for range 5 {
			d := time.Duration(r.Int64N(int64(10 * time.Second)))
			due := n.Monotonic() + d
			n.AfterFunc(d, func() {
				c := n.mono
				shots = append(shots, shot{due, c.read(max(s.now-1, c.base)), n.Monotonic(), s.now == c.base})
			})
		}
		for range 8 {
			s.RunFor(time.Duration(r.Int64N(int64(time.Second))))
			if err := n.SetDrift(r.Int64N(MaxDrift-MinDrift+1) + MinDrift); err != nil {
				t.Fatal(err)
			}
		}
		s.RunFor(time.Minute)
		want(t, "shots", len(shots), 5)
		for _, x := range shots {
			if x.at < x.due || x.before >= x.due && !x.sameInstant {
				t.Fatalf("due at %v, fired at %v, one nanosecond before the clock read %v", x.due, x.at, x.before)
			}
		}
		mustBeEmpty(t, s)
	}
}

// TestPauseKeepsDueOrder lets timers and events come up while the node is
// paused, stops and re-arms some, and checks that the rest runs at the end of
// the pause in the order in which it was due.
func TestPauseKeepsDueOrder(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	var got []string
	note := func(what string) func() { return func() { got = append(got, fmt.Sprint(what, "@", s.Now())) } }
	timers := map[string]*Timer{}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		timers[name] = n.AfterFunc(time.Duration(i+1)*sec, note(name))
	}
	timers["g"].Reset(2200 * time.Millisecond) // the key at 7s stays queued
	s.Schedule(Time(2500*time.Millisecond), n, AnyBoot, Func(note("msg")))
	s.Schedule(Time(2600*time.Millisecond), n, Device, Func(note("dev")))
	n.Pause()
	s.RunFor(10 * sec)
	timers["b"].Stop()
	timers["c"].Reset(0) // now due after d and e
	timers["f"].Reset(20 * sec)
	s.RunFor(sec)
	for _, ppm := range []int64{200_000, 0} { // leaves what is due alone
		if err := n.SetDrift(ppm); err != nil {
			t.Fatal(err)
		}
		s.RunFor(0)
	}
	n.Resume()
	n.Pause()
	s.RunFor(sec)
	n.Resume()
	s.RunFor(0)
	s.RunFor(time.Minute)
	wanted := []string{"dev@2.6s", "a@12s", "g@12s", "msg@12s", "d@12s", "e@12s", "c@12s", "f@30s"}
	if !slices.Equal(got, wanted) {
		t.Errorf("ran %v\nwant %v", got, wanted)
	}
	mustBeEmpty(t, s)
}
