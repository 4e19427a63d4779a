package fault

import (
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
)

// Validate reports the first thing that no run could do: a quiet phase that
// begins after the end; a fault whose time is negative or in the quiet phase, one
// without a target that its kind needs, or one with a strength that its kind
// cannot use; a choice with a value that its choice point cannot have. The error
// names it, the value and the fix. It does not know the run: whether nodes, groups
// and roles exist, the run says.
func (s *Schedule) Validate() error {
	if s.Duration > 0 && s.Quiet > s.Duration {
		return fmt.Errorf("quiet is %v, after the end of the run at %v; the quiet phase begins before, or 0s for none", s.Quiet, s.Duration)
	}
	for i := range s.Faults {
		f := &s.Faults[i]
		if err := f.possible(s); err != nil {
			return fmt.Errorf("faults[%d] (%s): %w", i, f.name(), err)
		}
	}
	for i, c := range s.Choices {
		if err := inRange(c); err != nil {
			return fmt.Errorf("choices[%d] (%s, n %d): %w", i, c.Point, c.N, err)
		}
	}
	return nil
}

// inRange reports a choice with a value that its point cannot have.
func inRange(c kernel.Choice) error {
	most, known := simnet.MostChoice(c.Point)
	if !known {
		most, known = simdisk.MostChoice(c.Point)
	}
	switch {
	case c.Value < 1 && known && most < math.MaxInt64:
		return fmt.Errorf("the value is %d; use 1 to %d, or remove the line for the default", c.Value, most)
	case c.Value < 1:
		return fmt.Errorf("the value is %d; use 1 or more, or remove the line for the default", c.Value)
	case known && c.Value > most:
		return fmt.Errorf("the value is %d; use 1 to %d", c.Value, most)
	}
	return nil
}

// name is what messages call a fault.
func (f *Fault) name() string {
	if f.ID != "" {
		return f.ID
	}
	return string(f.Kind)
}

func (f *Fault) possible(s *Schedule) error {
	t, ok := f.Kind.trait()
	switch {
	case !ok:
		return fmt.Errorf("unknown kind %q; the kinds are %s", f.Kind, kindList())
	case f.At < 0:
		return fmt.Errorf("At is %v; it must not be negative", f.At)
	case f.For < 0:
		return fmt.Errorf("For is %v; it must not be negative", f.For)
	case s.Quiet > 0 && f.At >= s.Quiet:
		return fmt.Errorf("At is %v, in the quiet phase, which begins at %v; nothing happens then", f.At, s.Quiet)
	case s.Duration > 0 && f.At > s.Duration:
		return fmt.Errorf("At is %v, after the end of the run at %v; nothing happens then", f.At, s.Duration)
	case f.Outcome == Skipped || f.Outcome == NoTarget:
		return nil
	case len(f.Nodes) == 0 && len(f.Target.Nodes) == 0 && f.Target.Group == "" && !t.links && f.When == (Trigger{}):
		return fmt.Errorf("it has no target; name nodes or a group")
	}
	if err := f.When.validate(); err != nil {
		return err
	}
	if err := f.validateSelf(); err != nil {
		return err
	}
	return f.validateStrength()
}

// validateSelf reports a target that is the node of the trigger where there is
// none.
func (f *Fault) validateSelf() error {
	switch {
	case f.When.State != "" && f.When.Node != "":
		return fmt.Errorf("When has a state (%q) and a node (%q); a state is of the cluster, so leave Node empty", f.When.State, f.When.Node)
	case f.Target.Pick != Self || len(f.Nodes) > 0:
		return nil
	case f.When.Point+f.When.Op == "":
		return fmt.Errorf("Target.Pick is %q, and no trigger is of a node; set When.Point or When.Op, or pick another way", Self)
	case len(f.Target.Nodes) > 0 || f.Target.Group == "":
		return fmt.Errorf("Target.Pick is %q, which picks from a group; set Target.Group and no Nodes", Self)
	}
	return nil
}

// validate reports a trigger that nothing can match.
func (w Trigger) validate() error {
	switch {
	case w.Nth < 0:
		return fmt.Errorf("When.Nth is %d; it must not be negative", w.Nth)
	case w.Chance < 0 || w.Chance > 1_000_000:
		return fmt.Errorf("When.Chance is %d; it must be parts per million, 0 to 1000000", w.Chance)
	case w.Chance > 0 && w.Nth > 0:
		return fmt.Errorf("When has both Nth (%d) and Chance (%d); use one", w.Nth, w.Chance)
	case w.Point != "" && w.Op != "":
		return fmt.Errorf("When has both a point (%q) and an operation (%q); use one", w.Point, w.Op)
	case w.State != "" && w.Point+w.Op != "":
		return fmt.Errorf("When has both a state (%q) and a point or an operation (%q); use one", w.State, w.Point+w.Op)
	case w.Point == "" && w.Op == "" && w.State == "":
		if w != (Trigger{}) {
			return fmt.Errorf("When has neither a point nor an operation nor a state; set Point, Op or State")
		}
		return nil
	}
	if _, err := path.Match(w.Message, ""); err != nil {
		return fmt.Errorf("When.Message is %q, which is no pattern of path.Match", w.Message)
	}
	if _, err := path.Match(w.File, ""); err != nil {
		return fmt.Errorf("When.File is %q, which is no pattern of path.Match", w.File)
	}
	if w.Op == "" || w.ofMessage() {
		return nil
	}
	known := []string{opSend, opReceive}
	for k := simdisk.Kind(0); k.String() != "unknown"; k++ {
		if k.String() == w.Op {
			return nil
		}
		known = append(known, k.String())
	}
	return fmt.Errorf("unknown operation %q in When.Op; the operations are %s", w.Op, strings.Join(known, ", "))
}
