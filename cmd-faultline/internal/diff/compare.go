package diff

import (
	"iter"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/kernel"
)

// Options say how much is kept around the first difference.
type Options struct {
	Before int // records before it
	After  int // records of each trace from it on, which are lined up
}

// Result says where two traces part.
type Result struct {
	Equal  uint64             // records from the start that are equal
	Until  kernel.Record      // the last of them, without attributes
	Counts [2]uint64          // records of each trace
	Before []kernel.Record    // the last of the equal records
	After  [2][]kernel.Record // of each trace, the records from the first one that differs on
	Fields []string           // what differs in the first pair of records that does; empty if one trace ends there
}

// Same reports whether the traces are equal.
func (r *Result) Same() bool { return r.Counts[0] == r.Equal && r.Counts[1] == r.Equal }

// First returns the first record in which the traces differ, of trace 0 or 1;
// nil if the trace ends before.
func (r *Result) First(i int) *kernel.Record {
	if len(r.After[i]) == 0 {
		return nil
	}
	return &r.After[i][0]
}

// Compare reads two traces to their ends. An error comes from reading one.
func Compare(a, b query.Records, o Options) (*Result, error) {
	o.Before, o.After = max(o.Before, 0), max(o.After, 1)
	res := &Result{}
	nextA, stopA := iter.Pull2(a)
	defer stopA()
	nextB, stopB := iter.Pull2(b)
	defer stopB()
	for {
		ra, errA, okA := nextA()
		rb, errB, okB := nextB()
		switch {
		case okA && errA != nil:
			return nil, errA
		case okB && errB != nil:
			return nil, errB
		}
		if okA && okB && equal(&ra, &rb) {
			res.Equal++
			res.Until = ra
			res.Until.Attrs = nil
			res.before(&ra, o.Before)
			continue
		}
		if okA && okB {
			res.Fields = fields(&ra, &rb)
		}
		res.Counts = [2]uint64{res.Equal, res.Equal}
		if err := res.rest(0, ra, okA, nextA, o.After); err != nil {
			return nil, err
		}
		return res, res.rest(1, rb, okB, nextB, o.After)
	}
}

func (r *Result) before(rec *kernel.Record, n int) {
	if n == 0 {
		return
	}
	if len(r.Before) == n {
		r.Before = slices.Delete(r.Before, 0, 1)
	}
	r.Before = append(r.Before, keep(rec))
}

// rest reads what is left of a trace, from the first record that differs.
func (r *Result) rest(i int, rec kernel.Record, ok bool, next func() (kernel.Record, error, bool), n int) error {
	for err := error(nil); ok; rec, err, ok = next() {
		if err != nil {
			return err
		}
		r.Counts[i]++
		if len(r.After[i]) < n {
			r.After[i] = append(r.After[i], keep(&rec))
		}
	}
	return nil
}

// keep copies a record that is valid until the next one only.
func keep(r *kernel.Record) kernel.Record {
	out := *r
	out.Attrs = slices.Clone(r.Attrs)
	return out
}

func equal(a, b *kernel.Record) bool {
	return a.Time == b.Time && a.Event == b.Event && a.Cause == b.Cause && alike(a, b) && slices.Equal(hashed(a), hashed(b))
}

// hashed returns what the trace hash has of a record's attributes: the text of
// a message need not be the same in another build, its digest is.
func hashed(r *kernel.Record) []kernel.Attr {
	if n := len(r.Attrs); n > 0 && r.Attrs[n-1].Key == "content" && strings.HasPrefix(r.Kind, "net/") {
		return r.Attrs[:n-1]
	}
	return r.Attrs
}

// alike reports whether records are of the same kind, node and incarnation.
func alike(a, b *kernel.Record) bool {
	return a.Node == b.Node && a.Boot == b.Boot && a.Kind == b.Kind
}

// fields names what differs, attributes as attrs.<key>.
func fields(a, b *kernel.Record) []string {
	var out []string
	add := func(name string, differs bool) {
		if differs {
			out = append(out, name)
		}
	}
	add("time", a.Time != b.Time)
	add("event", a.Event != b.Event)
	add("cause", a.Cause != b.Cause)
	add("node", a.Node != b.Node)
	add("boot", a.Boot != b.Boot)
	add("kind", a.Kind != b.Kind)
	for _, at := range hashed(a) {
		other, ok := b.Get(at.Key)
		add("attrs."+at.Key, !ok || other != at)
	}
	for _, at := range hashed(b) {
		_, ok := a.Get(at.Key)
		add("attrs."+at.Key, !ok)
	}
	if len(out) == 0 {
		out = append(out, "attrs") // only their order
	}
	return out
}
