package simdisk

import "slices"

// The values of a choice about data. A write that is scattered brings any of its
// sectors, and its size apart from them; what it does not bring reads as before,
// where the file is longer than before as zeros or as stale bytes.
const (
	lostValue  = 0
	keptValue  = 1
	tornValue  = 2 // + the sectors that are there
	scattered  = 1 << 40
	sizeKept   = 1 << 39 // scattered: the file is as long as the write made it
	staleBytes = 1 << 38 // scattered: what is missing at the end reads as stale
	maxRuns    = 30      // bits of the mask of a scattered write
	runMask    = 1<<maxRuns - 1
	maxValue   = 2*scattered - 1
)

// stale is what a block reads as that was given to a file and never written.
const stale = 0xDB

// aftermath is what a crash makes of one file, operation by operation.
//
// The device is given sectors, not calls. A write that is kept carries its
// sectors as the page cache held them at that moment, with what earlier writes
// had put into them; what it does not reach is left to them. A change of size
// that is lost takes all later operations on the file with it, because those
// were made for blocks that the change gave or took. Scattered operations are
// free of that: they are for devices and file systems that promise nothing.
type aftermath struct {
	sector int64
	disk   []byte // the device so far
	cache  []byte // the page cache as it was after the operation
	whole  bool   // no change of size was lost
	kept   []span // what was written, for heal
}

func (d *disk) newAftermath(x *inode) *aftermath {
	return &aftermath{
		sector: int64(d.cfg.SectorSize), whole: true,
		disk: slices.Clone(x.disk), cache: slices.Clone(x.disk),
	}
}

// advance brings the page cache to where it was after op.
func (a *aftermath) advance(x *inode, op *dataOp) {
	if op.resize {
		a.cache = resized(a.cache, op.off)
	} else {
		a.cache = overwrite(a.cache, op.off, x.bytes(op))
	}
}

// sectors returns how many sectors an operation touches.
func (d *disk) sectors(op *dataOp) int64 { return op.sectors(int64(d.cfg.SectorSize)) }

func (op *dataOp) sectors(size int64) int64 {
	if op.resize {
		return 1
	}
	return (op.off+op.n-1)/size - op.off/size + 1
}

// settle does to the device what the value of a choice says about op, and
// returns the fate and how many bytes of a write are there.
func (a *aftermath) settle(op *dataOp, v int64) (fate, int64) {
	if v&scattered != 0 {
		return a.scatter(op, v)
	}
	if !a.whole {
		v = lostValue
	}
	sectors, k := op.sectors(a.sector), v-tornValue
	f, n := keptFate, op.n
	switch {
	case v <= lostValue || v == tornValue: // torn after none of them: a size without content, lost
		a.whole = a.whole && !op.resize
		return lostFate, 0
	case v == keptValue || op.resize || k >= sectors:
	default:
		f, n = tornFate, (op.off/a.sector+k)*a.sector-op.off
	}
	if op.resize {
		a.resize(op.off)
		return f, n
	}
	a.disk = resized(a.disk, max(int64(len(a.disk)), op.off+n))
	a.carry(op.off, op.off+n)
	a.kept = append(a.kept, span{op.off, n})
	return f, n
}

func (a *aftermath) resize(size int64) {
	a.disk = resized(a.disk, size)
	a.kept = append(a.kept, span{size, maxFile})
}

// carry copies the sectors from one offset to another from the page cache, as
// far as the file reaches.
func (a *aftermath) carry(from, to int64) {
	from = from / a.sector * a.sector
	to = min((to+a.sector-1)/a.sector*a.sector, int64(len(a.disk)), int64(len(a.cache)))
	if from < to {
		copy(a.disk[from:to], a.cache[from:to])
	}
}

// scatter is settle for an operation whose sectors and size are apart.
func (a *aftermath) scatter(op *dataOp, v int64) (fate, int64) {
	if op.resize {
		if v&sizeKept == 0 {
			return lostFate, 0
		}
		a.resize(op.off)
		return keptFate, 0
	}
	end := op.off + op.n
	if old := int64(len(a.disk)); v&sizeKept != 0 && old < end {
		a.disk = resized(a.disk, end)
		if v&staleBytes != 0 {
			fill(a.disk[max(old, op.off):end], stale)
		}
	}
	sectors, left := op.sectors(a.sector), int64(0)
	for i := range sectors {
		if v>>runOf(i, sectors)&1 == 0 {
			continue
		}
		from := (op.off/a.sector + i) * a.sector
		a.carry(from, from+a.sector)
		from, to := max(from, op.off), min(from+a.sector, end, int64(len(a.disk)))
		if from < to {
			left += to - from
			a.kept = append(a.kept, span{from, to - from})
		}
	}
	if left == 0 && v&sizeKept == 0 {
		return lostFate, 0
	}
	return scatteredFate, left
}

// runOf returns the bit of sector i in the mask of a scattered write: its own,
// or in a write of more than maxRuns sectors that of a run of them.
func runOf(i, sectors int64) int64 {
	if sectors <= maxRuns {
		return i
	}
	return i * maxRuns / sectors
}

func fill(b []byte, c byte) {
	for i := range b {
		b[i] = c
	}
}
