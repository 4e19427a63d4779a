package wal

import (
	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3/raftpb"
)

// Options says how a log is kept. The zero value is useful.
type Options struct {
	// SegmentSize is the size in bytes at which a segment is closed and the
	// next one begun; single batches may be larger. 0 means 64 KiB.
	SegmentSize int64
	// Flaws plants mistakes; the zero value has none.
	Flaws Flaws
}

// Flaws are mistakes in the use of disks that real logs have made.
type Flaws struct {
	SkipSync        bool // answers when the bytes are written, and never syncs
	SkipDirSync     bool // never syncs a folder
	RetryFailedSync bool // syncs once more after a failure and believes the answer
	KeepTornTail    bool // goes on behind what a crash has left of an unfinished batch
	ForgetVote      bool // never writes term and vote
	MarkBeforeSync  bool // writes the marker of a snapshot before the snapshot is durable
}

// Batch is what becomes durable together. Of a torn batch recovery finds a
// prefix: the vote, the entries in order, the commit index.
type Batch struct {
	// State is the new hard state, nil or empty when it has not changed.
	State *raftpb.HardState
	// Entries replace everything from the index of the first one on.
	Entries []*raftpb.Entry
	// Snapshot, if not nil, replaces the whole log before the entries.
	Snapshot *raftpb.Snapshot
	// Sync makes the batch durable before it is done. Without it the batch is
	// only written.
	Sync bool
}

// WAL is the log of one incarnation of a node. Its methods are called from the
// callbacks of that node and return at once.
type WAL struct {
	vol   *simdisk.Volume
	opt   Options
	file  *simdisk.File
	size  int64    // of the current segment
	safe  int64    // how far it is durable
	segs  segments // the current one is the last
	queue []job
	spare []job // the queue's other half
	busy  bool  // the head of the queue is being worked on
	buf   []byte

	syncing []job       // what the sync that is running is for
	upto    int64       // how far it makes the segment durable
	marked  [2]uint64   // the snapshot whose marker it makes durable
	synced  func(error) // onSynced, made once

	vote     [2]uint64 // term and vote, as written last
	commit   uint64    // as written last
	learned  uint64    // a later one that is not written yet
	snapshot [2]uint64 // index and term of the newest snapshot with a marker
	kept     [2]uint64 // of the newest one whose marker is durable
}

// job is a batch on its way.
type job struct {
	Batch
	own   bool // the snapshot is of this node, the log stays
	filed bool // the snapshot's file is durable
	done  func(error)
}

// Save writes a batch and calls done when it is written, or durable if it
// asked for that. Batches are done in order; those that wait while one is
// being synced share the next sync. done may be called before Save returns,
// when nothing has to be synced. After an error the log must not be used.
//
// A commit index alone is kept back and goes with the next batch: it may be
// lost, because a node learns it again.
func (w *WAL) Save(b Batch, done func(error)) {
	if !b.Sync && !w.busy && len(b.Entries) == 0 && b.Snapshot == nil && w.voted(b.State) == w.vote {
		w.learned = max(w.learned, b.State.GetCommit())
		done(nil)
		return
	}
	w.queue = append(w.queue, job{Batch: b, done: done})
	w.work()
}

// SaveSnapshot makes a snapshot of this node's own state durable, beside what
// is saved meanwhile. The log stays as it is, see [WAL.Compact].
func (w *WAL) SaveSnapshot(s *raftpb.Snapshot, done func(error)) {
	marker := job{Batch: Batch{Snapshot: s, Sync: true}, own: true, filed: true, done: done}
	if w.opt.Flaws.MarkBeforeSync {
		w.queue = append(w.queue, marker)
		w.work()
		w.writeSnapshot(s, func(error) {})
		return
	}
	w.writeSnapshot(s, func(err error) {
		if err != nil {
			done(err)
			return
		}
		w.queue = append(w.queue, marker)
		w.work()
	})
}

// work takes up what is queued, unless something is being worked on.
func (w *WAL) work() {
	for !w.busy && len(w.queue) > 0 {
		if first := &w.queue[0]; first.Snapshot != nil && !first.filed {
			w.fileFirst()
			continue
		}
		n := 1
		for n < len(w.queue) && (w.queue[n].Snapshot == nil || w.queue[n].filed) {
			n++
		}
		if w.full(n) {
			w.roll()
			continue
		}
		w.write(n)
	}
}

