package simdisk

import "syscall"

// settle ends a sync on the device.
func (d *disk) settle(c *call) error {
	d.stats.Syncs++
	if c.dir != nil {
		return d.settleDir(c)
	}
	f := c.op.File
	x := f.ino
	n := x.before(c.upto)
	c.covered = n
	if d.restricted && n > 0 && d.readOnly() {
		return errReadOnly
	}
	mode := d.fault(syncFault, c.number, x, n > 0)
	switch mode {
	case 0:
		d.harden(x, n)
		return x.answer(f)
	case DropDirty, NextHandle, LateError:
		d.dropDirty(x, n)
	default: // the pages stay dirty, and nobody knows what is on the device
		x.suspect(n)
	}
	switch mode {
	case NextHandle:
		x.owed, x.owedBy = true, f
		return nil
	case LateError:
		x.owed, x.owedBy = true, nil
		return nil
	case Lie:
		return nil
	}
	x.errs++
	f.seen = x.errs
	if mode == NoSpace {
		return syscall.ENOSPC
	}
	return syscall.EIO
}

// answer is what a sync that has worked says: nothing, or the error of one that
// failed before.
func (x *inode) answer(f *File) error {
	switch {
	case x.owed && x.owedBy != f:
		x.owed, x.owedBy = false, nil
		return syscall.EIO
	case f.seen != x.errs:
		f.seen = x.errs // of a sync that failed on another handle
		return syscall.EIO
	}
	return nil
}

// suspect notes that nobody can know whether the first n operations are on the
// device.
func (x *inode) suspect(n int) {
	for i := range x.pending[:n] {
		if op := &x.pending[i]; !op.resize {
			x.doubt = union(x.doubt, span{op.off, op.n})
		}
	}
}

func (d *disk) settleDir(c *call) error {
	any := false
	for i := range d.names {
		any = any || d.names[i].seq <= c.upto && d.names[i].touches(c.dir)
	}
	if d.restricted && any && d.readOnly() {
		return errReadOnly
	}
	x := c.dir
	switch d.fault(syncFault, c.number, x, any) {
	case 0:
	case NextHandle, LateError: // a directory has no handles to tell apart
		x.owed = true
		return nil
	case Lie:
		return nil
	case NoSpace:
		return syscall.ENOSPC
	default:
		return syscall.EIO
	}
	if x.owed {
		x.owed = false
		return syscall.EIO
	}
	if any {
		c.covered = d.hardenDir(x, c.upto)
	}
	return nil
}

// dropDirty does what a failed sync does on Linux, see [DropDirty]: the pages are
// clean, still show what was written, and are not on the device.
// Changes of size are not pages; they stay pending.
func (d *disk) dropDirty(x *inode, n int) {
	x.own()
	kept := x.pending[:0]
	for i := range x.pending {
		op := x.pending[i]
		if i < n && !op.resize {
			x.doubt = union(x.doubt, span{op.off, op.n})
			continue
		}
		kept = append(kept, op)
	}
	x.pending = kept
	if len(kept) == 0 {
		x.payload = x.payload[:0]
		d.clean(x)
	}
}
