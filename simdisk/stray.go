package simdisk

import (
	"fmt"
	"strings"
)

// WriteMode is what goes wrong with a write.
type WriteMode uint8

const (
	// WriteError writes nothing and returns syscall.EIO.
	WriteError WriteMode = 1 + iota
	// ShortWrite writes some bytes, maybe none, but not all, and returns their
	// number and syscall.EIO.
	ShortWrite
	// PhantomWrite succeeds, and so does the sync, but the device never writes
	// the bytes: they read as they did before. Until the write is synced the page
	// cache hides it.
	PhantomWrite
	// MisdirectedWrite is a PhantomWrite whose bytes the device puts somewhere
	// else in the file, at another sector. In a file without one they are lost.
	MisdirectedWrite
)

// String returns the mode in words, such as "short".
func (m WriteMode) String() string {
	if m < WriteError || m > MisdirectedWrite {
		return fmt.Sprintf("WriteMode(%d)", uint8(m))
	}
	return [...]string{"error", "short", "phantom", "misdirected"}[m-1]
}

// FailWritesAs makes writes go wrong in a way. The choice that is made for each
// write when f has a PPM has the number of the mode as its value. The error
// returned here names a wrong value.
func (v *Volume) FailWritesAs(mode WriteMode, f Fail) (*Effect, error) {
	if mode < WriteError || mode > MisdirectedWrite {
		return nil, fmt.Errorf("simdisk: write mode is %d; use WriteError, ShortWrite, PhantomWrite or MisdirectedWrite", mode)
	}
	return v.d.failing(writeFault, FailMode(mode), f)
}

// stray is what becomes of a pending write that the device will not do.
type stray struct {
	to int64 // where its bytes go, or -1
}

// lead notes that the write that was just made goes astray on the device.
func (d *disk) lead(x *inode, op *Op, mode WriteMode, n uint64) {
	s := &stray{to: -1}
	sector := int64(d.cfg.SectorSize)
	if places := int64(len(x.data)) / sector; mode == MisdirectedWrite && places > 1 {
		own := op.Off / sector
		at := int64(d.points[writeFault].Stream().Derive("place").Below(n, uint64(places-1)))
		if at >= own {
			at++
		}
		s.to = at * sector
	}
	if d.strays == nil {
		d.strays = map[uint64]*stray{}
	}
	d.strays[x.pending[len(x.pending)-1].seq] = s
}

// goAstray does on the device what became of a write. The pristine bytes are
// remembered, and what is there instead is damage.
func (x *inode) goAstray(op *dataOp, s *stray) {
	p := x.bytes(op)
	was := make([]byte, op.n)
	if op.off < int64(len(x.disk)) {
		copy(was, x.disk[op.off:])
		for _, r := range x.rot {
			if i := r.off - op.off; i >= 0 && i < op.n {
				was[i] ^= r.mask
			}
		}
	}
	x.disk = overwrite(x.disk, op.off, p)
	x.heal(span{op.off, op.n})
	e := &Effect{} // of no use to anybody: the write was counted
	x.differ(op.off, was, e)
	if s.to >= 0 {
		x.differ(s.to, p[:min(op.n, max(int64(len(x.disk))-s.to, 0))], e)
	}
}

// differ makes the bytes at off read as p.
func (x *inode) differ(off int64, p []byte, e *Effect) {
	x.heal(span{off, int64(len(p))})
	for i, b := range p {
		if at := off + int64(i); x.disk[at] != b {
			x.rot = append(x.rot, rot{off: at, mask: x.disk[at] ^ b, by: e})
		}
	}
}

// ParseWriteMode reads what [WriteMode.String] writes. The error lists the names.
func ParseWriteMode(name string) (WriteMode, error) {
	var known []string
	for m := WriteError; m <= MisdirectedWrite; m++ {
		if m.String() == name {
			return m, nil
		}
		known = append(known, m.String())
	}
	return 0, fmt.Errorf("simdisk: mode of a failed write is %q; use %s", name, strings.Join(known, ", "))
}
