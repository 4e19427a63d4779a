package etcdraft

import (
	"io/fs"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3/raftpb"
)

// Store keeps what a node must not forget. [wal.WAL] is one; to test another,
// set Config.Store. All methods return at once and answer later, on the
// simulator's stack; an answer that is an error crashes the node.
type Store interface {
	// Save writes a batch and calls done when it is written, or durable if the
	// batch asks for that, in the order of the calls. Its snapshot, if it has
	// one, must be durable before anything that tells of it.
	Save(b wal.Batch, done func(error))
	// SaveSnapshot makes a snapshot of the node's own state durable. The log is
	// not changed.
	SaveSnapshot(s *raftpb.Snapshot, done func(error))
	// SaveCheckpoint makes a state of the state machine durable from which a
	// restart may go on, see [wal.Recovered]. The log is not changed.
	SaveCheckpoint(s *raftpb.Snapshot, done func(error))
	// Compact may forget the entries up to index; a durable snapshot covers
	// them.
	Compact(index uint64)
}

// StoreOpener prepares and opens stores.
type StoreOpener interface {
	// Format makes a node's store at the setup of the run, durable, with the
	// snapshot that the cluster begins with, or empty when that is nil.
	Format(n *faultline.Node, first *raftpb.Snapshot) error
	// Open recovers the store of a node that starts, in a proc of the node. What
	// it returns must be durable. A [wal.CorruptError] keeps the node down;
	// after any other error the node crashes and tries again.
	Open(p *kernel.Proc, n *faultline.Node, m *Mode, b Bugs) (Store, *wal.Recovered, error)
	// Inspect says what Open would recover from these files, which are what is
	// on the device at that moment. It is asked now and then, to see that what
	// was called durable is.
	Inspect(files fs.FS) (*wal.Summary, error)
}

// walOpener is the default.
type walOpener struct{}

// Format formats the node's disk.
func (walOpener) Format(n *faultline.Node, first *raftpb.Snapshot) error {
	return wal.Format(n.Disk(), first)
}

// Open opens the log on the node's disk.
func (walOpener) Open(p *kernel.Proc, n *faultline.Node, m *Mode, b Bugs) (Store, *wal.Recovered, error) {
	w, r, err := wal.Open(p, n.Disk(), wal.Options{SegmentSize: m.SegmentSize, Flaws: b.flaws()})
	if err != nil {
		return nil, nil, err
	}
	return w, r, nil
}

// Inspect reads a log and changes nothing.
func (walOpener) Inspect(files fs.FS) (*wal.Summary, error) { return wal.Inspect(files) }
