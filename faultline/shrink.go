package faultline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
	"github.com/hmdsefi/faultline/simdisk"
)

// item is one entry of a schedule: a fault or a choice.
type item struct {
	fault  *fault.Fault
	choice *kernel.Choice
}

// shrunk is a schedule made small, and the run that it leads to.
type shrunk struct {
	before, after *fault.Schedule
	run           *execution // a recording of the small schedule
	tests         int
	took          time.Duration
	complete      bool
	others        []string // other failures that were met on the way
}

// shrinkFailure looks for the smallest part of a recorded schedule that still
// fails in the same way, within the budget. It returns nil when there is
// nothing to gain or the failure cannot be had from the schedule.
func (c *campaign) shrinkFailure(t *testing.T, r recipe, x *execution, f *kernel.Failure) *shrunk {
	t.Helper()
	budget := c.opt.ShrinkBudget
	if budget < 0 || x.world == nil || c.dirty || f.Kind == KindDeterminism || f.Kind == KindError || f.Kind == KindLimit || f.Check == checkSetup {
		return nil
	}
	began := time.Now()
	longest := time.Duration(0)
	s := &shrunk{before: x.world.schedule()}
	if len(s.before.Faults)+len(s.before.Choices) == 0 {
		return nil
	}
	r.level, r.measure, r.limit = kernel.LevelHash, false, 0
	seen := map[string]bool{}
	result := shrink.Minimize(shrink.Problem[item]{
		Items: itemsOf(s.before), Key: item.key, Group: item.group, Weaker: item.weaker,
		Continue: func() bool { return time.Since(began)+longest < budget && !c.outOfTime() && !c.dirty },
		Test: func(items []item) shrink.Verdict {
			r.replay = scheduleOf(s.before, items)
			c.seedCrypto(t, r.seed)
			start := time.Now()
			y := r.execute(c.end)
			longest = max(longest, time.Since(start))
			c.dirty = c.dirty || y.hung != ""
			switch {
			case y.failure == nil:
				return shrink.Gone
			case y.failure.Kind == f.Kind && y.failure.Check == f.Check && site(y.failure) == site(f):
				return shrink.Same
			}
			if other := headline(y.failure); len(s.others) < 3 && !seen[y.failure.Check] {
				seen[y.failure.Check] = true
				s.others = append(s.others, other)
			}
			return shrink.Other
		},
	})
	s.tests, s.complete = result.Tests, result.Complete
	if c.dirty || result.Flaky {
		return nil
	}
	r.level, r.replay = kernel.LevelFull, scheduleOf(s.before, result.Items)
	c.seedCrypto(t, r.seed)
	s.run = r.execute(c.end)
	s.took = time.Since(began)
	if s.run.failure == nil || s.run.world == nil {
		return nil
	}
	s.after = s.run.world.schedule()
	return s
}

func itemsOf(s *fault.Schedule) []item {
	var items []item
	for i := range s.Faults {
		items = append(items, item{fault: &s.Faults[i]})
	}
	for i := range s.Choices {
		items = append(items, item{choice: &s.Choices[i]})
	}
	return items
}

// scheduleOf puts the items that are left back into a schedule.
func scheduleOf(whole *fault.Schedule, items []item) *fault.Schedule {
	s := *whole
	s.Faults, s.Choices = nil, []kernel.Choice{}
	for _, it := range items {
		if it.fault != nil {
			s.Faults = append(s.Faults, *it.fault)
		} else {
			s.Choices = append(s.Choices, *it.choice)
		}
	}
	return &s
}

// key tells items apart by what they do.
func (it item) key() string {
	if f := it.fault; f != nil {
		return fmt.Sprint("fault ", f.ID, f.At, f.For, f.File, f.Rate, f.Amount, f.Profile)
	}
	return fmt.Sprint("choice ", it.choice.Point, it.choice.N, it.choice.Value)
}

// group puts faults of a kind together, those that did nothing, and choices of
// one sort, such as all drops.
func (it item) group() string {
	if f := it.fault; f != nil {
		if f.Outcome != fault.Fired {
			return "idle"
		}
		return "fault " + string(f.Kind)
	}
	parts := strings.Split(it.choice.Point, "/")
	return "choice " + parts[0] + " " + parts[len(parts)-1]
}

