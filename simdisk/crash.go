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
)

var fateNames = [...]string{"lost", "kept", "torn"}

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
			drawn = min(j.draw(d, op.id, op.num, op.seq, 1), 1)
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
		e.Sym(d.syms.outcome, d.syms.fates[f]).Done()
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
	case tornFate:
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
		x.parent, x.name, x.linked, x.opens = dir, name, true, 0
		if x.isDir() {
			d.reload(j, x, at+name+"/")
			continue
		}
		if len(x.pending) > 0 {
			d.judgeData(j, x, at+name)
		}
		x.data = append(x.data[:0], x.disk...)
		d.used += int64(len(x.data))
	}
}

// judgeData decides the pending operations of a file.
//
// The device is given sectors, not calls. A write that is kept carries its
// sectors as the page cache held them at that moment, with what earlier
// writes had put into them; what it does not reach is left to them. A change
// of size that is lost takes all later operations on the file with it, because
// those were made for blocks that the change gave or took.
func (d *disk) judgeData(j *judge, x *inode, path string) {
	shadow := slices.Clone(x.disk) // the page cache as it was at each operation
	legal := true
	for i := range x.pending {
		op := &x.pending[i]
		sectors := d.sectors(op)
		drawn := int64(0)
		if legal {
			drawn = j.draw(d, x.id, op.num, op.seq, sectors)
		}
		v := x.id.at(d.sim).SettleWithin(op.num, drawn, maxDataFate)
		if !legal {
			v = 0
		}
		if op.resize {
			shadow = resized(shadow, op.off)
		} else {
			shadow = overwrite(shadow, op.off, x.bytes(op))
		}
		f, n := d.verdict(op, v, sectors)
		switch {
		case f == lostFate:
			legal = legal && !op.resize
		case op.resize:
			x.disk = resized(x.disk, op.off)
			x.cutOff(op.off)
		default:
			x.disk = d.carry(x.disk, shadow, op.off, n)
			x.heal(span{op.off, n})
		}
		d.recordFate(op, path, f, n)
	}
	x.pending, x.payload = x.pending[:0], x.payload[:0]
}

// maxDataFate bounds the choices on data: 2 and the most sectors of a write that
// a device takes. The sectors of one operation may be fewer when the code has
// changed since a choice was recorded; it is kept whole then.
const maxDataFate = 2 + 1<<32

// sectors returns how many sectors an operation touches.
func (d *disk) sectors(op *dataOp) int64 {
	if op.resize {
		return 1
	}
	s := int64(d.cfg.SectorSize)
	return (op.off+op.n-1)/s - op.off/s + 1
}

// verdict reads a choice: the fate, and how many bytes of a write are there.
func (d *disk) verdict(op *dataOp, v, sectors int64) (fate, int64) {
	k := v - 2
	switch {
	case v <= 0 || v == 2: // 2 is kept free for a size without content
		return lostFate, 0
	case v == 1 || op.resize || k >= sectors:
		return keptFate, op.n
	}
	s := int64(d.cfg.SectorSize)
	return tornFate, (op.off/s+k)*s - op.off
}

// carry copies to the device the sectors of n bytes at off from the page
// cache. The file there then reaches at least to the end of those bytes.
func (d *disk) carry(disk, cache []byte, off, n int64) []byte {
	size := max(int64(len(disk)), off+n)
	disk = resized(disk, size)
	s := int64(d.cfg.SectorSize)
	from, to := off/s*s, min((off+n+s-1)/s*s, size, int64(len(cache)))
	copy(disk[from:to], cache[from:to])
	return disk
}

func (d *disk) recordFate(op *dataOp, path string, f fate, n int64) {
	d.tally(f)
	y := d.syms
	if op.resize {
		d.sim.Emit(y.fate).On(d.node).Str(y.op, "resize").Str(y.file, path).Int(y.size, op.off).
			Sym(y.outcome, y.fates[f]).Done()
		return
	}
	e := d.sim.Emit(y.fate).On(d.node).Str(y.op, "write").Str(y.file, path).Int(y.off, op.off).Int(y.n, op.n).
		Sym(y.outcome, y.fates[f])
	if f == tornFate {
		e = e.Int(y.left, n)
	}
	e.Done()
}
