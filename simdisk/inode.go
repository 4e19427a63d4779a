package simdisk

import (
	"io/fs"
	"path"
	"slices"
	"time"
)

// maxFile is the largest size of a file in bytes; it keeps offsets within an
// int on every machine.
const maxFile = 1 << 30

// inode is a file or directory, apart from its name.
//
// A file exists twice: as the page cache shows it (data) and as the device
// holds it (disk). pending leads from one to the other: the operations that no
// sync has covered yet. After a failed sync that dropped pages, data holds
// bytes that are neither on disk nor pending.
type inode struct {
	// of a directory
	cur map[string]*inode // entries now
	dur map[string]*inode // entries on the device

	// where it is now
	parent *inode
	name   string
	links  int    // names in the page cache
	others []slot // its names beside the one above
	erased bool   // has lost its name on the device for good
	many   bool   // has had more than one name
	opens  int    // open handles
	epoch  uint64
	cycle  uint64 // power loss that it was last found after

	// of a file
	id      *identity
	data    []byte
	disk    []byte
	pending []dataOp
	payload []byte // bytes of the pending writes
	dirtyAt int    // place in disk.dirty, when pending is not empty
	errs    uint64 // failed write-backs so far
	owed    bool   // a sync has hidden an error, which the next one tells
	owedBy  *File  // the handle that is not told, or nil
	locks   []*File
	doubt   []span // ranges whose sync failed and that were not synced since
	rot     []rot
	cuts    []span           // what a cut tail took, and was not written since
	old     map[int64][]byte // what sectors held before, see KeepOld
	shared  bool             // data, disk, pending and payload are those of a fork too, see own
}

// dataOp is a write or a change of size that is not durable yet.
type dataOp struct {
	seq    uint64 // place in the order of the volume
	num    uint64 // number within the file's identity
	off    int64
	n      int64 // length of a write
	at     int   // where in payload its bytes are
	resize bool  // sets the size to off instead
}

func newDir() *inode {
	return &inode{cur: map[string]*inode{}, dur: map[string]*inode{}}
}

func (x *inode) isDir() bool { return x.cur != nil }

// path returns where the file is now; for one that was unlinked, where it was.
func (x *inode) path() string {
	if x.parent == nil {
		return "."
	}
	if x.parent.parent == nil {
		return x.name
	}
	return x.parent.path() + "/" + x.name
}

// push makes an operation pending.
func (d *disk) push(x *inode, op dataOp) {
	if len(x.pending) == 0 {
		x.dirtyAt = len(d.dirty)
		d.dirty = append(d.dirty, x)
	}
	d.seq++
	op.seq, op.num = d.seq, x.id.next()
	x.pending = append(x.pending, op)
}

// write changes the page cache. The caller has seen to space.
func (d *disk) write(x *inode, off int64, p []byte) {
	if len(p) == 0 {
		return
	}
	x.own()
	size := int64(len(x.data))
	d.used += max(off+int64(len(p))-size, 0)
	x.data = overwrite(x.data, off, p)
	d.push(x, dataOp{off: off, n: int64(len(p)), at: len(x.payload)})
	x.payload = append(x.payload, p...)
}

// resize sets the size in the page cache.
func (d *disk) resize(x *inode, size int64) {
	if size == int64(len(x.data)) {
		return
	}
	x.own()
	d.used += size - int64(len(x.data))
	x.data = resized(x.data, size)
	d.push(x, dataOp{off: size, resize: true})
}

// overwrite puts p into b at off, growing it with zeros as needed.
func overwrite(b []byte, off int64, p []byte) []byte {
	if off == int64(len(b)) {
		return append(b, p...)
	}
	if end := off + int64(len(p)); end > int64(len(b)) {
		b = resized(b, end)
	}
	copy(b[off:], p)
	return b
}

// resized sets the length of b; what is new is zero.
func resized(b []byte, size int64) []byte {
	n := len(b)
	if size <= int64(n) {
		return b[:size]
	}
	b = slices.Grow(b, int(size)-n)[:size]
	clear(b[n:])
	return b
}

// before returns how many pending operations have a number up to seq.
func (x *inode) before(seq uint64) int {
	n := len(x.pending)
	for n > 0 && x.pending[n-1].seq > seq {
		n--
	}
	return n
}

// bytes returns what a pending write wrote.
func (x *inode) bytes(op *dataOp) []byte { return x.payload[op.at : op.at+int(op.n)] }

// harden makes the first n pending operations durable.
func (d *disk) harden(x *inode, n int) {
	x.own()
	for i := range x.pending[:n] {
		op := &x.pending[i]
		switch {
		case op.resize:
			x.disk = resized(x.disk, op.off)
			x.cutOff(op.off)
		case len(d.strays) > 0 && d.strays[op.seq] != nil:
			x.goAstray(op, d.strays[op.seq])
			delete(d.strays, op.seq)
		default:
			if d.keepsOld {
				x.remember(span{op.off, op.n}, int64(d.cfg.SectorSize))
			}
			x.disk = overwrite(x.disk, op.off, x.bytes(op))
			x.heal(span{op.off, op.n})
		}
	}
	d.forget(x, n)
}

// forget takes the first n operations off the pending ones.
func (d *disk) forget(x *inode, n int) {
	if n == 0 {
		return
	}
	x.own()
	if n == len(x.pending) {
		x.pending, x.payload = x.pending[:0], x.payload[:0]
		d.clean(x)
		return
	}
	from := len(x.payload)
	for _, op := range x.pending[n:] {
		if !op.resize {
			from = op.at
			break
		}
	}
	x.pending = x.pending[:copy(x.pending, x.pending[n:])]
	for i := range x.pending {
		if !x.pending[i].resize {
			x.pending[i].at -= from
		}
	}
	x.payload = x.payload[:copy(x.payload, x.payload[from:])]
}

// clean takes a file off the list of dirty ones.
func (d *disk) clean(x *inode) {
	last := d.dirty[len(d.dirty)-1]
	d.dirty[x.dirtyAt], last.dirtyAt = last, x.dirtyAt
	d.dirty[len(d.dirty)-1] = nil
	d.dirty = d.dirty[:len(d.dirty)-1]
}

// entries lists a directory, sorted by name.
func entries(dir map[string]*inode) []fs.DirEntry {
	list := make([]fs.DirEntry, 0, len(dir))
	for _, name := range sortedNames(dir) {
		list = append(list, fs.FileInfoToDirEntry(dir[name].info(name)))
	}
	return list
}

func sortedNames(dir map[string]*inode) []string {
	list := make([]string, 0, len(dir))
	for name := range dir {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// info describes a file as the page cache shows it.
func (x *inode) info(name string) fs.FileInfo {
	return info{path.Base(name), int64(len(x.data)), x.isDir()}
}

// info implements fs.FileInfo. There are no permissions and no times.
type info struct {
	name string
	size int64
	dir  bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.dir }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
