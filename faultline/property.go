package faultline

import (
	"fmt"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// Kinds of properties that are collected over all seeds of a test.
const (
	propertySometimes = "sometimes"
	propertyReachable = "reachable"
	propertyAlways    = "always"
	propertyWatermark = "watermark"
)

// property is one in a run.
type property struct {
	kind, name string
	met        bool
	max        int64
}

func (w *World) property(call, kind, name string) *property {
	p := &property{kind: kind, name: name}
	if w.name(call, name, true) {
		w.properties = append(w.properties, p)
	}
	return p
}

// Sometimes adds a property that should be true, after some event of some
// seed: it shows that the test gets the system to where it can break. The
// properties of a sweep are listed at its end, see also
// [Options.RequireSometimes].
func (w *World) Sometimes(name string, holds func() bool) {
	if !w.name("Sometimes", name, holds != nil) {
		return
	}
	p := &property{kind: propertySometimes, name: name}
	w.properties = append(w.properties, p)
	w.sim.Invariant(name, func(*kernel.Node) error {
		p.met = p.met || holds()
		return nil
	})
}

// Reachable says that a place in the code should be reached in some seed, as
// [World.Sometimes] does of a state. Call the function that it returns there.
func (w *World) Reachable(name string) (reached func()) {
	p := w.property("Reachable", propertyReachable, name)
	return func() { p.met = true }
}

// Unreachable says that a place in the code must never be reached. Call the
// function that it returns there, with what is wrong: it fails the run after the
// current event.
func (w *World) Unreachable(name string) (reached func(format string, args ...any)) {
	w.name("Unreachable", name, true)
	return func(format string, args ...any) {
		w.sim.Fail(kernel.Failure{Kind: KindUnreachable, Check: name, Message: fmt.Sprintf(format, args...)})
	}
}

// Always says that a condition must hold wherever the code asks for it, and that
// it should be asked for in some seed. Call the function that it returns with the
// condition, and with what is wrong if it does not hold: then the run fails after
// the current event.
func (w *World) Always(name string) (holds func(ok bool, format string, args ...any)) {
	p := w.property("Always", propertyAlways, name)
	return func(ok bool, format string, args ...any) {
		p.met = true
		if !ok {
			w.sim.Fail(kernel.Failure{Kind: KindAlways, Check: name, Message: fmt.Sprintf(format, args...)})
		}
	}
}

// Watermark collects a number, such as the length of a queue: the largest one of
// all seeds is listed at the end of the test, with its seed. Call the function
// that it returns with each value.
func (w *World) Watermark(name string) (reached func(value int64)) {
	p := w.property("Watermark", propertyWatermark, name)
	return func(value int64) {
		if !p.met || value > p.max {
			p.met, p.max = true, value
		}
	}
}

// coverage returns what a run has covered.
func (w *World) coverage() artifact.Coverage {
	c := artifact.Coverage{Runs: 1}
	for _, p := range w.properties {
		x := artifact.Coverable{Kind: p.kind, Name: p.name}
		if p.met {
			x.Seen, x.Max, x.Seed = 1, p.max, artifact.Hex64(w.Seed())
		}
		c.Properties = append(c.Properties, x)
	}
	return c
}

// unmet says what is wrong with a property that no seed met.
func unmet(p artifact.Coverable) string {
	switch p.Kind {
	case propertyReachable:
		return "never reached"
	case propertyAlways:
		return "never asked for"
	case propertyWatermark:
		return "never had a value"
	}
	return "never true"
}

// describeCoverage lists what was not met, and the watermarks.
func describeCoverage(c artifact.Coverage) []string {
	var out []string
	for _, p := range c.Properties {
		switch {
		case p.Seen == 0:
			out = append(out, fmt.Sprintf("%s in these seeds: %q", unmet(p), p.Name))
		case p.Kind == propertyWatermark:
			out = append(out, fmt.Sprintf("largest %q: %d (seed %s)", p.Name, p.Max, seedText(uint64(p.Seed))))
		}
	}
	return out
}

// shortfalls are the errors for what a whole sweep did not meet.
func shortfalls(c artifact.Coverage) []string {
	var out []string
	for _, p := range c.Properties {
		if p.Seen == 0 {
			out = append(out, fmt.Sprintf("faultline: %s %q: %s in %s; the test does not get the system there: run more seeds, longer, or with other faults", KindCoverage, p.Name, unmet(p), plural(int(c.Runs), "seed")))
		}
	}
	return out
}
