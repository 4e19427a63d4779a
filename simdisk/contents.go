package simdisk

import (
	"cmp"
	"maps"
	"slices"
)

// fileState is a file after some of its operations.
type fileState struct {
	aftermath
	values verdicts
	intact bool // no change of size was lost, see Ordered
	every  bool // all were kept
}

// contents lists the different contents that a file may have, as values for its
// operations: first the one that loses all, then the one that keeps all.
func (e *enumeration) contents(x *inode) []verdicts {
	d := e.base
	first := d.newAftermath(x)
	cache := first.cache
	states := []*fileState{{aftermath: *first, values: verdicts{}, intact: true, every: true}}
	open := d.orderedOps(x)
	for i := range x.pending {
		op := &x.pending[i]
		first.advance(x, op)
		cache = first.cache
		var next []*fileState
		seen := map[string]bool{}
		for _, s := range states {
			options := e.options(s, op, open[i], d.sectors(op))
			if len(states)*len(options) > 4*e.limit {
				return e.sampled(x, open)
			}
			for _, v := range options {
				n := s.after(op, v, cache, open[i])
				if key := n.key(); !seen[key] || n.every {
					seen[key] = true
					next = append(next, n)
				}
			}
		}
		states = next
	}
	slices.SortStableFunc(states, func(a, b *fileState) int { return cmp.Compare(a.rank(), b.rank()) })
	out := make([]verdicts, 0, len(states))
	seen := map[string]bool{}
	for _, s := range states {
		if key := string(s.disk); !seen[key] {
			seen[key] = true
			out = append(out, s.values)
		}
	}
	return out
}

// rank puts the state that loses all first and the one that keeps all second.
func (s *fileState) rank() int {
	switch {
	case len(s.values) == 0:
		return 0
	case s.every:
		return 1
	}
	return 2
}

func (s *fileState) key() string {
	flags := "00"
	if s.whole {
		flags = "1" + flags[1:]
	}
	if s.intact {
		flags = flags[:1] + "1"
	}
	return flags + string(s.disk)
}

// after returns the state with one more operation decided.
func (s *fileState) after(op *dataOp, v int64, cache []byte, o openness) *fileState {
	n := *s
	n.disk, n.cache, n.kept = slices.Clone(s.disk), cache, nil
	n.values = maps.Clone(s.values)
	n.decide(op, v, o)
	return &n
}

// decide gives an operation a value.
func (s *fileState) decide(op *dataOp, v int64, o openness) {
	if v != lostValue {
		s.values[op.seq] = v
	}
	s.every = s.every && v == keptValue
	sized := v == keptValue || v&scattered != 0 && v&sizeKept != 0
	s.intact = s.intact && (sized || !o.sizes)
	s.settle(op, v)
}

// sampled is contents where there are too many to go through: each operation
// missing, present, and the last one, and others drawn.
func (e *enumeration) sampled(x *inode, open []openness) []verdicts {
	e.all = false
	var out []verdicts
	seen := map[string]bool{}
	add := func(choose func(i int, options []int64) int64) {
		s := e.walk(x, open, choose)
		h := hasher{}
		h.str(string(s.disk))
		if key := h.text(); !seen[key] {
			seen[key] = true
			out = append(out, s.values)
		}
	}
	keep := func(in func(i int) bool) {
		add(func(i int, _ []int64) int64 {
			if in(i) {
				return keptValue
			}
			return lostValue
		})
	}
	keep(func(int) bool { return false })
	keep(func(int) bool { return true })
	n := len(x.pending)
	for k := 0; k < n; k += max(1, 6*n/e.limit) {
		keep(func(i int) bool { return i < k })
		keep(func(i int) bool { return i != n-1-k })
		keep(func(i int) bool { return i == n-1-k })
	}
	for k := uint64(0); len(out) < e.limit && k < 2*uint64(e.limit); k++ {
		share := uint32(125_000 * (1 + e.stream.Derive("share").Below(k, 7)))
		add(func(i int, options []int64) int64 {
			at := k<<20 + uint64(i)
			if e.stream.Derive("keep").PPM(at, share) {
				return keptValue
			}
			return options[e.stream.Derive("option").Below(at, uint64(len(options)))]
		})
	}
	return out[:min(len(out), max(e.limit, 2))]
}

// walk decides the operations of a file one by one; what is not among the options
// is lost.
func (e *enumeration) walk(x *inode, open []openness, choose func(i int, options []int64) int64) *fileState {
	s := &fileState{aftermath: *e.base.newAftermath(x), values: verdicts{}, intact: true, every: true}
	for i := range x.pending {
		op := &x.pending[i]
		options := e.options(s, op, open[i], e.base.sectors(op))
		v := choose(i, options)
		if !slices.Contains(options, v) {
			v = lostValue
		}
		s.advance(x, op)
		s.decide(op, v, open[i])
	}
	return s
}
