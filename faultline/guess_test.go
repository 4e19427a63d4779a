package faultline

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

// In a guess the faults are given and their effects drawn: a loss loses messages.
// What is recorded of it replays.
func TestGuessDrawsFates(t *testing.T) {
	s := &shrinker{recipe: shopRecipe(t, shop(sevens), 7), prepare: func(uint64) {}}
	loss := fault.Fault{ID: "loss#1", Kind: fault.Loss, At: time.Second, For: 4 * time.Second, Rate: 500_000}
	guess := &fault.Schedule{Seed: 7, Duration: 8 * time.Second, Quiet: 6 * time.Second, Faults: []fault.Fault{loss}, Choices: []kernel.Choice{}}
	x := s.drawn(guess, kernel.LevelFull)
	made := x.world.schedule()
	if !slices.ContainsFunc(made.Choices, func(c kernel.Choice) bool { return strings.HasSuffix(c.Point, "/drop") }) {
		t.Fatalf("no message was lost: %v", made.Choices)
	}
	if again := s.execute(made, kernel.LevelFull); again.result.Hash != x.result.Hash {
		t.Errorf("the recorded guess ends with hash %x, its replay with %x", x.result.Hash, again.result.Hash)
	}
	if given := s.execute(guess, kernel.LevelFull); given.world.schedule().Faults[0].Outcome == fault.Fired {
		t.Error("a replay without choices loses messages")
	}
}

func power(id string, at time.Duration, nodes ...string) fault.Fault {
	return fault.Fault{ID: id, Kind: fault.PowerLoss, At: at, For: 100 * time.Millisecond, Nodes: nodes,
		Target: fault.Target{Group: "servers", Pick: fault.One}, Outcome: fault.Fired}
}

// Guesses have fewer faults than the schedule has, down to none.
func TestSuspicions(t *testing.T) {
	a, b, c := power("a", 1, "n1"), power("b", 2, "n2"), power("c", 3, "n3")
	c.Kind = fault.Kill
	d := power("d", 4, "n1")
	for n, want := range map[int][4]int{0: {}, 1: {1}, 2: {1, 2}, 3: {1, 3, 3}, 4: {1, 4, 6, 4}} {
		var got [4]int
		for i, sets := range suspicions([]fault.Fault{a, b, c, d}[:n]) {
			got[i] = len(sets)
			for _, set := range sets {
				if len(set) >= max(n, 1) {
					t.Errorf("of %d faults %d are no guess", n, len(set))
				}
			}
		}
		if got != want {
			t.Errorf("%d faults: %v sets of 0, 1, 2 and all but one, want %v", n, got, want)
		}
	}
	many := slices.Repeat([]fault.Fault{a, b, c}, 20)
	if sets := suspicions(many); len(sets[1]) != 2 || len(sets[3]) != 0 {
		t.Errorf("of many faults of two sorts: %d single ones, %d sets of all but one", len(sets[1]), len(sets[3]))
	}
}

// A fault that was made weak is tried again as strong as it was.
func TestStrong(t *testing.T) {
	whole := power("a", time.Second, "n1")
	weak := whole
	weak.For, weak.At = time.Millisecond, 2*time.Second
	s := &shrinker{before: &fault.Schedule{Faults: []fault.Fault{whole}}}
	if got := s.strong([]fault.Fault{weak, power("b", 1, "n2")}); got[0].For != whole.For || got[0].At != weak.At || got[1].ID != "b" || weak.For != time.Millisecond {
		t.Errorf("%+v", got)
	}
}

