package simdisk

import (
	"fmt"
	"os"
)

// Full takes space, so that only free more bytes can be written, and gives it back
// when it is undone. The error says when free is negative.
func (v *Volume) Full(free int64) (*Effect, error) {
	if free < 0 {
		return nil, fmt.Errorf("simdisk: Full leaves %d bytes; use 0 or more", free)
	}
	return v.d.add(&Effect{kind: fullEffect, limit: v.d.used + free}), nil
}

// FullInodes takes inodes, so that only free more files and directories can be
// made: making others fails with syscall.ENOSPC. The error says when free is
// negative.
func (v *Volume) FullInodes(free int64) (*Effect, error) {
	if free < 0 {
		return nil, fmt.Errorf("simdisk: FullInodes leaves %d; use 0 or more", free)
	}
	return v.d.add(&Effect{kind: inodeEffect, limit: v.d.root.count() + free}), nil
}

// ReadOnly makes the volume read-only, as file systems become after an error:
// what would change something fails with syscall.EROFS, and so do syncs that
// have something to write. What is pending stays pending.
func (v *Volume) ReadOnly() *Effect {
	e := v.d.add(&Effect{kind: readOnlyEffect})
	v.d.restrictions()
	return e
}

// room returns how many of the bytes wanted there is space for, and lets the
// effects that are short of it know.
func (d *disk) room(want int64) int64 {
	room := max(want, 0)
	if d.cfg.Capacity > 0 {
		room = min(room, max(d.cfg.Capacity-d.used, 0))
	}
	for _, e := range d.effects {
		if left := e.limit - d.used; e.kind == fullEffect && left < want {
			if want > 0 {
				e.met++
			}
			room = min(room, max(left, 0))
		}
	}
	return room
}

// inodeFree reports whether one more file or directory can be made, and lets the
// effects that forbid it know.
func (d *disk) inodeFree() bool {
	if d.cfg.Inodes == 0 && len(d.effects) == 0 {
		return true
	}
	free, used := true, int64(-1)
	for _, e := range d.effects {
		if e.kind != inodeEffect {
			continue
		}
		if used < 0 {
			used = d.root.count()
		}
		if used >= e.limit {
			e.met++
			free = false
		}
	}
	return free && (d.cfg.Inodes == 0 || d.root.count() < d.cfg.Inodes)
}

// count returns the number of entries below a directory.
func (x *inode) count() int64 {
	n := int64(len(x.cur))
	for _, name := range sortedNames(x.cur) {
		if c := x.cur[name]; c.isDir() {
			n += c.count()
		}
	}
	return n
}

// restrictions notes whether the volume may be read-only.
func (d *disk) restrictions() {
	d.restricted = d.stuck
	for _, e := range d.effects {
		d.restricted = d.restricted || e.kind == readOnlyEffect || e.ro
	}
}

// hurt does what a failing sync does to the whole volume.
func (d *disk) hurt(k effectKind, mode FailMode, by *Effect) {
	if k != syncFault || mode != GoReadOnly {
		return
	}
	if by != nil {
		by.ro = true
	} else {
		d.stuck = true
	}
	d.restricted = true
}

// remount ends what only lasts until the machine starts again.
func (d *disk) remount() {
	d.stuck = false
	d.strays = nil
	for _, e := range d.effects {
		e.ro = false
	}
	d.restrictions()
}

// restrict returns the error of an operation that a read-only volume refuses.
// Syncs are refused when they have something to write.
func (d *disk) restrict(op *Op) error {
	writes := op.Kind == Open && op.Flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0
	if (op.changes() || writes) && op.Kind.class() != syncClass && d.readOnly() {
		return errReadOnly
	}
	return nil
}

// readOnly reports whether the volume is read-only, and lets the effects that make
// it so know that it mattered.
func (d *disk) readOnly() bool {
	on := d.stuck
	for _, e := range d.effects {
		if e.kind == readOnlyEffect || e.ro {
			on = true
			e.met++
		}
	}
	return on
}
