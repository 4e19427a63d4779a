package simdisk

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/hmdsefi/faultline/kernel"
)

// perform does to the page cache what an operation asks for, and returns one
// of the errors in outcomes.
func (d *disk) perform(v *Volume, c *call) error {
	op := &c.op
	if op.Kind >= kinds || op.Kind.onHandle() != (op.File != nil) {
		if op.Kind >= kinds {
			op.Kind = Stat // has a word in the trace
		}
		op.File = nil
		return errKind
	}
	if d.restricted {
		if err := d.restrict(op); err != nil {
			return err
		}
	}
	if f := op.File; f != nil {
		if f.v.d != d {
			return fs.ErrInvalid
		}
		if err := f.check(); err != nil {
			return err
		}
	}
	switch op.Kind {
	case Open:
		return d.openFile(v, c)
	case Close:
		op.File.closed = true
		op.File.ino.unlock(op.File)
		d.release(op.File.ino)
		return nil
	case Read:
		return d.readAt(c)
	case Write, Append:
		return d.writeAt(c)
	case Truncate, Allocate:
		return d.setSize(op)
	case Sync:
		return d.syncFile(c)
	case SyncDir:
		return d.syncDir(c)
	case Rename:
		return d.rename(op)
	case Remove:
		return d.remove(op)
	case Mkdir:
		return d.mkdir(op)
	case Link:
		return d.hardLink(op)
	case Lock:
		return d.lock(op)
	case Unlock:
		op.File.ino.unlock(op.File)
		return nil
	}
	_, x, err := d.find(op.Path)
	if err != nil {
		return err
	}
	if op.Kind == Stat {
		c.res.Info = x.info(op.Path)
		return nil
	}
	if !x.isDir() {
		return errNotDir
	}
	c.res.Entries = entries(x.cur)
	return nil
}

const (
	accessFlags = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
	knownFlags  = accessFlags | os.O_APPEND | os.O_CREATE | os.O_EXCL | os.O_TRUNC
)

func (d *disk) openFile(v *Volume, c *call) error {
	flag := c.op.Flag
	access := flag & accessFlags
	if flag&^knownFlags != 0 || access == accessFlags {
		return fs.ErrInvalid
	}
	s, x, err := d.walk(c.op.Path)
	writes := access != os.O_RDONLY
	switch {
	case err != nil:
		return err
	case x == nil && flag&os.O_CREATE == 0:
		return fs.ErrNotExist
	case x != nil && flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return fs.ErrExist
	case x != nil && x.isDir() && (writes || flag&os.O_CREATE != 0):
		return errIsDir
	case x == nil && !d.inodeFree():
		return syscall.ENOSPC
	case x == nil:
		x = &inode{id: d.id("data/", c.op.Path)}
		c.created = true
		d.link(s, x, c.op.Path)
	case flag&os.O_TRUNC != 0 && writes:
		d.resize(x, 0)
	}
	if !d.held(x) {
		x.epoch, x.opens = d.epoch, 0
	}
	x.opens++
	c.res.File = &File{
		v: v, ino: x, name: c.op.Path, key: kernel.KeyOf(c.op.Path), sym: d.sim.Sym(c.op.Path), epoch: d.epoch,
		read: access != os.O_WRONLY, write: writes, append: flag&os.O_APPEND != 0, seen: x.errs,
	}
	return nil
}

func (d *disk) readAt(c *call) error {
	op := &c.op
	x := op.File.ino
	switch {
	case !op.File.read:
		return syscall.EBADF
	case x.isDir():
		return errIsDir
	case op.Off < 0:
		return fs.ErrInvalid
	}
	n := d.count(readFault)
	if d.fault(readFault, n, x, true) != 0 || len(x.rot) > 0 && x.unreadable(op.Off, int64(len(op.Data))) {
		return syscall.EIO
	}
	if op.Off < int64(len(x.data)) {
		c.res.N = copy(op.Data, x.data[op.Off:])
		x.decay(op.Data[:c.res.N], op.Off)
	}
	d.stats.Reads++
	d.stats.BytesRead += uint64(c.res.N)
	if c.res.N < len(op.Data) {
		return io.EOF
	}
	return nil
}

func (d *disk) writeAt(c *call) error {
	op := &c.op
	x := op.File.ino
	if op.Kind == Append {
		op.Off = int64(len(x.data))
	}
	switch {
	case !op.File.write:
		return syscall.EBADF
	case op.Off < 0, op.Kind == Write && op.File.append:
		return fs.ErrInvalid
	case op.Off > maxFile-int64(len(op.Data)):
		return syscall.EFBIG
	}
	n := d.count(writeFault)
	p := op.Data
	way := WriteMode(d.fault(writeFault, n, x, len(p) > 0))
	switch way {
	case WriteError:
		return syscall.EIO
	case ShortWrite:
		p = p[:d.points[writeFault].Stream().Derive("short").Below(n, uint64(len(p)))]
	}
	grow := op.Off + int64(len(p)) - int64(len(x.data))
	room := d.room(grow)
	if grow > room {
		p = p[:max(int64(len(p))-(grow-room), 0)]
	}
	d.write(x, op.Off, p)
	c.res.N = len(p)
	d.stats.Writes++
	d.stats.BytesWritten += uint64(len(p))
	switch {
	case way == ShortWrite:
		return syscall.EIO
	case len(p) < len(op.Data):
		return syscall.ENOSPC
	case way != 0:
		d.lead(x, op, way, n)
	}
	return nil
}

func (d *disk) setSize(op *Op) error {
	x := op.File.ino
	size, now := op.Size, int64(len(x.data))
	switch {
	case !op.File.write:
		return syscall.EBADF
	case size < 0:
		return fs.ErrInvalid
	case size > maxFile:
		return syscall.EFBIG
	case op.Kind == Allocate && size <= now:
		return nil
	}
	if grow := size - now; grow > d.room(grow) {
		return syscall.ENOSPC
	}
	d.resize(x, size)
	return nil
}

// syncFile notes what a sync covers. [disk.settle] does it.
func (d *disk) syncFile(c *call) error {
	if x := c.op.File.ino; x.isDir() {
		c.dir = x
	}
	c.upto, c.number = d.seq, d.count(syncFault)
	return nil
}

func (d *disk) syncDir(c *call) error {
	_, x, err := d.find(c.op.Path)
	if err != nil {
		return err
	}
	if !x.isDir() {
		return errNotDir
	}
	c.dir = x
	c.upto, c.number = d.seq, d.count(syncFault)
	return nil
}