// Faults are put on more nodes only as far as the rules go.
func TestWidened(t *testing.T) {
	one := power("a", 1, "n1")
	for _, c := range []struct {
		unrestricted bool
		rules        fault.Rules
		want         fault.Pick
	}{
		{true, nil, fault.All},
		{false, nil, fault.One},
		{false, fault.Rules{{Kind: fault.Kill, Picks: []fault.Pick{fault.All}}}, fault.One},
		{false, fault.Rules{{Kind: fault.PowerLoss, Picks: []fault.Pick{fault.Minority, fault.Majority}}}, fault.Majority},
	} {
		s := &shrinker{before: &fault.Schedule{Faults: []fault.Fault{one}}, rules: c.rules}
		s.recipe.opt.Unrestricted = c.unrestricted
		got := s.widened([]fault.Fault{one}, fault.All)[0]
		if got.Target.Pick != c.want || got.Nodes != nil {
			t.Errorf("%+v: it picks %q of %v", c, got.Target.Pick, got.Nodes)
		}
		if s.stands(fault.PowerLoss, 1) != true || s.stands(fault.PowerLoss, 3) != c.unrestricted {
			t.Errorf("%+v: stands 1: %v, 3: %v", c, s.stands(fault.PowerLoss, 1), s.stands(fault.PowerLoss, 3))
		}
	}
}

// After the first rounds faults are at other moments, in the variants that the
// rules have, and some are shorter, or over at once.
func TestOtherwise(t *testing.T) {
	f := power("a", time.Second, "n1")
	f.Profile, f.For = "torn", 2*time.Second
	s := &shrinker{before: &fault.Schedule{Faults: []fault.Fault{f}}, rules: fault.Rules{
		{Kind: fault.PowerLoss, Profiles: []string{"torn", "lose-all"}}, {Kind: fault.Kill, Profiles: []string{"other"}}}}
	moments, profiles, spans, atOnce := map[time.Duration]bool{}, map[string]bool{}, map[time.Duration]bool{}, 0
	for round := range uint64(40) {
		got := s.otherwise([]fault.Fault{f}, round, round, 3*time.Second)[0]
		if round < variants && (got.At != f.At || got.For != f.For || got.Profile != f.Profile) {
			t.Errorf("in round %d it is %+v", round, got)
		}
		if got.At >= 3*time.Second || got.For > f.For || got.For < time.Millisecond {
			t.Errorf("in round %d it is at %v for %v", round, got.At, got.For)
		}
		moments[got.At], profiles[got.Profile], spans[got.For] = true, true, true
		if got.For == time.Millisecond {
			atOnce++
		}
	}
	if atOnce < 6 || atOnce > 16 { // half of the 20 that may be shorter, and some more
		t.Errorf("%d of 40 are over at once", atOnce)
	}
	if len(moments) < 30 || len(profiles) != 2 || !profiles["lose-all"] || len(spans) < 5 || !spans[time.Millisecond] {
		t.Errorf("%d moments, the variants %v, the lengths %v", len(moments), profiles, spans)
	}
}

// A fault that waits for something waits for fewer of them, or not at all.
func TestOtherwiseWaits(t *testing.T) {
	f := power("a", time.Second, "n1")
	f.When, f.Target.Pick = fault.Trigger{Op: "sync", Nth: 20}, fault.Self
	s := &shrinker{before: &fault.Schedule{Faults: []fault.Fault{f}}}
	numbers := map[int]bool{}
	for round := range uint64(80) {
		got := s.otherwise([]fault.Fault{f}, round, round, 3*time.Second)[0]
		waits := got.When.Op != ""
		switch {
		case round < variants && got.When != f.When, waits && (got.When.Nth < 1 || got.When.Nth > 20):
			t.Errorf("in round %d it waits for %+v", round, got.When)
		case !waits && got.Target.Pick == fault.Self:
			t.Errorf("in round %d it waits for nothing and hits itself", round)
		}
		numbers[got.When.Nth] = true
	}
	if len(numbers) < 12 || !numbers[0] {
		t.Errorf("it waits for %v", numbers)
	}
	weaker := weakerFaults(&f)
	if len(weaker) < 2 || weaker[0].fault.When.Nth != 1 || weaker[1].fault.When.Nth != 10 {
		t.Errorf("a weaker fault waits for %+v", weaker[0].fault.When)
	}
}

