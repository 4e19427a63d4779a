package simdisk

// openness is what the profile Ordered leaves open about an operation on data.
type openness struct {
	sizes bool  // it changes the size, so it comes after those that do and are before it
	free  int64 // the sectors at its start that were in the file: each may be there or not
}

// orderedOps says that for each pending operation of a file.
func (d *disk) orderedOps(x *inode) []openness {
	list := make([]openness, len(x.pending))
	size, s := int64(len(x.disk)), int64(d.cfg.SectorSize)
	for i := range x.pending {
		op := &x.pending[i]
		o := &list[i]
		switch {
		case op.resize:
			o.sizes = true
			size = op.off
		case op.off+op.n > size:
			o.sizes = true
			o.free = max(size/s-op.off/s, 0)
			size = op.off + op.n
		default:
			o.free = d.sectors(op)
		}
	}
	return list
}

// value returns the choice that brings of a write the sectors in mask, and the
// size with all that it adds to the file, or not. intact says that all earlier
// changes of size are there.
func (o openness) value(op *dataOp, sectors, mask int64, sized, intact bool) int64 {
	switch {
	case op.resize && sized:
		return keptValue
	case op.resize:
		return lostValue
	}
	full := int64(1)<<min(sectors, maxRuns) - 1
	mask &= full
	v := int64(scattered)
	if o.sizes && sized {
		for i := o.free; i < sectors; i++ {
			mask |= 1 << runOf(i, sectors)
		}
		v |= sizeKept
	}
	switch {
	case mask == full && intact && (sized || !o.sizes):
		return keptValue
	case mask == 0 && v&sizeKept == 0:
		return lostValue
	}
	return v | mask
}

// drawOrdered draws what crash n leaves.
func (d *disk) drawOrdered(n uint64) verdicts {
	values := verdicts{}
	for i := range d.crash.Derive("cut").Below(n, uint64(len(d.names))+1) {
		values[d.names[i].seq] = keptValue
	}
	for _, x := range d.dirty {
		d.drawOrderedFile(n, x, values)
	}
	return values
}

func (d *disk) drawOrderedFile(n uint64, x *inode, values verdicts) {
	s := x.id.at(d.sim).Stream().Derive("ordered")
	ops := d.orderedOps(x)
	sizes := uint64(0)
	for _, o := range ops {
		if o.sizes {
			sizes++
		}
	}
	left := s.Below(n, sizes+1)
	intact := true
	for i, o := range ops {
		op := &x.pending[i]
		sized := o.sizes && left > 0
		if sized {
			left--
		}
		if o.sizes && !sized {
			intact = false
			if op.resize {
				return
			}
		}
		mask := int64(s.Derive("mask").At(op.num) & runMask)
		switch s.Derive("way").Below(op.num, 4) {
		case 0:
			mask = 0
		case 1:
			mask = runMask
		}
		values[op.seq] = o.value(op, d.sectors(op), mask, sized, intact)
	}
}
