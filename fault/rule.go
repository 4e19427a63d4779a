package fault

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Rule says how faults of one sort are drawn at random. Which rules are on,
// and how strongly, is drawn anew for each seed: a run with only some kinds of
// faults reaches states that a run with all of them at once never does (Groce,
// Zhang, Eide, Chen, Regehr: Swarm Testing, ISSTA 2012).
type Rule struct {
	// Name is the rule's identity and must be unique; empty means the kind. All
	// that it draws depends on the name and the seed only, so that rules can be
	// added and removed without moving the faults of others.
	Name string
	// Kind of the faults.
	Kind Kind
	// Weight is in how many of 100 seeds the rule is on. 0 means 100.
	Weight int
	// Every is the mean time between two faults, at middle intensity. The
	// intensity drawn for a seed makes it up to three times longer or shorter.
	// It must be positive.
	Every time.Duration
	// For is how long each lasts.
	For Span
	// Target says whom they hit.
	Target Target
	// Peers are the nodes at the other end, see [Fault.Peers].
	Peers []string
	// Picks says how many: one of these is drawn for each fault, all equally
	// likely. Empty means as Target says.
	Picks []Pick
	// File restricts disk faults to some files, see [Fault.File].
	File string
	// Rate is drawn for each fault, see the kinds.
	Rate Range
	// Amount is drawn for each fault, see the kinds.
	Amount Span
	// Count is drawn for each fault, see the kinds.
	Count Range
	// Message is a pattern for messages, see [Fault.Message].
	Message string
	// Profiles are the variants that are drawn from, see the kinds. Empty
	// means the default.
	Profiles []string
	// Whens are triggers, one of which is drawn for each fault: it then fires not
	// at its time but at a match of that after it. Empty means at its time. A
	// trigger at [AnyPoint] is one at a point that is drawn from those that the run
	// has named; where it has named none, such a rule draws nothing.
	Whens []Trigger
	// Nth is drawn for each fault with a trigger, see [Trigger].
	Nth Range

	wrong error // this is no rule, but a mistake in how the set was made
}

// AnyPoint, as the [Trigger.Point] of a rule, stands for one of the points that
// the run has named, see [Injector.Points].
const AnyPoint = "*"

// Known are names of a run that rules draw from.
type Known struct {
	Roles  []string // see [Injector.Role]
	Points []string // see [Injector.Points]
}

// Rules is a set of random rules. The zero value draws no faults.
type Rules []Rule

// None returns the empty set of rules: a run without faults.
func None() Rules { return nil }

