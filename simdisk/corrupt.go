package simdisk

import (
	"fmt"
	"io/fs"
	"math"
)

// Corrupt flips bits of a file's bytes at rest, in the n bytes at off; n 0
// means up to the end. Which bits is a choice at disk/<node>/corrupt. What is
// dirty in the page cache hides the damage, and writing the bytes again mends
// it. The pristine bytes are remembered: Undo brings back what is still
// damaged. Met counts the reads that saw damage. Where the region is empty on
// the device nothing happens. The error names a missing file or a wrong value.
func (v *Volume) Corrupt(name string, off, n int64, bits int) (*Effect, error) {
	d := v.d
	_, x, err := d.find(name)
	if err == nil && x.isDir() {
		err = errIsDir
	}
	if err != nil {
		return nil, fmt.Errorf("simdisk: cannot corrupt %w", &fs.PathError{Op: "open", Path: name, Err: err})
	}
	if off < 0 || n < 0 {
		return nil, fmt.Errorf("simdisk: Corrupt region of %q is %d bytes at %d; neither must be negative", name, n, off)
	}
	if bits < 1 || bits > 1024 {
		return nil, fmt.Errorf("simdisk: Corrupt flips %d bits of %q; use 1 to 1024", bits, name)
	}
	e := d.add(&Effect{kind: rotEffect})
	size := int64(len(x.disk))
	if n == 0 {
		n = math.MaxInt64 - off
	}
	region := max(min(n, size-off), 0)
	for range bits {
		d.rots++
		drawn := int64(0)
		if region > 0 {
			drawn = 1 + d.rotting.Stream().Between(d.rots, 0, region*8-1)
		}
		bit := d.rotting.SettleWithin(d.rots, drawn, math.MaxInt64) - 1
		if bit < 0 || bit/8 >= region {
			continue
		}
		at := off + bit/8
		x.flip(at, 1<<(bit%8), e)
		y := d.syms
		d.sim.Emit(y.corrupt).On(d.node).Str(y.file, name).Int(y.off, at).Int(y.bit, bit%8).Done()
	}
	return e, nil
}

// flip damages one bit. Damage to the same byte is kept for each effect apart.
func (x *inode) flip(at int64, mask byte, e *Effect) {
	for i := range x.rot {
		if r := &x.rot[i]; r.off == at && r.by == e {
			r.mask |= mask // the same bit twice would be none
			return
		}
	}
	x.rot = append(x.rot, rot{at, mask, e})
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
