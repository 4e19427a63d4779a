package simdisk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/hmdsefi/faultline/kernel"
)

// Volume is the file system of one node, and a front to it: the operations of
// the volume that [Disks.Attach] returns happen at once and take no time; those
// of [Volume.In] block a proc for as long as they take; [Volume.Submit] calls
// back. All three reach the same files.
//
// Paths are slash-separated and follow [fs.ValidPath]; "." is the root. The
// methods are those of [os.Root] where that has them. While the node is down
// its volume can be used from outside, between events or by events of the
// world, to prepare it or to look at it.
type Volume struct {
	d     *disk
	proc  *kernel.Proc
	epoch uint64 // of d, when proc is set
}

// In returns the front for a proc of the volume's node. It dies with the
// node's incarnation.
func (v *Volume) In(p *kernel.Proc) *Volume {
	return &Volume{d: v.d, proc: p, epoch: v.d.epoch}
}

// Node returns the node that the volume belongs to.
func (v *Volume) Node() *kernel.Node { return v.d.node }

// alive reports whether operations may be asked for: not in the name of an
// incarnation that has crashed.
func (v *Volume) alive() bool {
	d := v.d
	if v.proc != nil && v.epoch != d.epoch {
		return false
	}
	return d.node.Alive() || d.sim.Current() != d.node
}

// OpenFile opens a file, making it first when flag says so. The flags are
// those of package os, apart from O_SYNC, which is an error. Permissions do not
// exist: perm is there for the likeness to os and is ignored. A directory can
// be opened to be read.
func (v *Volume) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	_ = perm
	r := v.do(Op{Kind: Open, Path: name, Flag: flag})
	return r.File, r.Err
}

// Open opens a file or directory for reading.
func (v *Volume) Open(name string) (*File, error) { return v.OpenFile(name, os.O_RDONLY, 0) }

// Create makes a file, or empties the one that is there, and opens it for
// reading and writing.
func (v *Volume) Create(name string) (*File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0)
}

// Mkdir makes a directory. perm is ignored.
func (v *Volume) Mkdir(name string, perm fs.FileMode) error {
	_ = perm
	return v.do(Op{Kind: Mkdir, Path: name}).Err
}

// MkdirAll makes a directory and the missing ones above it. perm is ignored.
func (v *Volume) MkdirAll(name string, perm fs.FileMode) error {
	info, err := v.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return v.Mkdir(name, perm) // for its error
	}
	if dir := path.Dir(name); dir != "." {
		if err := v.MkdirAll(dir, perm); err != nil {
			return err
		}
	}
	return v.Mkdir(name, perm)
}

// Remove removes a file or an empty directory. Open handles of the file go on.
func (v *Volume) Remove(name string) error { return v.do(Op{Kind: Remove, Path: name}).Err }

// Rename gives a file or directory another name, replacing a file or an empty
// directory that has it. It is atomic, also in a crash, and it is durable once
// one of the directories involved has been synced.
func (v *Volume) Rename(from, to string) error {
	return v.do(Op{Kind: Rename, Path: from, To: to}).Err
}

// SyncDir makes the entries of a directory durable: everything made, renamed
// and removed in it so far. Neither the contents of the files nor the
// directory's own name are its concern.
func (v *Volume) SyncDir(name string) error { return v.do(Op{Kind: SyncDir, Path: name}).Err }

// ReadDir lists a directory, sorted by name.
func (v *Volume) ReadDir(name string) ([]fs.DirEntry, error) {
	r := v.do(Op{Kind: ReadDir, Path: name})
	return r.Entries, r.Err
}

// Stat describes a file or directory.
func (v *Volume) Stat(name string) (fs.FileInfo, error) {
	r := v.do(Op{Kind: Stat, Path: name})
	return r.Info, r.Err
}

// ReadFile returns the content of a file.
func (v *Volume) ReadFile(name string) ([]byte, error) {
	f, err := v.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	n, err := f.ReadAt(b, 0)
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// WriteFile writes data to a file, making or emptying it first. It syncs
// nothing. perm is ignored.
func (v *Volume) WriteFile(name string, data []byte, perm fs.FileMode) error {
	f, err := v.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
