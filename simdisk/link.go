package simdisk

import (
	"io/fs"
	"slices"
	"syscall"
)

// Link gives a file another name: a hard link. Both names are equal from then
// on. The new one is durable once its directory has been synced, whether or not
// the old one is.
func (v *Volume) Link(old, name string) error { return v.do(Op{Kind: Link, Path: old, To: name}).Err }

func (d *disk) hardLink(op *Op) error {
	_, x, err := d.find(op.Path)
	if err != nil {
		return err
	}
	to, there, err := d.walk(op.To)
	switch {
	case err != nil:
		return err
	case there != nil || to.dir == nil:
		return fs.ErrExist
	case x.isDir():
		return syscall.EPERM
	}
	x.many = true
	x.others = append(x.others, slot{x.parent, x.name})
	d.link(to, x, op.To)
	return nil
}

// dropName takes one of the names of a file away, in the page cache.
func (x *inode) dropName(s slot) {
	x.links--
	if i := slices.Index(x.others, s); i >= 0 {
		x.others = slices.Delete(x.others, i, i+1)
	} else if n := len(x.others); n > 0 {
		x.parent, x.name = x.others[n-1].dir, x.others[n-1].name
		x.others = x.others[:n-1]
	}
}

// moveName gives a file another name in place of one that it has.
func (x *inode) moveName(from, to slot) {
	if i := slices.Index(x.others, from); i >= 0 {
		x.others[i] = to
		return
	}
	x.parent, x.name = to.dir, to.name
}

// lost returns a file or directory that has just lost its only name. Of one that
// has had several it is never known which of them are durable.
func (x *inode) lost() *inode {
	if x.many {
		return nil
	}
	return x
}

// found notes a name of x that a crash has left; the first one counts as the
// place where it is.
func (x *inode) found(cycle uint64, s slot) (first bool) {
	if first = x.cycle != cycle; first {
		x.cycle, x.links, x.others, x.opens = cycle, 0, nil, 0
		x.parent, x.name = s.dir, s.name
		x.owed, x.owedBy, x.locks = false, nil, nil
	} else {
		x.others = append(x.others, s)
	}
	x.links++
	return first
}

// TryLock locks the file for this handle alone, or, when shared is true, for all
// handles that share it: an advisory lock, as flock gives. It is given up by
// Unlock or Close, and gone when the process is. The error is
// syscall.EWOULDBLOCK when another handle is in the way.
func (f *File) TryLock(shared bool) error {
	return f.v.do(Op{Kind: Lock, File: f, Shared: shared}).Err
}

// Unlock gives up the lock of this handle, if it has one.
func (f *File) Unlock() error { return f.v.do(Op{Kind: Unlock, File: f}).Err }

func (d *disk) lock(op *Op) error {
	f, x := op.File, op.File.ino
	for _, o := range x.locks {
		if o != f && o.epoch == d.epoch && !(o.shared && op.Shared) {
			return syscall.EWOULDBLOCK
		}
	}
	x.unlock(f)
	f.shared = op.Shared
	x.locks = append(x.locks, f)
	return nil
}

// unlock also forgets the locks of handles that are dead.
func (x *inode) unlock(f *File) {
	x.locks = slices.DeleteFunc(x.locks, func(o *File) bool { return o == f || o.epoch != f.epoch })
}
