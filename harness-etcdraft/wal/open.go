package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3/raftpb"
)

// Recovered is what a log held when it was opened.
type Recovered struct {
	// State is the hard state. Its commit index is at least the snapshot's
	// and at most the last entry's.
	State *raftpb.HardState
	// Snapshot is the newest durable snapshot; nil in a log without one.
	Snapshot *raftpb.Snapshot
	// Entries are without gaps. They may begin before the snapshot's index;
	// without a snapshot they begin at 1.
	Entries []*raftpb.Entry
	// Checkpoint is the newest state of the state machine that was saved by
	// itself, nil without one. It can be behind the snapshot, and ahead of the
	// commit index.
	Checkpoint *raftpb.Snapshot
	// Torn is how many bytes of an unfinished batch were cut off.
	Torn int64
}

// Exists reports whether the volume holds a log. It asks at once, without
// taking time.
func Exists(vol *simdisk.Volume) bool {
	_, err := vol.Stat(walDir)
	return err == nil
}

// Format makes a log on an empty volume, at once and durable, that begins with
// a snapshot; nil begins empty. It is for the setup of a run, before the node
// starts.
func Format(vol *simdisk.Volume, s *raftpb.Snapshot) error {
	w := &WAL{vol: vol, segs: segments{{number: 1}}}
	err := errors.Join(vol.Mkdir(walDir, 0), vol.Mkdir(snapDir, 0))
	if s != nil && err == nil {
		index, term := s.GetMetadata().GetIndex(), s.GetMetadata().GetTerm()
		w.vote[0], w.commit, w.snapshot = term, index, [2]uint64{index, term}
		var b []byte
		if b, err = encodeSnapshot(s); err == nil {
			err = putFile(vol, snapshotName(index, term), b)
		}
	}
	if err == nil {
		err = putFile(vol, w.segs[0].name(), w.head(w.segs[0]))
	}
	if err != nil {
		return err
	}
	return errors.Join(vol.SyncDir(snapDir), vol.SyncDir(walDir), vol.SyncDir("."))
}

