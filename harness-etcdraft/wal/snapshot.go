package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"strings"

	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

const (
	snapDir  = "snap"
	unfinish = ".tmp"
)

var errSnapshot = errors.New("its checksum is wrong or it is cut short")

// snapshotName returns the path of the file of a snapshot.
func snapshotName(index, term uint64) string {
	return fmt.Sprintf("%s/%016x-%016x", snapDir, index, term)
}

// encodeSnapshot returns the content of a snapshot file: checksum of the rest,
// length of the configuration, index, term, configuration, data.
func encodeSnapshot(s *raftpb.Snapshot) ([]byte, error) {
	conf, err := proto.Marshal(s.GetMetadata().GetConfState())
	if err != nil {
		return nil, err
	}
	b := make([]byte, 8, snapHead+len(conf)+len(s.GetData()))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(conf)))
	b = binary.LittleEndian.AppendUint64(b, s.GetMetadata().GetIndex())
	b = binary.LittleEndian.AppendUint64(b, s.GetMetadata().GetTerm())
	b = append(append(b, conf...), s.GetData()...)
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[4:]))
	return b, nil
}

const snapHead = 24 // bytes before the configuration

func decodeSnapshot(b []byte) (*raftpb.Snapshot, error) {
	if len(b) < snapHead || binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[4:]) {
		return nil, errSnapshot
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	if size > int64(len(b)-snapHead) {
		return nil, errSnapshot
	}
	conf := &raftpb.ConfState{}
	if err := proto.Unmarshal(b[snapHead:snapHead+size], conf); err != nil {
		return nil, err
	}
	index, term := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	return &raftpb.Snapshot{
		Data:     b[snapHead+size:],
		Metadata: &raftpb.SnapshotMetadata{ConfState: conf, Index: new(index), Term: new(term)},
	}, nil
}

// writeSnapshot makes a snapshot of the log durable.
func (w *WAL) writeSnapshot(s *raftpb.Snapshot, done func(error)) {
	w.put(snapshotName(s.GetMetadata().GetIndex(), s.GetMetadata().GetTerm()), s, done)
}

// put makes a snapshot durable under a name: the file under another name,
// synced, then renamed, then its name.
func (w *WAL) put(name string, s *raftpb.Snapshot, done func(error)) {
	b, err := encodeSnapshot(s)
	var f *simdisk.File
	if err == nil {
		f, err = w.vol.Create(name + unfinish)
	}
	if err == nil {
		_, err = f.Append(b)
	}
	if err != nil {
		done(err)
		return
	}
	w.sync(f, func(err error) {
		if err == nil {
			err = errors.Join(f.Close(), w.vol.Rename(name+unfinish, name))
		}
		if err != nil {
			done(err)
			return
		}
		w.syncDir(path.Dir(name), done)
	})
}

// dropSnapshots removes the files of older snapshots. Nothing depends on it,
// so it is not synced and may fail.
func dropSnapshots(vol *simdisk.Volume, keep string) {
	removeSnapshots(vol, func(name string) bool { return name < keep && !strings.HasSuffix(name, unfinish) })
}

// dropUnfinished removes the files of snapshots that a crash has cut short.
func dropUnfinished(vol *simdisk.Volume) {
	removeSnapshots(vol, func(name string) bool { return strings.HasSuffix(name, unfinish) })
}

func removeSnapshots(vol *simdisk.Volume, which func(name string) bool) {
	files, err := vol.ReadDir(snapDir)
	if err != nil {
		return
	}
	for _, f := range files {
		if name := path.Join(snapDir, f.Name()); which(name) {
			_ = vol.Remove(name)
		}
	}
}

// readSnapshot reads the file of a snapshot that the log has a marker for.
func readSnapshot(files fs.FS, index, term uint64) (*raftpb.Snapshot, error) {
	name := snapshotName(index, term)
	b, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &CorruptError{name, 0, "the file is gone, and the log says that it was durable"}
	}
	if err != nil {
		return nil, err
	}
	s, err := decodeSnapshot(b)
	switch {
	case err != nil:
		return nil, &CorruptError{name, 0, err.Error()}
	case s.GetMetadata().GetIndex() != index || s.GetMetadata().GetTerm() != term:
		return nil, &CorruptError{name, 0, "it holds another snapshot than its name says"}
	}
	return s, nil
}
