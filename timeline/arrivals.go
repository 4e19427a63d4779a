package timeline

import (
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxLate = 4  // late arrivals that a slice is about
	maxHops = 12 // events between an arrival and what a proc makes of it
)

// oddArrivals returns the events up to one in which a message arrived that had
// been held up, or a copy of one that had been repeated: what such a message
// finds has moved on since it was sent. If there are more than four, as in a
// run that was not shrunk, they are the last four of those that were sent for
// the operations.
func oddArrivals(a *artifact.Artifact, operations []int, to uint64) ([]uint64, error) {
	asked := askedIn(a, operations)
	held := map[string]bool{} // messages that are held up, by their ends and number
	var odd, ofOperations []uint64
	for r, err := range a.Records() {
		switch {
		case err != nil:
			return nil, err
		case r.Event > to:
			return either(odd, ofOperations), nil
		case r.Kind == "net/delay":
			held[passage(&r)] = true
		case r.Kind == "net/deliver":
			name := arrived(&r)
			if !held[name] && get(&r, "copy") == "" {
				continue
			}
			delete(held, name)
			if len(odd) <= maxLate {
				odd = append(odd, r.Event)
			}
			if asked[r.Cause] {
				ofOperations = append(ofOperations, r.Event)
			}
		}
	}
	return either(odd, ofOperations), nil
}

// either returns all odd arrivals if they are few, and otherwise the last of
// those of the operations.
func either(odd, ofOperations []uint64) []uint64 {
	if len(odd) <= maxLate {
		return odd
	}
	return ofOperations[max(len(ofOperations)-maxLate, 0):]
}

// askedIn returns the events in which clients sent something for operations.
func askedIn(a *artifact.Artifact, operations []int) map[uint64]bool {
	out := map[uint64]bool{}
	for i := range a.Operations {
		if op := &a.Operations[i]; slices.Contains(operations, op.ID) {
			out[op.Invoke.Event] = true
			for _, try := range op.Attempts {
				out[try.Start.Event] = true
			}
		}
	}
	return out
}

// arrived names the message of a delivery as passage does that of a send.
func arrived(r *kernel.Record) string {
	return message(r) + " " + get(r, "from") + "→" + r.Node
}

// withArrival returns an event and those between it and the arrival that it
// follows from, which is the last of them: what a program does with a message
// it often does in events of its own, when a sync is done. An event that a timer
// began, and one that is far from an arrival, is alone.
func (w *window) withArrival(i int) []int {
	out := []int{i}
	for len(out) <= maxHops {
		last := out[len(out)-1]
		if w.events[last].arrival {
			return out
		}
		j, ok := w.scheduler(last)
		if w.events[last].timer || !ok {
			break
		}
		out = append(out, j)
	}
	return out[:1]
}
