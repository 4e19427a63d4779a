package etcdraft_test

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io/fs"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// oneFile is a log of one's own: one file, written anew for each batch, which
// replaces the one before when it is durable.
type oneFile struct {
	node  *faultline.Node
	queue []func() func(error) // changes of the image; each returns whom to tell
	image image
}

// image is everything that a node must not forget, encoded.
type image struct {
	State    []byte // raftpb.HardState
	Snapshot []byte // raftpb.Snapshot, empty without one
	Entries  [][]byte
	First    uint64 // index of the first entry
}

func (s *oneFile) Save(b wal.Batch, done func(error)) {
	s.change(func() func(error) {
		if b.Snapshot != nil {
			s.image.Snapshot, s.image.Entries = encode(b.Snapshot), nil
			s.image.First = b.Snapshot.GetMetadata().GetIndex() + 1
		}
		if !raft.IsEmptyHardState(b.State) {
			s.image.State = encode(b.State)
		}
		for _, e := range b.Entries {
			if e.GetIndex() >= s.image.First {
				s.image.Entries = append(s.image.Entries[:e.GetIndex()-s.image.First], encode(e))
			}
		}
		return done
	})
}

func (s *oneFile) SaveSnapshot(snap *raftpb.Snapshot, done func(error)) {
	s.change(func() func(error) { s.image.Snapshot = encode(snap); return done })
}

func (s *oneFile) SaveCheckpoint(_ *raftpb.Snapshot, done func(error)) { done(nil) } // it keeps none

// Compact keeps the entry at index: a restart needs its term.
func (s *oneFile) Compact(index uint64) {
	s.change(func() func(error) {
		if index > s.image.First {
			n := min(index-s.image.First, uint64(len(s.image.Entries)))
			s.image.Entries, s.image.First = s.image.Entries[n:], s.image.First+n
		}
		return func(error) {}
	})
}

// change queues a change, and writes what is queued if nothing is being written.
func (s *oneFile) change(f func() func(error)) {
	s.queue = append(s.queue, f)
	if len(s.queue) > 1 {
		return
	}
	s.node.Go("save", func(p *kernel.Proc) {
		for len(s.queue) > 0 {
			done := s.queue[0]()
			err := write(s.node.Disk().In(p), &s.image)
			done(err) // may add to the queue
			s.queue = s.queue[1:]
		}
	})
}

// write makes an image durable: file, name, folder.
func write(disk *simdisk.Volume, i *image) error {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(i); err != nil {
		return err
	}
	data := binary.LittleEndian.AppendUint32(body.Bytes(), crc32.ChecksumIEEE(body.Bytes()))
	f, err := disk.Create("new")
	if err != nil {
		return err
	}
	if _, err = f.Append(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = disk.Rename("new", "log")
	}
	if err == nil {
		err = disk.SyncDir(".")
	}
	return err
}

// read is the opposite.
func read(files fs.FS) (*image, error) {
	data, err := fs.ReadFile(files, "log")
	if err != nil {
		return nil, err
	}
	n := len(data) - 4
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, &wal.CorruptError{File: "log", Why: "the checksum is wrong"}
	}
	i := &image{}
	return i, gob.NewDecoder(bytes.NewReader(data[:n])).Decode(i)
}

// recovered decodes an image.
func (i *image) recovered() *wal.Recovered {
	rec := &wal.Recovered{State: &raftpb.HardState{}}
	decode(i.State, rec.State)
	if len(i.Snapshot) > 0 {
		rec.Snapshot = &raftpb.Snapshot{}
		decode(i.Snapshot, rec.Snapshot)
	}
	for _, b := range i.Entries {
		e := &raftpb.Entry{}
		decode(b, e)
		rec.Entries = append(rec.Entries, e)
	}
	return rec
}

// oneFileOpener is what Config.Store is set to.
type oneFileOpener struct{}

func (oneFileOpener) Format(n *faultline.Node, first *raftpb.Snapshot) error {
	i := &image{First: 1}
	if first != nil {
		meta := first.GetMetadata()
		i.Snapshot, i.First = encode(first), meta.GetIndex()+1
		i.State = encode(&raftpb.HardState{Term: meta.Term, Commit: meta.Index})
	}
	return write(n.Disk(), i)
}

// Open writes what it has read again: that it can be read does not mean that it
// is on the device.
func (oneFileOpener) Open(p *kernel.Proc, n *faultline.Node, _ *etcdraft.Mode, _ etcdraft.Bugs) (etcdraft.Store, *wal.Recovered, error) {
	disk := n.Disk().In(p)
	i, err := read(disk.FS())
	if err == nil {
		err = write(disk, i)
	}
	if err != nil {
		return nil, nil, err
	}
	return &oneFile{node: n, image: *i}, i.recovered(), nil
}

func (oneFileOpener) Inspect(files fs.FS) (*wal.Summary, error) {
	i, err := read(files)
	if err != nil {
		return nil, err
	}
	rec := i.recovered()
	s := &wal.Summary{
		Term: rec.State.GetTerm(), Vote: rec.State.GetVote(), Commit: rec.State.GetCommit(),
		Snapshot: rec.Snapshot.GetMetadata().GetIndex(), First: i.First,
	}
	for _, e := range rec.Entries {
		s.Terms = append(s.Terms, e.GetTerm())
	}
	return s, nil
}

func encode(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

func decode(b []byte, m proto.Message) {
	if err := proto.Unmarshal(b, m); err != nil {
		panic(err)
	}
}

// TestOwnStore brings a log. It is slow, so the cluster gets more time to become
// live.
func TestOwnStore(t *testing.T) {
	etcdraft.Test(t, etcdraft.Config{Store: oneFileOpener{}, Liveness: 6 * time.Second}, faultline.Options{Duration: 10 * time.Second, Seeds: 3})
}
