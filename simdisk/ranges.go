package simdisk

import "slices"

// span is a range of a file.
type span struct{ off, n int64 }

func (s span) end() int64 { return s.off + s.n }

// union adds a span to a sorted list of spans that do not touch.
func union(list []span, s span) []span {
	out := make([]span, 0, len(list)+1)
	for _, o := range list {
		if o.end() < s.off || s.end() < o.off {
			out = append(out, o)
			continue
		}
		off := min(o.off, s.off)
		s = span{off, max(o.end(), s.end()) - off}
	}
	out = append(out, s)
	slices.SortFunc(out, func(a, b span) int {
		if a.off < b.off {
			return -1
		}
		return 1
	})
	return out
}

// without takes a span out of a list.
func without(list []span, s span) []span {
	var out []span
	for _, o := range list {
		if left := min(o.end(), s.off); left > o.off {
			out = append(out, span{o.off, left - o.off})
		}
		if right := max(o.off, s.end()); right < o.end() {
			out = append(out, span{right, o.end() - right})
		}
	}
	return out
}

// heal says that a range was written on the device.
func (x *inode) heal(s span) {
	if len(x.doubt) > 0 {
		x.doubt = without(x.doubt, s)
	}
	if len(x.rot) > 0 {
		x.rot = slices.DeleteFunc(x.rot, func(r rot) bool { return r.off >= s.off && r.off < s.end() })
	}
}

// cutOff says that the file on the device ends at size.
func (x *inode) cutOff(size int64) { x.heal(span{size, maxFile}) }

// rot is a byte on the device that no longer is what was written.
type rot struct {
	off  int64
	mask byte // the bits that flipped
	by   *Effect
}

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
		b[r.off] ^= r.mask
	}
	return b
}