// weaker returns the item at less strength: shorter, slower, rarer.
func (it item) weaker() []item {
	var out []item
	if c := it.choice; c != nil {
		if strings.HasSuffix(c.Point, "/delay") {
			for _, v := range []int64{c.Value / 10, c.Value / 2} {
				if v >= int64(time.Millisecond) {
					weaker := *c
					weaker.Value = v
					out = append(out, item{choice: &weaker})
				}
			}
		}
		return out
	}
	vary := func(change func(f *fault.Fault)) {
		f := *it.fault
		f.Nodes = slices.Clone(f.Nodes)
		if change(&f); (item{fault: &f}).key() != it.key() {
			out = append(out, item{fault: &f})
		}
	}
	for _, part := range []time.Duration{10, 2} {
		vary(func(f *fault.Fault) {
			if f.For/part >= time.Millisecond {
				f.For = (f.For / part).Truncate(time.Millisecond)
			}
		})
		vary(func(f *fault.Fault) {
			if f.Rate/int64(part) != 0 { // 0 can mean all
				f.Rate /= int64(part)
			}
		})
		vary(func(f *fault.Fault) {
			if f.Amount.Abs()/part >= time.Millisecond {
				f.Amount = (f.Amount / part).Truncate(time.Millisecond)
			}
		})
	}
	return out
}

// text says what was gained, and what is left.
func (s *shrunk) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "shrunk:   %s -> %s in %v, %d runs", counts(s.before), counts(s.after), s.took.Round(100*time.Millisecond), s.tests)
	if !s.complete {
		b.WriteString(" (the budget is used up; a larger one may find less)")
	}
	const most = 12
	left := describe(s.after)
	for i, line := range left {
		if i == most {
			fmt.Fprintf(&b, "\n          … %d more in schedule.min.json", len(left)-most)
			break
		}
		b.WriteString("\n          " + line)
	}
	for _, o := range s.others {
		b.WriteString("\n          with other parts of the schedule: " + o)
	}
	return b.String() + "\n"
}

func counts(s *fault.Schedule) string {
	return plural(len(s.Faults), "fault") + ", " + plural(len(s.Choices), "choice")
}

// describe says each entry of a schedule in words.
func describe(s *fault.Schedule) []string {
	var lines []string
	for _, f := range s.Faults {
		line := fmt.Sprintf("%v %s", kernel.Time(f.At), f.Kind)
		if len(f.Nodes) > 0 {
			line += " on " + strings.Join(f.Nodes, ", ")
		}
		if f.For > 0 {
			line += fmt.Sprintf(" for %v", f.For)
		}
		if f.File != "" {
			line += " in " + f.File
		}
		if f.Profile != "" {
			line += " (" + f.Profile + ")"
		}
		lines = append(lines, line)
	}
	for _, c := range s.Choices {
		lines = append(lines, fmt.Sprintf("%v %s", c.Time, inWords(c)))
	}
	return lines
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// inWords says what a choice of the network or of a disk means.
func inWords(c kernel.Choice) string {
	parts := strings.Split(c.Point, "/")
	link := strings.Replace(parts[min(1, len(parts)-1)], ">", " to ", 1)
	switch {
	case parts[0] == "net" && len(parts) == 3 && parts[2] == "drop":
		return fmt.Sprintf("message %d from %s is lost", c.N, link)
	case parts[0] == "net" && len(parts) == 3 && parts[2] == "dup":
		return fmt.Sprintf("message %d from %s arrives %d times", c.N, link, c.Value+1)
	case parts[0] == "net" && len(parts) == 3 && parts[2] == "delay":
		return fmt.Sprintf("message %d from %s is %v late", c.N, link, time.Duration(c.Value))
	case parts[0] == "disk" && len(parts) > 4 && parts[2] == "crash" && parts[3] == "data":
		return fmt.Sprintf("the crash of %s keeps write %d to %s%s", parts[1], c.N, strings.Join(parts[4:], "/"), inPart(c.Value))
	case parts[0] == "disk" && len(parts) > 4 && parts[2] == "crash" && parts[3] == "name":
		return fmt.Sprintf("the crash of %s keeps change %d of the name %s", parts[1], c.N, strings.Join(parts[4:], "/"))
	case parts[0] == "disk" && len(parts) == 3 && parts[2] == "sync-fail":
		return fmt.Sprintf("sync %d of %s fails (%v)", c.N, parts[1], simdisk.FailMode(c.Value))
	case parts[0] == "disk" && len(parts) == 3 && parts[2] == "write-fail":
		return fmt.Sprintf("write %d of %s fails (%v)", c.N, parts[1], simdisk.WriteMode(c.Value))
	case parts[0] == "disk" && len(parts) == 3:
		return fmt.Sprintf("%s of %s, number %d: %d", parts[2], parts[1], c.N, c.Value)
	}
	return fmt.Sprintf("%s, number %d: %d", c.Point, c.N, c.Value)
}

func inPart(value int64) string {
	if value > 1 {
		return " in part"
	}
	return ""
}