// Default returns the rules that a system should survive: crashes, power
// losses and pauses of a minority, partitions of all sorts (with clients on
// both sides, too), outages of all, bad links, lost replies, failing, slow and
// stalled disks, slow nodes, and clocks that are off.
// Some make the monotonic clock untrue, so that leases break: see
// docs/guides/leases.md and [Rules.WithoutRules].
// It needs a group called "servers".
// Disks that lie, lose, damage or refuse what they are given, or are full, and
// corrupt messages that are delivered are not in it, because few systems promise
// to survive them; nor are nodes that leave, join, are lost for good or are
// upgraded, because a test has to be made for those; nor are the crash profiles
// posix and adversary, after which the end of a log can look like a damaged
// middle. Add such rules where yours survives them.
func Default() Rules {
	servers, among := Target{Group: "servers"}, []string{"@servers"}
	cut := Span{100 * time.Millisecond, 3 * time.Second}
	profiles := []string{"lose-all", "keep-prefix", "keep-subset", "torn"}
	rules := Rules{
		{Kind: Kill, Weight: 60, Every: 5 * time.Second, For: Span{20 * time.Millisecond, 2 * time.Second}, Target: servers, Picks: []Pick{One, One, Minority}},
		{Kind: PowerLoss, Weight: 60, Every: 4 * time.Second, For: Span{20 * time.Millisecond, 2 * time.Second}, Target: servers, Picks: []Pick{One, One, Minority}, Profiles: profiles},
		{Kind: Pause, Weight: 40, Every: 6 * time.Second, For: Span{50 * time.Millisecond, 3 * time.Second}, Target: servers},
		{Kind: Isolate, Weight: 30, Every: 5 * time.Second, For: cut, Target: servers},
		{Kind: Isolate, Name: "isolate-among", Weight: 30, Every: 5 * time.Second, For: cut, Target: servers, Peers: among},
		{Kind: Partition, Weight: 40, Every: 5 * time.Second, For: cut, Target: servers, Picks: []Pick{Minority, Half, Majority}},
		{Kind: Partition, Name: "partition-among", Weight: 40, Every: 5 * time.Second, For: cut, Target: servers, Peers: among, Picks: []Pick{Minority, Half, Majority}},
		{Kind: OneWay, Weight: 30, Every: 5 * time.Second, For: cut, Target: servers},
		{Kind: OneWay, Name: "one-way-among", Weight: 30, Every: 5 * time.Second, For: cut, Target: servers, Peers: among},
		{Kind: Loss, Weight: 50, Every: 3 * time.Second, For: Span{100 * time.Millisecond, 2 * time.Second}, Rate: Range{10_000, 300_000}},
		{Kind: Duplicate, Weight: 50, Every: 3 * time.Second, For: Span{100 * time.Millisecond, 2 * time.Second}, Rate: Range{10_000, 300_000}},
		{Kind: Delay, Weight: 50, Every: 3 * time.Second, For: Span{100 * time.Millisecond, 2 * time.Second}, Rate: Range{10_000, 300_000}, Amount: Span{10 * time.Millisecond, 800 * time.Millisecond}},
		{Kind: Latency, Weight: 25, Every: 6 * time.Second, For: Span{100 * time.Millisecond, 2 * time.Second}, Amount: Span{5 * time.Millisecond, 150 * time.Millisecond}},
		{Kind: SyncFail, Weight: 30, Every: 8 * time.Second, For: Span{5 * time.Millisecond, 200 * time.Millisecond}, Target: servers, Profiles: []string{"drop-dirty", "keep-dirty"}},
		{Kind: SyncFail, Name: "sync-fail-long", Weight: 15, Every: 6 * time.Second, For: Span{500 * time.Millisecond, 4 * time.Second}, Target: servers, Profiles: []string{"drop-dirty", "keep-dirty"}},
		{Kind: SlowDisk, Weight: 30, Every: 6 * time.Second, For: Span{100 * time.Millisecond, 2 * time.Second}, Target: servers, Rate: Range{2, 200}},
		{Kind: PowerLoss, Name: "power-loss-ordered", Weight: 20, Every: 6 * time.Second, For: Span{20 * time.Millisecond, 2 * time.Second}, Target: servers, Profiles: []string{"ordered"}},
		{Kind: Outage, Weight: 20, Every: 6 * time.Second, For: Span{20 * time.Millisecond, time.Second}, Target: servers, Profiles: append(profiles[:4:4], "ordered")},
		{Kind: WriteFail, Weight: 20, Every: 8 * time.Second, For: Span{5 * time.Millisecond, 200 * time.Millisecond}, Target: servers, Profiles: []string{"error", "short"}},
		{Kind: SlowDisk, Name: "reorder-disk", Weight: 20, Every: 6 * time.Second, For: Span{100 * time.Millisecond, 2 * time.Second}, Target: servers, Rate: Range{1, 1}, Amount: Span{time.Millisecond, 50 * time.Millisecond}},
		{Kind: StallDisk, Weight: 20, Every: 6 * time.Second, For: Span{50 * time.Millisecond, 2 * time.Second}, Target: servers},
		{Kind: ClockStep, Weight: 25, Every: 6 * time.Second, Target: servers, Amount: Span{-5 * time.Second, 5 * time.Second}},
		{Kind: ClockDrift, Weight: 25, Every: 6 * time.Second, For: Span{500 * time.Millisecond, 5 * time.Second}, Target: servers, Rate: Range{-100_000, 100_000}},
	}
	return slices.Concat(rules, defaultProcess(), defaultNetwork(), defaultClock())
}

// maxPlanned bounds the faults of one rule in one run: all are planned before
// it begins.
const maxPlanned = 50_000

// Rarer returns the rules with that many times longer between their faults,
// for long runs. Factors below 1 count as 1.
func (r Rules) Rarer(factor int) Rules {
	out := append(Rules(nil), r...)
	for i := range out {
		out[i].Every *= time.Duration(max(factor, 1))
	}
	return out
}

// Intensity is what a seed drew for a rule.
type Intensity struct {
	Rule    string // name of the rule
	Percent int64  // frequency of its faults relative to the rule's; 0: off
}