// When nothing else is left to try there are more guesses.
func TestDeepGuesses(t *testing.T) {
	before := &fault.Schedule{Duration: time.Second, Faults: []fault.Fault{power("a", 1, "n1"), power("b", 2, "n2")}, Choices: []kernel.Choice{}}
	best := found{entries: entriesOf(before), before: before, failure: &kernel.Failure{Kind: KindFinal}}
	count := func(more uint64) (n int) {
		s := &shrinker{before: before}
		for _, guesses := range s.guesses(best, more) {
			for range guesses {
				n++
			}
		}
		return n
	}
	if usual, deep := count(1), count(deepRounds); usual < 200 || deep != deepRounds*usual {
		t.Errorf("%d guesses, and %d when nothing else is left", usual, deep)
	}
	if all := ways(); !all[len(all)-1].deep {
		t.Error("the last way does not take the time that is left")
	}
}

// A guess runs for as long as the best run takes to fail, or twice that.
func TestGuessesAreShort(t *testing.T) {
	whole := &fault.Schedule{Duration: 10 * time.Second, Quiet: 8 * time.Second, Choices: []kernel.Choice{}}
	s := &shrinker{before: whole}
	for _, c := range []struct {
		kind          string
		at            time.Duration
		times, length time.Duration
	}{
		{kernel.KindInvariant, time.Second, 2, 2004 * time.Millisecond},
		{kernel.KindInvariant, time.Second, 1, 1002 * time.Millisecond},
		{kernel.KindInvariant, 7 * time.Second, 2, 8 * time.Second},
		{KindFinal, time.Second, 1, 8 * time.Second},
	} {
		best := found{entries: entriesOf(whole), before: whole, failure: &kernel.Failure{Kind: c.kind, Time: kernel.Time(c.at)}}
		if got := s.bare(best, c.times); got.Quiet != c.length || got.Duration != c.length+2*time.Second {
			t.Errorf("%s at %v: a guess lasts %v of %v, want %v", c.kind, c.at, got.Quiet, got.Duration, c.length)
		}
	}
}

func nobody(fault.Kind) []string { return nil }

// Two faults of a kind become one on the nodes of both, or on all.
func TestJoin(t *testing.T) {
	a, b := power("a", time.Second, "n2"), power("b", 1050*time.Millisecond, "n1", "n2")
	joined := entry{fault: &b, place: 5}.join(entry{fault: &a, place: 3}, nobody)
	var got []string
	for _, e := range joined {
		got = append(got, e.describe(nil))
	}
	want := []string{"1.05s power-loss on n1, n2 for 100ms", "1s power-loss on n1, n2 for 100ms", "1s power-loss on n1, n2 for 150ms"}
	if !slices.Equal(got, want) || joined[0].place != 5 || joined[1].place != 3 {
		t.Errorf("joined: %q", got)
	}
	everyone := func(fault.Kind) []string { return []string{"n1", "n2", "n3"} }
	if wide := (entry{fault: &a}).join(entry{fault: &b}, everyone); len(wide) != len(joined)+2 ||
		!slices.ContainsFunc(wide, func(e entry) bool { return e.describe(nil) == "1s power-loss on n1, n2, n3 for 100ms" }) {
		t.Errorf("%d ways to join faults on some or all nodes, want %d", len(wide), len(joined)+2)
	}
	b.When.Op = "sync"
	if n := len(entry{fault: &a}.join(entry{fault: &b}, nobody)); n != 2 {
		t.Errorf("%d ways to join a fault that waits and one that does not, want 2", n)
	}
	b.When.Op = ""
	b.At += time.Second
	if n := len(entry{fault: &a}.join(entry{fault: &b}, nobody)); n != 2 {
		t.Errorf("%d ways to join faults that do not meet, want 2", n)
	}
	b.Kind = fault.Kill
	if n := len(entry{fault: &a}.join(entry{fault: &b}, nobody)); n != 0 {
		t.Errorf("%d ways to join a power loss and a kill", n)
	}
	a.Kind, a.Amount, a.For = fault.ClockStep, -3*time.Second, 0
	joined = entry{fault: &a}.join(entry{fault: &b, place: 7}, nobody)
	if len(joined) != 1 || joined[0].describe(nil) != "2.05s clock-step-down on n1, n2 for 100ms, by -3s" || joined[0].fault.Amount != a.Amount || joined[0].place != 7 {
		t.Errorf("a clock step and a kill are joined to %q", joined[0].describe(nil))
	}
	a.Kind = fault.ClockOffset
	var amounts []time.Duration
	for _, e := range (entry{fault: &b}).join(entry{fault: &a}, nobody) {
		amounts = append(amounts, e.fault.Amount)
	}
	if !slices.Equal(amounts, []time.Duration{-3 * time.Second, 3 * time.Second}) {
		t.Errorf("an offset, which begins and ends, and a kill are joined to steps by %v", amounts)
	}
}

