package simdisk

import (
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

var (
	errNotDir error = syscall.ENOTDIR
	errIsDir  error = syscall.EISDIR

	errReadOnly error = syscall.EROFS
)

// slot is a place for a name: an entry of a directory, present or not.
type slot struct {
	dir  *inode
	name string
}

// nameKind is what a pending directory operation does.
type nameKind uint8

const (
	linkName nameKind = iota // a file or directory was made
	unlinkName
	renameName
)

// nameKindWords are the words of the trace.
var nameKindWords = [...]string{"link", "unlink", "rename"}

// nameOp is a directory operation that is not durable yet.
//
// What a crash may leave of the pending ones is any subset in which no
// operation is without those that it builds on:
//
//   - an operation on a name builds on all earlier ones on that name; a rename
//     is one on both its names;
//   - the removal of a directory builds on all earlier ones in it, else it
//     would take along what was moved out;
//   - a move into another directory builds on those on the names of that
//     directory and of the ones above it, else what was moved would hang
//     nowhere, or below itself.
//
// Each single operation is atomic. Journaling file systems keep directory
// operations in order and so leave prefixes only; btrfs reorders them, and
// POSIX says nothing about it.
type nameOp struct {
	kind  nameKind
	seq   uint64
	id    *identity
	num   uint64 // number within id
	at    slot   // what is linked or unlinked, where a rename ends
	from  slot   // where a rename starts
	ino   *inode // what is named
	gone  *inode // what loses its only name for good, or nil
	under []slot // entries that a move into another directory relies on
}

func (op *nameOp) touches(dir *inode) bool {
	return op.at.dir == dir || op.kind == renameName && op.from.dir == dir
}

// apply does the operation on the device.
func (op *nameOp) apply() {
	switch op.kind {
	case linkName:
		op.at.dir.dur[op.at.name] = op.ino
	case unlinkName:
		delete(op.at.dir.dur, op.at.name)
	case renameName:
		delete(op.from.dir.dur, op.from.name)
		op.at.dir.dur[op.at.name] = op.ino
	}
}

// builds is a set of slots and directories that operations build on or change.
type builds struct {
	slots map[slot]bool
	dirs  map[*inode]bool // a removed directory, or one with a change in it
}

func newBuilds() builds { return builds{map[slot]bool{}, map[*inode]bool{}} }

// changes adds what op changes.
func (b builds) changes(op *nameOp) {
	b.slots[op.at] = true
	b.dirs[op.at.dir] = true
	if op.kind == renameName {
		b.slots[op.from] = true
		b.dirs[op.from.dir] = true
	}
}

// needs adds what op builds on.
func (b builds) needs(op *nameOp) {
	b.slots[op.at] = true
	if op.gone != nil && op.gone.isDir() {
		b.dirs[op.gone] = true
	}
	if op.kind == renameName {
		b.slots[op.from] = true
		for _, s := range op.under {
			b.slots[s] = true
		}
	}
}

// blocks reports whether op builds on something in b, a set of changes.
func (b builds) blocks(op *nameOp) bool {
	need := newBuilds()
	need.needs(op)
	return b.meets(need)
}

// meets reports whether two sets have something in common.
func (b builds) meets(o builds) bool {
	for s := range o.slots { //faultline:unordered only asks whether any is there
		if b.slots[s] {
			return true
		}
	}
	for d := range o.dirs { //faultline:unordered only asks whether any is there
		if b.dirs[d] {
			return true
		}
	}
	return false
}

// hardenDir makes the pending operations of a directory up to seq durable,
// with those that they build on, and returns how many there were.
func (d *disk) hardenDir(dir *inode, seq uint64) int {
	need := newBuilds()
	chosen := make([]bool, len(d.names))
	n := 0
	for i := len(d.names) - 1; i >= 0; i-- {
		op := &d.names[i]
		if op.seq > seq {
			continue
		}
		own := newBuilds()
		own.changes(op)
		if op.touches(dir) || need.meets(own) {
			chosen[i] = true
			n++
			need.needs(op)
		}
	}
	rest := d.names[:0]
	for i := range d.names {
		if chosen[i] {
			d.names[i].apply()
			if x := d.names[i].gone; x != nil {
				x.erased = true
				d.bury(x)
			}
		} else {
			rest = append(rest, d.names[i])
		}
	}
	clear(d.names[len(rest):])
	d.names = rest
	return n
}

// pushName makes a directory operation pending; path is what its choice is
// keyed by.
func (d *disk) pushName(op nameOp, path string) {
	d.seq++
	op.seq, op.id = d.seq, d.id("name/", path)
	op.num = op.id.next()
	d.names = append(d.names, op)
}

// walk finds the entry that a path names: its slot, and the inode in it or
// nil. The root is in no directory.
func (d *disk) walk(name string) (slot, *inode, error) {
	if !fs.ValidPath(name) {
		return slot{}, nil, fs.ErrInvalid
	}
	if name == "." {
		return slot{}, d.root, nil
	}
	dir := d.root
	for {
		elem, rest, more := strings.Cut(name, "/")
		x := dir.cur[elem]
		if !more {
			return slot{dir, elem}, x, nil
		}
		switch {
		case x == nil:
			return slot{}, nil, fs.ErrNotExist
		case !x.isDir():
			return slot{}, nil, errNotDir
		}
		dir, name = x, rest
	}
}

// find is walk for something that must be there.
func (d *disk) find(name string) (slot, *inode, error) {
	s, x, err := d.walk(name)
	if err == nil && x == nil {
		err = fs.ErrNotExist
	}
	return s, x, err
}

// link puts x into a slot, now and pending.
func (d *disk) link(s slot, x *inode, path string) {
	x.parent, x.name = s.dir, s.name
	x.links++
	s.dir.cur[s.name] = x
	d.pushName(nameOp{kind: linkName, at: s, ino: x}, path)
}

// unname takes a name of x away. A file without another and without handles
// gives its space back; one with handles does so when the last is closed.
func (d *disk) unname(x *inode, s slot) {
	x.dropName(s)
	if x.isDir() || x.links > 0 {
		return
	}
	if d.held(x) {
		d.open = append(d.open, x)
		return
	}
	d.used -= int64(len(x.data))
}

func (d *disk) remove(op *Op) error {
	s, x, err := d.find(op.Path)
	switch {
	case err != nil:
		return err
	case x == d.root:
		return fs.ErrInvalid
	case len(x.cur) > 0:
		return syscall.ENOTEMPTY
	}
	delete(s.dir.cur, s.name)
	d.unname(x, s)
	d.pushName(nameOp{kind: unlinkName, at: s, ino: x, gone: x.lost()}, op.Path)
	return nil
}

func (d *disk) mkdir(op *Op) error {
	s, x, err := d.walk(op.Path)
	switch {
	case err != nil:
		return err
	case x != nil:
		return fs.ErrExist
	case !d.inodeFree():
		return syscall.ENOSPC
	}
	d.link(s, newDir(), op.Path)
	return nil
}

func (d *disk) rename(op *Op) error {
	from, x, err := d.find(op.Path)
	if err != nil {
		return err
	}
	to, old, err := d.walk(op.To)
	switch {
	case err != nil:
		return err
	case x == d.root || old == d.root:
		return fs.ErrInvalid
	case old == x:
		return nil
	case x.isDir() && within(to.dir, x):
		return fs.ErrInvalid
	case old == nil:
	case old.isDir() && !x.isDir():
		return errIsDir
	case !old.isDir() && x.isDir():
		return errNotDir
	case len(old.cur) > 0:
		return syscall.ENOTEMPTY
	}
	n := nameOp{kind: renameName, at: to, from: from, ino: x}
	if old != nil {
		d.unname(old, to)
		n.gone = old.lost()
	}
	delete(from.dir.cur, from.name)
	to.dir.cur[to.name] = x
	x.moveName(from, to)
	if to.dir != from.dir {
		for dir := to.dir; dir.parent != nil; dir = dir.parent {
			n.under = append(n.under, slot{dir.parent, dir.name})
		}
	}
	d.pushName(n, op.To)
	return nil
}

// within reports whether dir is x or below it.
func within(dir, x *inode) bool {
	for ; dir != nil; dir = dir.parent {
		if dir == x {
			return true
		}
	}
	return false
}

// held reports whether an open handle keeps x.
func (d *disk) held(x *inode) bool { return x.opens > 0 && x.epoch == d.epoch }

// release forgets a handle that was closed.
func (d *disk) release(x *inode) {
	x.opens--
	if x.opens == 0 && x.links == 0 && !x.isDir() {
		d.used -= int64(len(x.data))
		d.bury(x)
		i := slices.Index(d.open, x)
		d.open = slices.Delete(d.open, i, i+1)
	}
}

// bury forgets what is pending for a file that nothing can reach any more.
func (d *disk) bury(x *inode) {
	if x.erased && !d.held(x) {
		d.forget(x, len(x.pending))
	}
}
