package simdisk

import "io/fs"

// Kind is what an operation does.
type Kind uint8

// The kinds of operation.
const (
	Open     Kind = iota // open or make the file at Path, with Flag
	Close                // close File; never syncs
	Read                 // fill Data from File at Off
	Write                // write Data to File at Off
	Append               // write Data at the end of File
	Truncate             // set the size of File to Size
	Allocate             // make File at least Size bytes long
	Sync                 // make data and size of File durable
	SyncDir              // make the entries of the directory at Path durable
	Rename               // give what is at Path the name To
	Remove               // remove the file or empty directory at Path
	Mkdir                // make the directory Path
	ReadDir              // list the directory at Path
	Stat                 // describe what is at Path
	Link                 // give the file at Path another name, To
	Lock                 // lock File for its handle alone, or with Shared for all that share
	Unlock               // give up the lock of File
	kinds
)

// rareKinds is the first kind whose word in the trace is defined when it is used.
const rareKinds = Link

// kindNames are the words of the trace and of errors.
var kindNames = [kinds]string{
	"open", "close", "read", "write", "append", "truncate", "allocate",
	"sync", "sync-dir", "rename", "remove", "mkdir", "read-dir", "stat", "link", "lock", "unlock",
}

// String returns the kind as the trace shows it, such as "sync-dir".
func (k Kind) String() string {
	if k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// onHandle reports whether the kind works on a File and not on a Path.
func (k Kind) onHandle() bool { return k >= Close && k <= Sync || k == Lock || k == Unlock }

// changes reports whether the kind changes what is on the volume; see [Op.changes]
// for opening.
func (k Kind) changes() bool {
	switch k {
	case Write, Append, Truncate, Allocate, Sync, SyncDir, Rename, Remove, Mkdir, Link:
		return true
	}
	return false
}

// The classes of operations that share a latency.
const (
	metaClass = iota
	readClass
	writeClass
	syncClass
	classes
)

func (k Kind) class() int {
	switch k {
	case Read:
		return readClass
	case Write, Append, Truncate, Allocate:
		return writeClass
	case Sync, SyncDir:
		return syncClass
	}
	return metaClass
}

// Op is one operation. Which fields count depends on its Kind.
type Op struct {
	Kind Kind   // what it does
	File *File  // the handle, for kinds on an open file
	Path string // slash-separated; for kinds on a handle the name it was opened by
	To   string // new name, for Rename and Link
	Flag int    // the os.O_ flags, for Open
	Off  int64  // offset in bytes, for Read and Write
	Size int64  // in bytes, for Truncate and Allocate
	Data []byte // what to write; or where to read to

	Shared bool // for Lock
}

// Result is the outcome of an operation.
type Result struct {
	N       int           // bytes read or written, also when Err is not nil
	File    *File         // what Open opened
	Info    fs.FileInfo   // what Stat found
	Entries []fs.DirEntry // what ReadDir found, sorted by name
	Err     error         // nil, io.EOF of a Read, an *fs.PathError, or an *os.LinkError of a Rename or Link
}

// When says at which side of an operation a hook is called.
type When uint8

// The two sides.
const (
	Before When = iota // nothing has happened yet
	After              // the effect has happened, its caller does not know yet
)

// String returns "before" or "after".
func (w When) String() string { return [...]string{"before", "after"}[w&1] }
