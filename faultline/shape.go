package faultline

import (
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// shape is what all entries of a schedule share: how long the run is, what
// clients do beside what is listed, and whether messages have a jitter.
type shape struct {
	quiet, duration time.Duration
	load            load
	calm            bool
	late            bool // the quiet phase was put after the failure
}

func shapeOf(s *fault.Schedule) *shape {
	h := &shape{quiet: s.Quiet, duration: s.Duration, load: loadOf(s)}
	for _, c := range s.Choices {
		h.calm = h.calm || c.Point == pointJitter
	}
	return h
}

// isShape reports whether a choice is part of the shape.
func isShape(c kernel.Choice) bool { return c.Point == pointClients || c.Point == pointJitter }

// choices are the shape as choices of a schedule.
func (h *shape) choices() []kernel.Choice {
	var out []kernel.Choice
	if h.load != loadFree {
		out = append(out, kernel.Choice{Point: pointClients, Value: int64(h.load)})
	}
	if h.calm {
		out = append(out, kernel.Choice{Point: pointJitter, Value: 1})
	}
	return out
}

// faultsEnd is the time from which on there are no faults.
func (h *shape) faultsEnd() time.Duration {
	if h.quiet > 0 {
		return h.quiet
	}
	return h.duration
}

// reaches reports whether a choice can come up: those after the end of the run
// cannot, and clients that go on by themselves in the quiet phase need no list
// there.
func (h *shape) reaches(c kernel.Choice) bool {
	at := time.Duration(c.Time)
	if _, is := isOperation(c); is && h.load == loadLater && h.quiet > 0 {
		return at < h.quiet
	}
	return at <= h.duration
}

// weaker returns the shape of simpler runs that can fail as f did: without the
// operations that nobody has listed, with the fault phase up to the failure
// and no further, shorter, and without jitter. The quiet phase keeps its
// length: a shorter run is one that the test's options could have asked for.
func (h *shape) weaker(f *kernel.Failure) []entry {
	var out []entry
	vary := func(change func(h *shape)) {
		v := *h
		if change(&v); v != *h {
			out = append(out, entry{shape: &v})
		}
	}
	inRun, failed := inRun(f), justAfter(f)
	if h.load == loadOpen {
		vary(func(h *shape) {
			if h.load = loadClosed; f.Kind == KindLiveness {
				h.load = loadLater
			}
		})
	}
	if inRun && h.quiet > 0 && failed > h.quiet && !h.late {
		vary(func(h *shape) { h.late = true; h.resize(failed) })
	}
	if inRun && failed < h.faultsEnd() {
		vary(func(h *shape) { h.resize(failed) })
	}
	for _, eighths := range []time.Duration{1, 2, 4, 6, 7} {
		if to := (h.faultsEnd() * eighths / 8).Truncate(10 * time.Millisecond); to >= 10*time.Millisecond && to < h.faultsEnd()-10*time.Millisecond {
			vary(func(h *shape) { h.resize(to) })
		}
	}
	if !h.calm {
		vary(func(h *shape) { h.calm = true })
	}
	return out
}

// inRun reports whether a failure ends the run where it is met.
func inRun(f *kernel.Failure) bool { return f.Kind != KindFinal && f.Kind != KindLiveness }

// justAfter is how long a run must be for a failure to be in it.
func justAfter(f *kernel.Failure) time.Duration {
	return time.Duration(f.Time).Truncate(time.Millisecond) + 2*time.Millisecond
}

// resize moves the end of the fault phase.
func (h *shape) resize(to time.Duration) {
	if h.quiet > 0 {
		h.duration += to - h.quiet
		h.quiet = to
		return
	}
	h.duration = to
}
