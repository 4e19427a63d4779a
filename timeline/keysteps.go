package timeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// keySteps collects the records of a run that say most about a failure.
type keySteps struct {
	said   sayings
	matter map[string]bool // nodes that it has to do with
	within span            // what is looked at
	list   []keyStep
	taken  map[uint64]bool // records in list, by index
}

type keyStep struct {
	record kernel.Record
	weight int
}

// add takes a record of the trace, if it says much.
func (k *keySteps) add(r *kernel.Record) {
	if weight(r) >= tellsMuch && !isFault(r) {
		k.take(r)
	}
}

func (k *keySteps) take(r *kernel.Record) {
	if k.taken[r.Index] || r.Event == 0 || !k.within.has(r.Event) {
		return
	}
	k.taken[r.Index] = true
	keep := *r
	keep.Attrs = slices.Clone(r.Attrs)
	k.list = append(k.list, keyStep{keep, k.weight(r)})
	if len(k.list) >= 100*maxKeySteps {
		k.prune()
	}
}

// weight says how much a record tells about this failure: more if it is of a
// node that matters, and if the failure's message has words of it.
func (k *keySteps) weight(r *kernel.Record) int {
	n := 2 * weight(r)
	if k.matter[r.Node] {
		n += 4
	}
	if k.said.of(r) {
		n += 4
	}
	return n
}

// prune keeps those that weigh most, the later ones of equals.
func (k *keySteps) prune() {
	slices.SortFunc(k.list, func(a, b keyStep) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.record.Index, a.record.Index))
	})
	k.list = k.list[:min(len(k.list), maxKeySteps)]
	clear(k.taken)
	for i := range k.list {
		k.taken[k.list[i].record.Index] = true
	}
}

// best returns those that say most, also of a causal slice, in order of time.
// The failing event is told elsewhere.
func (k *keySteps) best(c *Causes, failing uint64) []kernel.Record {
	for i := range c.Steps {
		if r := keyRecord(&c.Steps[i]); r != nil {
			k.take(r)
		}
	}
	k.list = slices.DeleteFunc(k.list, func(s keyStep) bool { return s.record.Event == failing })
	k.prune()
	var out []kernel.Record
	for i := range k.list {
		out = append(out, k.list[i].record)
	}
	slices.SortFunc(out, func(a, b kernel.Record) int { return cmp.Compare(a.Index, b.Index) })
	return out
}

// keyRecord returns the record of an event that says most, or nil. Faults are
// told in a line of their own.
func keyRecord(s *Step) *kernel.Record {
	var best *kernel.Record
	for i := range s.Records {
		if r := &s.Records[i]; weight(r) > 0 && !isFault(r) && (best == nil || weight(r) > weight(best)) {
			best = r
		}
	}
	return best
}

// tellsMuch is the weight from which on a record is told without being in the
// causal slice.
const tellsMuch = 4

func isFault(r *kernel.Record) bool { return strings.HasPrefix(r.Kind, "fault/") }

// weight says how much a record tells.
func weight(r *kernel.Record) int {
	module, _, ok := strings.Cut(r.Kind, "/")
	switch {
	case routine(r.Kind), r.Kind == "fail", r.Kind == "fault/skip":
		return 0
	case r.Kind == "fault/end", r.Kind == "fault/quiet":
		return 2
	case module == "fault":
		return 6
	case r.Kind == "node/boot" && r.Boot <= 1:
		return 1
	case module == "node", r.Kind == "point":
		return 4
	case !ok: // the user's own
		return 5
	case module == "clock", r.Kind == "net/drop", r.Kind == "disk/crash", endsBadly(r.Kind):
		return 3
	case r.Kind == "net/deliver", module == "disk", module == "op", module == "stream":
		return 2
	}
	return 1
}
