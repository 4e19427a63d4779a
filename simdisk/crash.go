package simdisk

import (
	"maps"
	"slices"
)

// fate is what became of a pending operation.
type fate uint8

const (
	lostFate fate = iota
	keptFate
	tornFate
	scatteredFate
	fates
)

var fateNames = [fates]string{"lost", "kept", "torn", "scattered"}

// powerLoss decides what is left of the pending operations and makes that the
// state of the volume, in the page cache and on the device alike.
//
// A sync in flight adds nothing to it: what it was about to write is pending,
// and may be there or not.
func (d *disk) powerLoss() {
	was := d.stats
	j := d.newJudge()
	d.stats.Crashes++
	d.judgeNames(&j)
	clear(d.dirty)
	d.dirty = d.dirty[:0]
	d.used = 0
	d.reload(&j, d.root, "")
	d.remount()
	y := d.syms
	d.sim.Emit(y.crash).On(d.node).
		Uint(y.kept, d.stats.Kept-was.Kept).
		Uint(y.lost, d.stats.Lost-was.Lost).
		Uint(y.torn, d.stats.Torn-was.Torn).
		Int(y.bytes, d.used).Done()
}

// pendingOrder returns the places of all pending operations, in order.
func (d *disk) pendingOrder() []uint64 {
	var order []uint64
	for i := range d.names {
		order = append(order, d.names[i].seq)
	}
	for _, x := range d.dirty {
		for i := range x.pending {
			order = append(order, x.pending[i].seq)
		}
	}
	slices.Sort(order)
	return order
}

// judgeNames decides the pending directory operations. One that builds on a
// lost one is lost too, whatever is drawn or given.
func (d *disk) judgeNames(j *judge) {
	lost := newBuilds()
	for i := range d.names {
		op := &d.names[i]
		legal := !lost.blocks(op)
		drawn := int64(0)
		if legal {
			drawn = min(j.draw(d, op.id, op.num, op.seq, 0, true), 1)
		}
		f := lostFate
		if op.id.at(d.sim).SettleWithin(op.num, drawn, 1) != 0 && legal {
			f = keptFate
			op.apply()
		} else {
			lost.changes(op)
		}
		d.tally(f)
		e := d.sim.Emit(d.syms.fate).On(d.node).Str(d.syms.op, nameKindWords[op.kind])
		if op.kind == renameName {
			e = e.Str(d.syms.file, d.slotPath(op.from)).Str(d.syms.to, d.slotPath(op.at))
		} else {
			e = e.Str(d.syms.file, d.slotPath(op.at))
		}
		e.Sym(d.syms.outcome, d.fateSym(f)).Done()
	}
	clear(d.names)
	d.names = d.names[:0]
}

// slotPath returns the path of a slot, for the trace.
func (d *disk) slotPath(s slot) string {
	if s.dir == d.root {
		return s.name
	}
	return s.dir.path() + "/" + s.name
}

func (d *disk) tally(f fate) {
	switch f {
	case keptFate:
		d.stats.Kept++
	case tornFate, scatteredFate:
		d.stats.Torn++
	default:
		d.stats.Lost++
	}
}

// reload makes the page cache show what is on the device, below a directory
// whose entries have been decided.
func (d *disk) reload(j *judge, dir *inode, at string) {
	dir.cur = maps.Clone(dir.dur)
	for _, name := range sortedNames(dir.dur) {
		x := dir.dur[name]
		first := x.found(d.cycle, slot{dir, name})
		if x.isDir() {
			d.reload(j, x, at+name+"/")
			continue
		}
		if !first {
			continue
		}
		if len(x.pending) > 0 {
			d.judgeData(j, x, at+name)
		}
		x.own()
		x.data = append(x.data[:0], x.disk...)
		d.used += int64(len(x.data))
	}
}

// judgeData decides the pending operations of a file.
func (d *disk) judgeData(j *judge, x *inode, path string) {
	x.own()
	a := d.newAftermath(x)
	for i := range x.pending {
		op := &x.pending[i]
		drawn := j.draw(d, x.id, op.num, op.seq, d.sectors(op), a.whole)
		v := x.id.at(d.sim).SettleWithin(op.num, drawn, maxValue)
		if len(d.strays) > 0 && d.strays[op.seq] != nil && v != lostValue {
			v = scattered | sizeKept // the device has not written it
		}
		a.advance(x, op)
		f, n := a.settle(op, v)
		d.recordFate(op, path, f, n)
	}
	x.disk = a.disk
	for _, s := range a.kept {
		x.heal(s)
	}
	x.pending, x.payload = x.pending[:0], x.payload[:0]
}

func (d *disk) recordFate(op *dataOp, path string, f fate, n int64) {
	d.tally(f)
	y := d.syms
	if op.resize {
		d.sim.Emit(y.fate).On(d.node).Str(y.op, "resize").Str(y.file, path).Int(y.size, op.off).
			Sym(y.outcome, d.fateSym(f)).Done()
		return
	}
	e := d.sim.Emit(y.fate).On(d.node).Str(y.op, "write").Str(y.file, path).Int(y.off, op.off).Int(y.n, op.n).
		Sym(y.outcome, d.fateSym(f))
	if f == tornFate || f == scatteredFate {
		e = e.Int(y.left, n)
	}
	e.Done()
}
