package wal

import (
	"errors"
	"io/fs"

	"go.etcd.io/raft/v3/raftpb"
)

// checkpointName is the file of the checkpoint. The log does not need it.
const checkpointName = "machine"

// SaveCheckpoint makes a state of the state machine durable that is not a
// snapshot of the log: a node that restarts can go on from it, and nothing is
// compacted because of it. It replaces the one before. Ask for one at a time.
func (w *WAL) SaveCheckpoint(s *raftpb.Snapshot, done func(error)) { w.put(checkpointName, s, done) }

// checkpoint reads the newest checkpoint; nil if there is none. One that is
// damaged counts as none: the log has everything that is in it.
func checkpoint(files fs.FS) (*raftpb.Snapshot, error) {
	b, err := fs.ReadFile(files, checkpointName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := decodeSnapshot(b)
	if err != nil {
		return nil, nil
	}
	return s, nil
}
