package faultline

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	mostNeighbours = 48              // schedules near a pin that are tried
	pinTime        = 3 * time.Second // of real time, at most, for all pins of a test
)

// neighbour is a run near a pinned schedule that fails as the pin did.
type neighbour struct {
	run    *execution
	recipe recipe
	how    string // what differs from the pin
	tries  int
}

// nearby are schedules near a pin, and what differs in each.
type nearby = iter.Seq2[*fault.Schedule, string]

// pinned judges a pin that passes: the bug is mended, or the code has changed
// so much that the schedule does not lead to the failure any more. In a run where
// entries of the pin have not come up as they were recorded, and in one where no
// entry can tell, the failure is looked for near by, and is the pin's if it is there.
func (c *campaign) pinned(t *testing.T, j job, r recipe, x *execution) {
	t.Helper()
	moved, told := c.moved(t, r, x)
	if moved == "" && !isBlind(j.replay, told) {
		c.pass(t, j, x)
		return
	}
	where, what := neighbours(j.replay, c.opt), "other draws"
	if moved == "" {
		scripted := len(x.world.script) > 0
		where = around(j.replay, c.opt, scripted)
		if len(j.replay.Faults) > 0 && !scripted {
			what = "its faults earlier and later, other draws"
		}
	}
	near, tries := c.lookNear(t, j, r, where)
	switch {
	case near != nil:
		c.foundNear(t, j, x, near)
	case moved == "":
		c.pass(t, j, x)
		text := fmt.Sprintf("near it (%s) it passes too, in %s", what, plural(tries, "run"))
		if tries == 0 {
			text = "nothing near it was tried"
		}
		t.Log("faultline: no entry of the pin tells whether the code has changed around it; " + text)
	default:
		text := "the pin passes, but " + moved + ", so the code has changed around it: pin the failure anew if it is not mended"
		if tries > 0 {
			text += fmt.Sprintf("; near it (the same faults, other draws) it passes too, in %s", plural(tries, "run"))
		}
		t.Log("faultline: " + text)
		c.pass(t, j, x)
	}
}

// foundNear fails a pin that passes, by a run near it.
func (c *campaign) foundNear(t *testing.T, j job, x *execution, near *neighbour) {
	t.Helper()
	t.Logf("faultline: the pin does not lead to its failure any more: %s%s\n\tbut %s it does (run %d near it): %s\n\tthe code has changed around the bug; pin the failure anew",
		replayed(j.replay, x), farthest(j.replay, x), near.how, near.tries, headline(near.run.failure))
	j.replay, j.seed, j.near = near.recipe.replay, near.recipe.seed, true
	c.fail(t, j, near.recipe, near.run)
}

// moved says that entries of a pin have not come up as they were recorded; it is
// empty if all have, at the same virtual times, and told is the last of these then.
// The times need a run that is recorded.
func (c *campaign) moved(t *testing.T, r recipe, x *execution) (moved string, told time.Duration) {
	t.Helper()
	if missed := missed(r.replay, x); len(missed) > 0 {
		return fmt.Sprintf("%d of its %d entries met nothing", len(missed), tallyOf(r.replay).all()), 0
	}
	r.level = kernel.LevelFull
	c.seedCrypto(t, r.seed)
	full := r.execute(c.end)
	if full.world == nil {
		c.dirty = true
		return "", 0
	}
	at := map[kernel.Choice]kernel.Time{}
	for _, made := range full.world.sim.Choices() {
		at[made.Identity()] = made.Time
	}
	n := 0
	for _, was := range r.replay.Choices {
		is, ok := at[was.Identity()]
		switch {
		case !ok || was.Time == 0 || isShape(was):
		case is == was.Time:
			told = max(told, time.Duration(was.Time))
		default:
			n++
		}
	}
	if n == 0 {
		return "", told
	}
	return fmt.Sprintf("%d of its %d entries came up at other times", n, tallyOf(r.replay).all()), 0
}

// isBlind reports whether a pin cannot notice that the code has changed around it: no
// entry has come up at its time, or a fault that comes at a fixed time, whatever the
// code does, is later than the last that has.
func isBlind(pin *fault.Schedule, told time.Duration) bool {
	return told == 0 || slices.ContainsFunc(pin.Faults, func(f fault.Fault) bool {
		return f.Outcome == fault.Fired && f.When == (fault.Trigger{}) && f.At > told
	})
}

// nearShare is the real time that may be spent near the next pin: pins share it, so
// that many cost no more than one.
func (c *campaign) nearShare() time.Duration {
	left := max(len(c.jobs.first)-c.sum.pins, 1) // with this one
	return (min(pinTime, c.opt.ShrinkBudget) - c.near) / time.Duration(left)
}

