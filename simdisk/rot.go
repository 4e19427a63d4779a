package simdisk

import "slices"

// rot is a byte on the device that no longer is what was written.
type rot struct {
	off    int64
	mask   byte // the bits that flipped
	dead   bool // it cannot be read
	sticky bool // it is damaged again when it is written
	by     *Effect
}

// heal says that a range was written on the device.
func (x *inode) heal(s span) {
	if len(x.doubt) > 0 {
		x.doubt = without(x.doubt, s)
	}
	if len(x.cuts) > 0 {
		x.cuts = without(x.cuts, s)
	}
	if len(x.rot) > 0 {
		x.rot = slices.DeleteFunc(x.rot, func(r rot) bool { return !r.sticky && r.off >= s.off && r.off < s.end() })
	}
}

// cutOff says that the file on the device ends at size.
func (x *inode) cutOff(size int64) { x.heal(span{size, maxFile}) }

// decay shows, in bytes that were read from the page cache at off, the rot of
// the device. Pages that are dirty hide it.
func (x *inode) decay(p []byte, off int64) {
	if len(x.rot) == 0 {
		return
	}
	var last *Effect
	for _, r := range x.rot {
		if i := r.off - off; i >= 0 && i < int64(len(p)) && !x.covered(r.off) {
			p[i] ^= r.mask
			if r.by != last {
				r.by.met++
				last = r.by
			}
		}
	}
}

// unreadable reports whether some of n bytes at off cannot be read.
func (x *inode) unreadable(off, n int64) bool {
	for _, r := range x.rot {
		if i := r.off - off; r.dead && i >= 0 && i < n && r.off < int64(len(x.data)) && !x.covered(r.off) {
			r.by.met++
			return true
		}
	}
	return false
}

// covered reports whether a pending operation stands between the device's byte
// and a reader.
func (x *inode) covered(off int64) bool {
	for i := range x.pending {
		op := &x.pending[i]
		if op.resize && off >= op.off || !op.resize && off >= op.off && off < op.off+op.n {
			return true
		}
	}
	return false
}

// onDisk returns the content that the device gives, rot included.
func (x *inode) onDisk() []byte {
	b := slices.Clone(x.disk)
	for _, r := range x.rot {
		if r.off < int64(len(b)) {
			b[r.off] ^= r.mask
		}
	}
	return b
}