// Plan draws the faults of a run from rules: a pure function of the run's
// stream, the rules, the length of the fault phase and the names that the run
// knows: a third of the faults that hit nodes of a group aim at one of the roles.
// The error names a rule that makes no sense.
func Plan(from kernel.Stream, rules Rules, phase time.Duration, known Known) ([]Fault, []Intensity, error) {
	var faults []Fault
	var drawn []Intensity
	seen := map[string]bool{}
	for i, r := range rules {
		r.Name = r.name()
		if err := r.validate(); err != nil {
			return nil, nil, fmt.Errorf("fault: rule %d (%q): %w", i, r.Name, err)
		}
		if seen[r.Name] {
			return nil, nil, fmt.Errorf("fault: two rules are called %q; set Rule.Name so that names are unique", r.Name)
		}
		seen[r.Name] = true
		planned, percent := r.plan(from.Derive("fault/"+r.Name), phase, known)
		if len(planned) > maxPlanned {
			return nil, nil, fmt.Errorf("fault: rule %d (%q): more than %d faults in %v; make Every longer (Rules.Rarer) or the run shorter", i, r.Name, maxPlanned, phase)
		}
		faults = append(faults, planned...)
		drawn = append(drawn, Intensity{r.Name, percent})
	}
	sortByTime(faults)
	return faults, drawn, nil
}

func (r *Rule) validate() error {
	switch {
	case r.wrong != nil:
		return r.wrong
	case !r.Kind.known():
		return fmt.Errorf("unknown kind %q; the kinds are %s", r.Kind, kindList())
	case r.Weight < 0 || r.Weight > 100:
		return fmt.Errorf("Weight is %d; it must be within [0, 100]", r.Weight)
	case r.Every <= 0:
		return fmt.Errorf("Every is %v; it must be positive", r.Every)
	case r.For.Min < 0 || r.For.Max < r.For.Min:
		return fmt.Errorf("For is %v to %v; it must be an ascending range of durations that are not negative", r.For.Min, r.For.Max)
	case r.Rate.Max < r.Rate.Min:
		return fmt.Errorf("Rate is %d to %d; it must be an ascending range", r.Rate.Min, r.Rate.Max)
	case r.Amount.Max < r.Amount.Min:
		return fmt.Errorf("Amount is %v to %v; it must be an ascending range", r.Amount.Min, r.Amount.Max)
	case r.Count.Min < 0 || r.Count.Max < r.Count.Min:
		return fmt.Errorf("Count is %d to %d; it must be an ascending range from 0 on", r.Count.Min, r.Count.Max)
	case r.Nth.Min < 0 || r.Nth.Max < r.Nth.Min:
		return fmt.Errorf("Nth is %d to %d; it must be an ascending range from 0 on", r.Nth.Min, r.Nth.Max)
	}
	return nil
}

// plan draws the faults of one rule. Each fault has a stream of its own, so
// that they do not depend on how many draws another took.
func (r *Rule) plan(from kernel.Stream, phase time.Duration, known Known) ([]Fault, int64) {
	if len(known.Points) == 0 && slices.ContainsFunc(r.Whens, func(w Trigger) bool { return w.Point == AnyPoint }) {
		return nil, 0
	}
	q := kernel.Seq{Stream: from}
	weight := r.Weight
	if weight == 0 {
		weight = 100
	}
	if int(q.Below(100)) >= weight {
		return nil, 0
	}
	percent := q.Between(33, 300)
	mean := max(r.Every*100/time.Duration(percent), time.Millisecond)
	var faults []Fault
	at := q.Exponential(mean)
	for n := 1; at < phase && n <= maxPlanned+1; n++ {
		id := fmt.Sprintf("%s#%d", r.Name, n)
		faults = append(faults, r.draw(id, at.Truncate(time.Microsecond), phase, known, kernel.Seq{Stream: from.Derive(id)}))
		at += max(q.Exponential(mean), time.Millisecond)
	}
	return faults, percent
}

func (r *Rule) draw(id string, at, phase time.Duration, known Known, q kernel.Seq) Fault {
	f := Fault{ID: id, Kind: r.Kind, At: at, Target: r.Target, Peers: r.Peers, Message: r.Message, File: r.File}
	f.For = min(r.For.draw(&q).Truncate(time.Millisecond), phase-at)
	f.Rate = r.Rate.draw(&q)
	f.Amount = r.Amount.draw(&q).Truncate(time.Millisecond)
	if n := len(r.Picks); n > 0 {
		f.Target.Pick = r.Picks[q.Below(uint64(n))]
	}
	if n := len(r.Profiles); n > 0 {
		f.Profile = r.Profiles[q.Below(uint64(n))]
	}
	if aimed, roles := q.PPM(333_333), known.Roles; aimed && len(roles) > 0 && f.Target.Group != "" && f.Target.Role == "" {
		f.Target.Role = roles[q.Below(uint64(len(roles)))]
	}
	if r.Count != (Range{}) {
		f.Count = r.Count.draw(&q)
	}
	if n := len(r.Whens); n > 0 {
		f.When = r.Whens[q.Below(uint64(n))]
		if f.When.Point == AnyPoint {
			f.When.Point = known.Points[q.Below(uint64(len(known.Points)))]
		}
		f.When.Nth = int(r.Nth.draw(&q))
	}
	return f
}
