package query

import (
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// Filter says which records are wanted: those that fit all of it. The zero
// value is every record.
type Filter struct {
	Nodes  []string        // patterns of node names, see [Wild]; empty: all
	World  bool            // with Nodes: records of no node too
	Kinds  []string        // patterns of kinds; empty: all
	From   time.Duration   // virtual time of the first one
	To     time.Duration   // virtual time of the last one; negative: to the end
	Events map[uint64]bool // numbers of events; nil: all
	Text   string          // what the record's words contain; empty: anything
}

// Fits reports whether the record is wanted.
func (f *Filter) Fits(r *kernel.Record) bool {
	switch {
	case len(f.Nodes) > 0 && !anyWild(f.Nodes, r.Node) && !(f.World && r.Node == ""):
		return false
	case len(f.Kinds) > 0 && !anyWild(f.Kinds, r.Kind):
		return false
	case r.Time < kernel.Time(f.From), f.To >= 0 && r.Time > kernel.Time(f.To):
		return false
	case f.Events != nil && !f.Events[r.Event]:
		return false
	}
	return f.Text == "" || strings.Contains(r.Kind+" "+timeline.Describe(r), f.Text)
}