// How often a fault does something is made less too.
func TestWeakerCount(t *testing.T) {
	f := power("a", time.Second, "n1")
	f.Kind, f.Count = fault.CrashLoop, 10
	var counts []int64
	for _, e := range weakerFaults(&f) {
		if e.fault.Count != f.Count {
			counts = append(counts, e.fault.Count)
		}
	}
	if !slices.Equal(counts, []int64{1, 5}) {
		t.Errorf("10 times is weaker as %v", counts)
	}
	g := f
	g.Kind = fault.Kill
	if (entry{fault: &f}).key() == (entry{fault: &g}).key() {
		t.Error("faults of two kinds have one key")
	}
}

// hoard is a system without faults that fails at its second or at its thirtieth
// operation, as the seed says.
func hoard(w *World) {
	most := []int{2, 30}[w.Rand("patience").IntN(2)]
	had := 0
	w.Client("c", func(c *Client) {
		for range c.Operations() {
			c.Sleep(10 * time.Millisecond)
			if had++; had == most {
				w.Fail("hoard", "that was the last one")
			}
		}
	})
}

// patient returns a seed in which the hoard stands until the thirtieth.
func patient(t *testing.T) (recipe, *execution) {
	t.Helper()
	for seed := range uint64(20) {
		r := shopRecipe(t, hoard, seed)
		if x := r.execute(time.Time{}); tallyOf(x.world.schedule()).operations > 2 {
			return r, x
		}
	}
	t.Fatal("every seed fails at once")
	return recipe{}, nil
}

// Of the guesses that fail the one with the least is taken apart.
func TestPicksTheSmallestGuess(t *testing.T) {
	r, x := patient(t)
	s := &shrinker{recipe: r, failure: x.failure, prepare: func(uint64) {}, known: map[string]shrink.Verdict{},
		budget: func() time.Duration { return time.Hour }}
	made := 0
	guesses := func(yield func(*fault.Schedule) bool) {
		for seed := r.seed; yield(&fault.Schedule{Seed: seed, Duration: 8 * time.Second, Choices: []kernel.Choice{}}); seed++ {
			made++
		}
	}
	f, ok := s.pick(guesses)
	if n := f.left(); !ok || n.operations > 3 || made < 1 || made > 16 {
		t.Errorf("after %d guesses %v are left", made, n)
	}
}

// What has no faults is guessed again too, with other draws in a run that is no
// longer.
func TestGuessesWithTheSameFaults(t *testing.T) {
	r, x := patient(t)
	small, note := shrinkOf(r, x)
	if small == nil || tallyOf(small.after) != (tally{operations: 2}) {
		t.Errorf("left are %v: %s", tallyOf(small.after), note)
	}
}

