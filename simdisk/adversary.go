package simdisk

import "slices"

// adversaries lists what the profile Adversary can leave, without making each.
type adversaries struct {
	d   *disk
	ops []pendingRef
}

// pendingRef is a pending operation: one on data when x is set, else on names.
type pendingRef struct {
	seq uint64
	x   *inode
	i   int
}

// refs returns all pending operations in their order.
func (d *disk) refs() []pendingRef {
	var list []pendingRef
	for i := range d.names {
		list = append(list, pendingRef{d.names[i].seq, nil, i})
	}
	for _, x := range d.dirty {
		for i := range x.pending {
			list = append(list, pendingRef{x.pending[i].seq, x, i})
		}
	}
	slices.SortFunc(list, func(a, b pendingRef) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	return list
}

func (d *disk) adversaries() adversaries { return adversaries{d, d.refs()} }

// The ways to hurt: some about everything, the others about one operation.
const (
	onlyNames   = iota // all names, no content
	onlySizes          // all names and sizes, no content
	onlyContent        // all content, no names
	globalWays
)

const (
	missing   = iota // all but this one and what builds on it
	alone            // this one and what it builds on
	withNames        // the same, and all names
	headless         // all, of this one all but the first sector
	tailless         // all, of this one the first sector
	opWays
)

func (a adversaries) len() int { return globalWays + opWays*len(a.ops) }

// at returns the i-th: what becomes of every operation.
func (a adversaries) at(i int) verdicts {
	values := verdicts{}
	if i < globalWays {
		for _, r := range a.ops {
			values[r.seq] = a.global(r, i)
		}
		return values
	}
	way, hit := (i-globalWays)%opWays, a.ops[(i-globalWays)/opWays]
	if way == alone || way == withNames {
		a.alone(values, hit, way == withNames)
		return values
	}
	for _, r := range a.ops {
		values[r.seq] = keptValue
	}
	values[hit.seq] = lostValue
	if hit.x == nil || way == missing {
		return values
	}
	if op := &hit.x.pending[hit.i]; a.d.sectors(op) > 1 {
		if values[hit.seq] = tornValue + 1; way == headless {
			values[hit.seq] = scattered | sizeKept | runMask&^1
		}
	}
	return values
}

func (a adversaries) global(r pendingRef, way int) int64 {
	switch {
	case r.x == nil && way != onlyContent, r.x != nil && way == onlyContent:
		return keptValue
	case r.x == nil || way == onlyNames:
		return lostValue
	case r.x.pending[r.i].resize:
		return keptValue
	}
	return scattered | sizeKept
}

// alone keeps one operation and what it builds on.
func (a adversaries) alone(values verdicts, hit pendingRef, names bool) {
	values[hit.seq] = keptValue
	if hit.x != nil {
		for _, op := range hit.x.pending[:hit.i] {
			if op.resize {
				values[op.seq] = keptValue
			}
		}
	}
	need := newBuilds()
	for i := len(a.d.names) - 1; i >= 0; i-- {
		op := &a.d.names[i]
		own := newBuilds()
		own.changes(op)
		if names || op.seq == hit.seq || op.seq < hit.seq && need.meets(own) {
			values[op.seq] = keptValue
			need.needs(op)
		}
	}
}