// fileFirst makes the file of the first job's snapshot durable.
func (w *WAL) fileFirst() {
	first := &w.queue[0]
	if w.opt.Flaws.MarkBeforeSync {
		first.filed = true
		w.writeSnapshot(first.Snapshot, func(error) {})
		return
	}
	w.busy = true
	w.writeSnapshot(first.Snapshot, func(err error) {
		if err != nil {
			w.queue[0].done(err)
			return
		}
		w.busy, w.queue[0].filed = false, true
		w.work()
	})
}

// write writes the first n jobs and finishes them.
func (w *WAL) write(n int) {
	w.buf = w.buf[:0]
	sync := false
	for i := range w.queue[:n] {
		w.encode(&w.queue[i])
		sync = sync || w.queue[i].Sync
	}
	_, err := w.file.Append(w.buf)
	w.size += int64(len(w.buf))
	jobs := w.take(n)
	w.busy = true
	if err != nil || !sync {
		w.finish(jobs, err)
		return
	}
	w.syncing, w.upto, w.marked = jobs, w.size, w.snapshot
	w.sync(w.file, w.synced)
}

// onSynced finishes the jobs that were waiting for a sync.
func (w *WAL) onSynced(err error) {
	if err == nil {
		w.safe, w.kept = max(w.safe, w.upto), w.marked
	}
	jobs := w.syncing
	w.syncing = nil
	w.finish(jobs, err)
	w.work()
}

// take takes the first n jobs off the queue, which gets the other slice.
func (w *WAL) take(n int) []job {
	jobs := w.queue[:n:n]
	w.queue = append(w.spare[:0], w.queue[n:]...)
	w.spare = nil
	return jobs
}

// finish tells those who wait for the jobs. What they ask for meanwhile comes
// after. After an error nothing is done any more.
func (w *WAL) finish(jobs []job, err error) {
	for i := range jobs {
		jobs[i].done(err)
	}
	clear(jobs)
	w.spare = jobs[:0:len(jobs)]
	w.busy = err != nil
}

// encode appends the records of a job to the buffer.
func (w *WAL) encode(j *job) {
	if s := j.Snapshot; s != nil && s.GetMetadata().GetIndex() > w.snapshot[0] {
		k := kindReset
		if j.own {
			k = kindSnapshot
		}
		w.snapshot = [2]uint64{s.GetMetadata().GetIndex(), s.GetMetadata().GetTerm()}
		w.buf = appendNumbers(w.buf, k, w.reach(), w.snapshot[0], w.snapshot[1])
	}
	if vote := w.voted(j.State); vote != w.vote && !w.opt.Flaws.ForgetVote {
		w.vote = vote
		w.buf = appendNumbers(w.buf, kindVote, w.reach(), vote[0], vote[1])
	}
	for _, e := range j.Entries {
		w.buf = appendEntry(w.buf, w.reach(), e)
	}
	if n := len(j.Entries); n > 0 {
		w.segs.reached(j.Entries[n-1].GetIndex())
	}
	if commit := max(j.State.GetCommit(), w.learned); commit > w.commit {
		w.commit = commit
		w.buf = appendNumbers(w.buf, kindCommit, w.reach(), commit)
	}
}

// voted returns the term and vote after a change of the hard state.
func (w *WAL) voted(s *raftpb.HardState) [2]uint64 {
	if s.GetTerm() == 0 {
		return w.vote
	}
	return [2]uint64{s.GetTerm(), s.GetVote()}
}

// reach returns how far before the end of the buffer the segment is durable.
func (w *WAL) reach() int64 { return w.size + int64(len(w.buf)) - w.safe }

// Compact deletes the segments that hold only entries up to index. A durable
// snapshot must cover those.
func (w *WAL) Compact(index uint64) {
	for _, name := range w.segs.drop(index) {
		_ = w.vol.Remove(name) // what is left over does no harm
	}
	dropSnapshots(w.vol, snapshotName(w.kept[0], w.kept[1]))
}

// sync syncs a file and then calls done.
func (w *WAL) sync(f *simdisk.File, done func(error)) {
	switch {
	case w.opt.Flaws.SkipSync:
		done(nil)
	case w.opt.Flaws.RetryFailedSync:
		f.SyncThen(func(err error) {
			if err == nil {
				done(nil)
				return
			}
			f.SyncThen(done)
		})
	default:
		f.SyncThen(done)
	}
}

// syncDir syncs a folder and then calls done.
func (w *WAL) syncDir(dir string, done func(error)) {
	if w.opt.Flaws.SkipDirSync {
		done(nil)
		return
	}
	w.vol.Submit(simdisk.Op{Kind: simdisk.SyncDir, Path: dir}, func(r simdisk.Result) { done(r.Err) })
}
