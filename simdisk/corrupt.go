package simdisk

import (
	"fmt"
	"io/fs"
	"math"
)

// DamageKind is what happens to bytes at rest.
type DamageKind uint8

const (
	// FlipBits flips bits of a region.
	FlipBits DamageKind = 1 + iota
	// ZeroSector makes a sector of a region read as zeros.
	ZeroSector
	// DeadSector makes reads of a sector of a region fail with syscall.EIO, until
	// it is written.
	DeadSector
	// CutTail ends the file somewhere in a region. Undo does not bring it back.
	CutTail
	// StaleSector makes a sector of a region read as it was before it was last
	// written, see [Volume.KeepOld].
	StaleSector
)

var damageNames = [...]string{"flip", "zero", "dead", "cut", "stale"}

// String returns the kind in words, such as "flip".
func (k DamageKind) String() string {
	if k < FlipBits || k > StaleSector {
		return fmt.Sprintf("DamageKind(%d)", uint8(k))
	}
	return damageNames[k-1]
}

// Damage says what happens to which bytes at rest.
type Damage struct {
	Kind DamageKind // what happens; there is no default
	File string     // its path
	Off  int64      // start of the region
	Len  int64      // length of the region; 0 means up to the end of the file
	Bits int        // of FlipBits: how many, 1 to 1024
	// Sticky damage, of FlipBits, is there again after the bytes were written.
	Sticky bool
}

// Corrupt is [Volume.Damage] with FlipBits: it flips bits in the n bytes at off.
func (v *Volume) Corrupt(name string, off, n int64, bits int) (*Effect, error) {
	return v.Damage(Damage{Kind: FlipBits, File: name, Off: off, Len: n, Bits: bits})
}

// Damage harms a file's bytes at rest. Where in the region is a choice at
// disk/<node>/corrupt: of FlipBits one for each bit, its value 1 + the place of
// the bit; of a sector 1 + its number in the region; of CutTail 1 + the offset
// in it; of StaleSector 1 + its number among those that have been overwritten. What
// is dirty in the page cache hides the damage, and writing the bytes
// again mends it, unless it is sticky. The pristine bytes are remembered: Undo
// brings back what is still damaged. Met counts the reads that saw damage. Where
// the region is empty on the device nothing happens. The error names a missing
// file or a wrong value.
func (v *Volume) Damage(dm Damage) (*Effect, error) {
	d := v.d
	_, x, err := d.find(dm.File)
	if err == nil && x.isDir() {
		err = errIsDir
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("simdisk: cannot corrupt %w", &fs.PathError{Op: "open", Path: dm.File, Err: err})
	case dm.Kind < FlipBits || dm.Kind > StaleSector:
		return nil, fmt.Errorf("simdisk: Damage.Kind is %d; use FlipBits, ZeroSector, DeadSector, CutTail or StaleSector", dm.Kind)
	case dm.Off < 0 || dm.Len < 0:
		return nil, fmt.Errorf("simdisk: Corrupt region of %q is %d bytes at %d; neither must be negative", dm.File, dm.Len, dm.Off)
	case dm.Kind == FlipBits && (dm.Bits < 1 || dm.Bits > 1024):
		return nil, fmt.Errorf("simdisk: Corrupt flips %d bits of %q; use 1 to 1024", dm.Bits, dm.File)
	}
	e := d.add(&Effect{kind: rotEffect})
	if dm.Len == 0 {
		dm.Len = math.MaxInt64 - dm.Off
	}
	dm.Len = max(min(dm.Len, int64(len(x.disk))-dm.Off), 0)
	switch s := int64(d.cfg.SectorSize); dm.Kind {
	case FlipBits:
		for range dm.Bits {
			if bit := d.place(dm.Len * 8); bit >= 0 {
				d.flip(x, dm, dm.Off+bit/8, bit%8, e)
			}
		}
	case StaleSector:
		d.stale(x, dm, e)
	case CutTail:
		if at := d.place(dm.Len); at >= 0 {
			d.cutTail(x, dm.Off+at)
			e.met++
		}
	default:
		first := dm.Off / s
		if n := d.place((dm.Off+dm.Len+s-1)/s - first); n >= 0 && dm.Len > 0 {
			d.spoil(x, dm, (first+n)*s, e)
		}
	}
	return e, nil
}

// place chooses one of n places, or -1 when there is none.
func (d *disk) place(n int64) int64 {
	d.rots++
	drawn := int64(0)
	if n > 0 {
		drawn = 1 + d.rotting.Stream().Between(d.rots, 0, n-1)
	}
	at := d.rotting.SettleWithin(d.rots, drawn, math.MaxInt64) - 1
	if at >= n {
		return -1
	}
	return at
}

func (d *disk) flip(x *inode, dm Damage, at, bit int64, e *Effect) {
	x.flip(at, 1<<bit, dm.Sticky, e)
	y := d.syms
	d.sim.Emit(y.corrupt).On(d.node).Str(y.file, dm.File).Int(y.off, at).Int(y.bit, bit).Done()
}

// spoil damages the sector at an offset.
func (d *disk) spoil(x *inode, dm Damage, at int64, e *Effect) {
	end := min(at+int64(d.cfg.SectorSize), int64(len(x.disk)))
	y := d.syms
	d.sim.Emit(y.corrupt).On(d.node).Str(y.file, dm.File).Int(y.off, at).Int(y.n, end-at).Str(y.what, dm.Kind.String()).Done()
	x.heal(span{at, end - at})
	for ; at < end; at++ {
		mask := x.disk[at]
		if dm.Kind == StaleSector {
			mask = x.aged(at, int64(d.cfg.SectorSize))
		}
		if dm.Kind == DeadSector {
			x.rot = append(x.rot, rot{off: at, dead: true, by: e})
		} else if mask != 0 {
			x.rot = append(x.rot, rot{off: at, mask: mask, by: e})
		}
	}
}

// cutTail ends the file on the device, and in the page cache if that is clean.
func (d *disk) cutTail(x *inode, size int64) {
	lost := span{size, int64(len(x.disk)) - size}
	x.own()
	x.disk = x.disk[:size]
	if len(x.pending) == 0 {
		d.used -= max(int64(len(x.data))-size, 0)
		x.data = x.data[:min(size, int64(len(x.data)))]
	}
	x.cutOff(size)
	x.cuts = union(x.cuts, lost)
	y := d.syms
	d.sim.Emit(y.corrupt).On(d.node).Str(y.file, x.path()).Int(y.off, size).Str(y.what, CutTail.String()).Done()
}

// flip damages one bit. Damage to the same byte is kept for each effect apart.
func (x *inode) flip(at int64, mask byte, sticky bool, e *Effect) {
	for i := range x.rot {
		if r := &x.rot[i]; r.off == at && r.by == e {
			r.mask |= mask // the same bit twice would be none
			return
		}
	}
	x.rot = append(x.rot, rot{off: at, mask: mask, sticky: sticky, by: e})
}

// unrot takes back the damage of an effect.
func (d *disk) unrot(e *Effect) {
	d.eachFile(func(x *inode) {
		kept := x.rot[:0]
		for _, r := range x.rot {
			if r.by != e {
				kept = append(kept, r)
			}
		}
		x.rot = kept
	})
}