// lookNear tries schedules near a pin until one fails in the same check.
func (c *campaign) lookNear(t *testing.T, j job, r recipe, where nearby) (*neighbour, int) {
	t.Helper()
	if c.opt.ShrinkBudget < 0 || j.expect == nil || c.dirty {
		return nil, 0
	}
	began, share := time.Now(), c.nearShare()
	defer func() { c.near += time.Since(began) }()
	tries := 0
	for s, how := range where {
		if time.Since(began) > share || c.outOfTime() {
			break
		}
		tries++
		r.replay, r.seed = s, s.Seed
		c.seedCrypto(t, r.seed)
		x := r.execute(c.end)
		if x.hung != "" {
			c.dirty = true
			return nil, tries
		}
		if f := x.failure; f != nil && f.Kind == j.expect.Kind && f.Check == j.expect.Check {
			return &neighbour{x, r, how, tries}, tries
		}
	}
	return nil, tries
}

// neighbours are schedules with the same faults and other draws: first the
// whole length with clients that go on, then fates that hit the messages and
// writes with the numbers that were recorded and those beside them, then other seeds.
func neighbours(pin *fault.Schedule, opt Options) nearby {
	return func(yield func(*fault.Schedule, string) bool) {
		whole := lengthened(pin, opt)
		if !yield(whole, "in a run of full length in which clients go on") {
			return
		}
		for n := range mostNeighbours - 1 {
			s, how := *whole, ""
			by, kind := int64(n/4), n%4
			if len(whole.Choices) == 0 {
				kind |= 2 // there are no fates
			}
			switch kind {
			case 0:
				s.Choices, how = shifted(whole.Choices, by), fmt.Sprintf("with fates %d later", by)
				if by == 0 {
					how = "with fates found by their numbers"
				}
			case 1:
				s.Choices, how = shifted(whole.Choices, -by-1), fmt.Sprintf("with fates %d earlier", by+1)
			case 2:
				s.Seed, how = kernel.NewStream(pin.Seed, "near").At(uint64(n)), "with other draws"
			default:
				s.Seed = kernel.NewStream(pin.Seed, "near").At(uint64(n))
				s.Faults, how = aimedAnew(s.Faults), "with other draws and targets"
			}
			if !yield(&s, how) {
				return
			}
		}
	}
}

// lengthened gives a shrunk schedule its length back: clients that do what they
// like, the jitter, and the quiet phase where the options put it, if no fault
// is later.
func lengthened(pin *fault.Schedule, opt Options) *fault.Schedule {
	s := *pin
	s.Expect, s.Shrunk = nil, false
	if opt.Duration > s.Duration {
		s.Duration, s.Quiet = opt.Duration, opt.quiet()
	}
	s.Choices = []kernel.Choice{}
	for _, c := range pin.Choices {
		if !isShape(c) && !strings.HasPrefix(c.Point, workPrefix) {
			s.Choices = append(s.Choices, c)
		}
	}
	return &s
}

// shifted aims the fates of messages and writes at others on the same link or
// file. The setup's draws stay.
func shifted(choices []kernel.Choice, by int64) []kernel.Choice {
	out := []kernel.Choice{}
	for _, c := range choices {
		if !strings.HasPrefix(c.Point, "setup/") {
			if by < 0 && c.N < uint64(-by) {
				continue
			}
			c.N, c.Of = c.N+uint64(by), 0
		}
		out = append(out, c)
	}
	return out
}

// aimedAnew lets each fault draw its nodes again.
func aimedAnew(faults []fault.Fault) []fault.Fault {
	var out []fault.Fault
	for _, f := range faults {
		if len(f.Target.Nodes) > 0 || f.Target.Group != "" {
			f.Nodes = nil
		}
		f.Outcome = ""
		out = append(out, f)
	}
	return out
}

// farthest says how far a schedule was replayed: up to its last entry that was
// met.
func farthest(s *fault.Schedule, x *execution) string {
	last := time.Duration(-1)
	unmet := map[kernel.Choice]bool{}
	for _, c := range x.world.sim.UnmetChoices() {
		unmet[c.Identity()] = true
	}
	for _, c := range s.Choices {
		if !unmet[c.Identity()] && !isShape(c) {
			last = max(last, time.Duration(c.Time))
		}
	}
	for i, f := range x.world.injector.Faults() {
		if f.Outcome == fault.Fired && s.Faults[i].Outcome == fault.Fired {
			last = max(last, f.At)
		}
	}
	if last < 0 || s.Expect == nil {
		return ""
	}
	return fmt.Sprintf("; the last that came up is of %v, and the failure was at %v", last, s.Expect.Time)
}