// putFile writes and syncs a file.
func putFile(vol *simdisk.Volume, name string, data []byte) error {
	f, err := vol.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Append(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// Open recovers the log on a volume, in a proc of the volume's node, and makes
// everything that it returns durable. The log is empty when the volume is. A
// [CorruptError] says that something durable was changed. Other errors are
// those of the disk; the node may crash and try again.
func Open(p *kernel.Proc, vol *simdisk.Volume, opt Options) (*WAL, *Recovered, error) {
	w := &WAL{vol: vol, opt: opt}
	w.synced = w.onSynced
	slow := vol.In(p)
	for _, dir := range []string{walDir, snapDir} {
		if err := slow.MkdirAll(dir, 0); err != nil {
			return nil, nil, err
		}
	}
	r := replay{w: w}
	rec, err := r.read(slow.FS())
	if err != nil {
		return nil, nil, err
	}
	for _, e := range r.entries {
		rec.Entries = append(rec.Entries, e.entry())
	}
	for _, name := range r.unusable {
		if err := slow.Remove(name); err != nil {
			return nil, nil, err
		}
	}
	dropUnfinished(slow)
	w.kept = w.snapshot
	return w, rec, w.renew(slow, &r)
}

// Summary is what a log holds, without the entries themselves.
type Summary struct {
	Term     uint64   // of the hard state
	Vote     uint64   // of the hard state, 0 without one
	Commit   uint64   // of the hard state
	Snapshot uint64   // index of the newest durable snapshot, 0 without one
	First    uint64   // index of the first entry
	Terms    []uint64 // terms of the entries from First on
	Torn     int64    // bytes at the end that recovery would cut off
}

// Inspect reads a log and changes nothing. Given what is on the device
// (simdisk.Volume.Durable), it says what a power loss would leave at least.
func Inspect(files fs.FS) (*Summary, error) {
	r := replay{w: &WAL{}}
	rec, err := r.read(files)
	if err != nil {
		return nil, err
	}
	out := &Summary{
		Term: rec.State.GetTerm(), Vote: rec.State.GetVote(), Commit: rec.State.GetCommit(),
		Snapshot: rec.Snapshot.GetMetadata().GetIndex(), First: r.base + 1, Torn: r.torn,
	}
	for _, e := range r.entries {
		out.Terms = append(out.Terms, e.term)
	}
	return out, nil
}

// renew replaces the last segment by a copy of what is good of it and makes
// sure of everything that was found.
func (w *WAL) renew(slow *simdisk.Volume, r *replay) error {
	at := w.segs[len(w.segs)-1]
	tmp := at.name() + unfinish
	if err := slow.WriteFile(tmp, r.tail, 0); err != nil {
		return err
	}
	f, err := slow.OpenFile(tmp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if !w.opt.Flaws.SkipSync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = slow.Rename(tmp, at.name())
	}
	for _, dir := range []string{walDir, snapDir, "."} {
		if err == nil && !w.opt.Flaws.SkipDirSync {
			err = slow.SyncDir(dir)
		}
	}
	if err == nil {
		w.file, err = w.vol.OpenFile(at.name(), os.O_RDWR, 0)
	}
	w.size, w.safe = int64(len(r.tail)), int64(len(r.tail))
	return err
}

// replay reads segments.
type replay struct {
	w       *WAL
	entries []logged
	base    uint64 // index before the first entry
	based   bool   // base is known
	reset   bool   // from an installed snapshot
	tail    []byte // what is good of the last segment
	torn    int64

	unusable []string // files that were begun and never used
}

// read reads everything.
func (r *replay) read(files fs.FS) (*Recovered, error) {
	if err := r.segments(files); err != nil {
		return nil, err
	}
	return r.result(files)
}

// segments reads all segments of the newest run without gaps in the numbers.
// Older ones are left over from a compaction.
func (r *replay) segments(from fs.FS) error {
	files, err := fs.ReadDir(from, walDir)
	if err != nil {
		return err
	}
	var found segments
	for _, f := range files {
		n, ok := parseSegment(f.Name())
		if !ok {
			continue
		}
		if len(found) > 0 && found[len(found)-1].number != n-1 {
			found = found[:0]
		}
		found = append(found, segment{number: n})
	}
	for i, s := range found {
		data, err := fs.ReadFile(from, s.name())
		if err != nil {
			return err
		}
		last := i == len(found)-1
		r.w.segs = append(r.w.segs, s)
		end, err := scan(s.name(), data, last, r.record)
		if err != nil {
			return err
		}
		if last {
			r.tail, r.torn = data[:end:end], int64(len(data))-end
			if r.w.opt.Flaws.KeepTornTail {
				r.tail = data
			}
		}
		if last && r.unused(data[:end]) && i > 0 { // the crash came while it was begun
			r.w.segs = r.w.segs[:i]
			r.unusable = append(r.unusable, s.name())
			r.tail, err = fs.ReadFile(from, found[i-1].name())
			return err
		}
	}
	if len(r.w.segs) == 0 {
		r.w.segs = segments{{number: 1}}
	}
	if len(r.tail) == 0 {
		r.tail = r.w.head(r.w.segs[len(r.w.segs)-1])
	}
	return nil
}

// unused reports whether the last segment lacks a part of its head. It was
// never used then.
func (r *replay) unused(good []byte) bool {
	return len(good) < len(r.w.head(r.w.segs[len(r.w.segs)-1]))
}

// record takes in one record.
func (r *replay) record(rec record) error {
	file := r.w.segs[len(r.w.segs)-1]
	wrong := func(format string, args ...any) error {
		return &CorruptError{file.name(), rec.off, fmt.Sprintf(format, args...)}
	}
	if rec.kind == kindEntry {
		e, ok := readEntry(rec.body)
		if !ok {
			return wrong("an entry cannot be read")
		}
		return r.entry(e, wrong)
	}
	f := fields{rest: rec.body}
	a, b := f.number(), uint64(0)
	if rec.kind != kindHead && rec.kind != kindCommit {
		b = f.number()
	}
	switch {
	case f.bad:
		return wrong("a record of kind %d cannot be read", rec.kind)
	case rec.kind == kindHead && (rec.off != 0 || a != file.number):
		return wrong("it has the head of segment %d", a)
	case rec.kind == kindVote:
		r.w.vote = [2]uint64{a, b}
	case rec.kind == kindCommit:
		r.w.commit = max(r.w.commit, a)
	case rec.kind == kindSnapshot && a > r.w.snapshot[0]:
		r.w.snapshot = [2]uint64{a, b}
	case rec.kind == kindReset:
		r.w.snapshot = [2]uint64{a, b}
		r.entries, r.base, r.based, r.reset = r.entries[:0], a, true, true
	}
	return nil
}

// entry takes in an entry: it replaces those from its index on. That can be all
// of them, when the segments before were deleted.
func (r *replay) entry(e logged, wrong func(string, ...any) error) error {
	i := e.index
	if !r.based || i <= r.base && !r.reset {
		r.entries, r.base, r.based = r.entries[:0], i-1, true
	}
	last := r.base + uint64(len(r.entries))
	switch {
	case i > last+1:
		return wrong("entry %d follows entry %d", i, last)
	case i <= r.base:
		return wrong("entry %d comes after the log was cut at %d", i, r.base)
	}
	r.entries = append(r.entries[:i-r.base-1], e)
	r.w.segs.reached(i)
	return nil
}

// result puts together what was found.
func (r *replay) result(files fs.FS) (*Recovered, error) {
	w := r.w
	out := &Recovered{Torn: r.torn}
	var err error
	if out.Checkpoint, err = checkpoint(files); err != nil {
		return nil, err
	}
	start := w.snapshot[0]
	if start > 0 {
		s, err := readSnapshot(files, w.snapshot[0], w.snapshot[1])
		if err != nil {
			return nil, err
		}
		out.Snapshot = s
	}
	if !r.based {
		r.base = start
	}
	if r.base > start {
		return nil, &CorruptError{w.segs[0].name(), 0, fmt.Sprintf("the log begins at entry %d, and the newest snapshot is at %d", r.base+1, start)}
	}
	last := r.base + uint64(len(r.entries))
	if last < start { // what comes next must not look like a gap
		r.entries, r.base, last = nil, start, start
		r.tail = appendNumbers(r.tail, kindReset, 0, w.snapshot[0], w.snapshot[1])
	}
	w.commit = min(max(w.commit, start), last)
	out.State = &raftpb.HardState{Term: new(w.vote[0]), Vote: new(w.vote[1]), Commit: new(w.commit)}
	return out, nil
}