// frail is a server that breaks when it starts twice, with random kills of it, or by
// itself, as the seed says.
func frail(alone *bool) func(w *World) {
	return func(w *World) {
		*alone = w.Rand("frailty").IntN(4) == 0
		w.Server("n1", func(n *Node) kernel.Handler {
			if n.Boot() > 1 {
				w.Fail("whole", "it is broken")
			}
			return kernel.Idle{}
		})
		w.Client("c", func(c *Client) {
			for n := range c.Operations() {
				if c.Sleep(100 * time.Millisecond); *alone && n == 2 {
					w.Fail("whole", "it is broken")
				}
			}
		})
		w.Faults(fault.Rules{{Name: "kill", Kind: fault.Kill, Every: 500 * time.Millisecond,
			For: fault.Span{Min: time.Millisecond, Max: 20 * time.Millisecond}, Target: fault.Target{Group: "servers"}}})
	}
}

// One fault is little, and still it is guessed that it takes none.
func TestGuessesThatItTakesNoFault(t *testing.T) {
	alone := false
	for seed := range uint64(20) {
		r := shopRecipe(t, frail(&alone), seed)
		x := r.execute(time.Time{})
		if alone || x.failure == nil {
			continue
		}
		small, note := shrinkOf(r, x)
		if small == nil || tallyOf(small.after) != (tally{operations: 1}) {
			t.Fatalf("left is %v, not the operation at which it breaks by itself (%s)", small.text(), note)
		}
		return
	}
	t.Fatal("no seed takes a kill")
}

// An end with fewer faults is the smaller one, although more operations are left.
func TestFaultsWeighMost(t *testing.T) {
	end := func(faults, choices, operations int) found {
		var list []entry
		for i := range faults {
			f := power("a", time.Duration(i))
			list = append(list, entry{fault: &f})
		}
		for i := range choices + operations {
			point := "net/a>b/drop"
			if i >= choices {
				point = "work/c/op"
			}
			list = append(list, entry{choice: &kernel.Choice{Point: point, N: uint64(i), Value: 1}})
		}
		for i := range list {
			list[i].place = i
		}
		return found{before: &fault.Schedule{Duration: time.Second}, entries: list}
	}
	if a, b := end(2, 1, 28).cost(), end(4, 1, 19).cost(); a >= b {
		t.Errorf("two faults and 28 operations weigh %d, four and 19 %d", a, b)
	}
	if a, b := end(0, 4, 0).cost(), end(0, 3, 3).cost(); a <= b {
		t.Errorf("four fates weigh %d, three and three operations %d", a, b)
	}
	if !end(1, 1, 1).tiny() || end(2, 0, 0).tiny() {
		t.Error("one fault and its message are little, two faults are not")
	}
}

// An end that was cut short is gone on with, in place of ways that would be cut
// short as well.
func TestGoesOnWithWhatWasCutShort(t *testing.T) {
	r := shopRecipe(t, func(w *World) {
		tens := 0
		w.Client("c", func(c *Client) {
			for n := range c.Operations() {
				c.Sleep(50 * time.Millisecond)
				if n%10 == 0 {
					if tens++; tens == 10 {
						w.Fail("tens", "there are ten")
					}
				}
			}
		})
	}, 1)
	x := r.execute(time.Time{})
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure}
	s.budget = func() time.Duration { return time.Duration(240-s.runs) * time.Hour }
	small, note := s.shrink()
	if small == nil || tallyOf(small.after) != (tally{operations: 10}) {
		t.Errorf("left are %v: %s", tallyOf(small.after), note)
	}
}

// What was gained while clients did as they like is kept when time is over.
func TestFreedKeepsItsGain(t *testing.T) {
	r, x := failing(t, shop(sevens))
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure, known: map[string]shrink.Verdict{}}
	s.budget = func() time.Duration { return time.Duration(8-s.runs) * time.Hour }
	f := s.freed(way{free: true})
	if f.entries == nil {
		t.Fatal("all is lost")
	}
	if f.complete || f.left().faults >= tallyOf(s.before).faults {
		t.Errorf("of %v there are %v left, complete %v", tallyOf(s.before), f.left(), f.complete)
	}
}
