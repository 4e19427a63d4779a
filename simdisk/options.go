package simdisk

import (
	"maps"
	"slices"
)

// options lists the values that a profile may give to an operation on data,
// the one that loses it first.
func (e *enumeration) options(s *fileState, op *dataOp, o openness, sectors int64) []int64 {
	switch e.profile {
	case Ordered:
		return e.orderedOptions(s, op, o, sectors)
	case Posix:
		return e.posixOptions(s, op, sectors)
	}
	out := []int64{lostValue}
	if !s.whole {
		return out
	}
	out = append(out, keptValue)
	if e.profile == Torn {
		out = append(out, e.tears(sectors)...)
	}
	return out
}

// tears lists the ways to tear a write.
func (e *enumeration) tears(sectors int64) []int64 {
	var out []int64
	for k := int64(1); k < sectors; k++ {
		if sectors > 64 && k > 8 && k < sectors-8 {
			e.all = false
			continue
		}
		out = append(out, tornValue+k)
	}
	return out
}

func (e *enumeration) posixOptions(s *fileState, op *dataOp, sectors int64) []int64 {
	out := []int64{lostValue}
	if s.whole {
		out = append(out, keptValue)
	}
	if op.resize {
		if !s.whole {
			out = append(out, scattered|sizeKept)
		}
		return out
	}
	if s.whole {
		out = append(out, e.tears(sectors)...)
	}
	grows := op.off+op.n > int64(len(s.disk))
	for _, mask := range e.masks(sectors) {
		if mask != 0 {
			out = append(out, scattered|mask)
		}
		if grows {
			out = append(out, scattered|sizeKept|mask, scattered|sizeKept|staleBytes|mask)
		}
	}
	return out
}

func (e *enumeration) orderedOptions(s *fileState, op *dataOp, o openness, sectors int64) []int64 {
	switch {
	case !s.whole:
		return []int64{lostValue}
	case op.resize && s.intact:
		return []int64{lostValue, keptValue}
	case op.resize:
		return []int64{lostValue}
	}
	var out []int64
	for _, mask := range e.masks(sectors) {
		out = append(out, o.value(op, sectors, mask, false, s.intact))
		if o.sizes && s.intact {
			out = append(out, o.value(op, sectors, mask, true, true))
		}
	}
	slices.Sort(out) // lost first
	return slices.Compact(out)
}

// masks lists the sets of sectors of a write, or the plainest of them: none,
// all, those up to one, those from one on, all but one.
func (e *enumeration) masks(sectors int64) []int64 {
	bits := min(sectors, maxRuns)
	full := int64(1)<<bits - 1
	var out []int64
	if bits <= 6 {
		for m := range full + 1 {
			out = append(out, m)
		}
		return out
	}
	e.all = false
	for i := range bits + 1 {
		low := int64(1)<<i - 1
		out = append(out, low, full&^low)
		if i < bits {
			out = append(out, full&^(1<<i), 1<<i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (b builds) clone() builds { return builds{maps.Clone(b.slots), maps.Clone(b.dirs)} }
