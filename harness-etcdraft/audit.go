package etcdraft

import (
	"fmt"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/simdisk"
)

// Names of the checks in this file.
const (
	checkDurable = "P4 what is called durable is on the device"
	checkCompact = "P23 only what a durable snapshot covers is compacted"
)

// audit looks at the devices: what the store has called durable must be there,
// so that a power loss at this moment would leave it. It looks at some moments
// only, because looking costs as much as recovering.
type audit struct {
	c     *Cluster
	nodes []promise // by raft ID - 1
}

// promise is what a node's store has called durable.
type promise struct {
	boot      int
	count     int // of the batches
	next      int // which is looked at
	failures  uint64
	started   simdisk.Stats // of the disk, at the start
	term      uint64
	vote      uint64
	last      uint64 // index and term of the last entry
	lastTerm  uint64
	snapshot  uint64 // index of the newest snapshot
	compacted uint64
}

const (
	auditFirst = 3   // batches of an incarnation that are always looked at
	auditEvery = 200 // after that, every so many, or as many as there are entries
)

func newAudit(c *Cluster) *audit { return &audit{c: c, nodes: make([]promise, len(c.names))} }

// Kinds says that calls into raft promise nothing.
func (a *audit) Kinds() []EventKind {
	return []EventKind{Started, Durable, SnapshotSaved, Compacted}
}

// Observe notes what is promised, and looks.
func (a *audit) Observe(e *Event) {
	p := &a.nodes[e.Replica.id-1]
	switch e.Kind {
	case Started:
		p.start(e)
	case Durable:
		p.take(e)
		failures := e.Replica.node.Disk().Stats().Failures
		if e.Snapshot != nil || p.count <= auditFirst || p.count >= p.next || failures != p.failures {
			p.failures = failures
			a.look(e.Replica, p)
		}
	case SnapshotSaved:
		p.snapshot = max(p.snapshot, e.Snapshot.GetMetadata().GetIndex())
		a.look(e.Replica, p)
	case Compacted:
		if e.Index > p.snapshot {
			a.c.Violated(checkCompact, e.Replica, "%s deletes its entries up to %d, and its newest durable snapshot is at %d", e.Replica.node.Name(), e.Index, p.snapshot)
		}
		p.compacted = max(p.compacted, e.Index)
	}
}

// start begins with what was recovered.
func (p *promise) start(e *Event) {
	rec := e.Recovered
	*p = promise{
		boot: e.Replica.boot, next: auditEvery, term: rec.State.GetTerm(), vote: rec.State.GetVote(),
		failures: e.Replica.node.Disk().Stats().Failures, started: e.Replica.node.Disk().Stats(),
		snapshot: rec.Snapshot.GetMetadata().GetIndex(),
	}
	p.last, p.lastTerm = p.snapshot, rec.Snapshot.GetMetadata().GetTerm()
	if n := len(rec.Entries); n > 0 {
		p.last, p.lastTerm = rec.Entries[n-1].GetIndex(), rec.Entries[n-1].GetTerm()
	}
}

// take adds a batch.
func (p *promise) take(e *Event) {
	p.count++
	if term := e.State.GetTerm(); term > 0 {
		p.term, p.vote = term, e.State.GetVote()
	}
	if s := e.Snapshot.GetMetadata(); s.GetIndex() > 0 {
		p.snapshot, p.last, p.lastTerm = s.GetIndex(), s.GetIndex(), s.GetTerm()
	}
	if n := len(e.Entries); n > 0 {
		p.last, p.lastTerm = e.Entries[n-1].GetIndex(), e.Entries[n-1].GetTerm()
	}
}

// look compares a promise with the device. There may be more there.
func (a *audit) look(r *Replica, p *promise) {
	if a.c.cfg.Off.Has(raftcheck.PersistBeforeSend) {
		return
	}
	found, err := a.c.cfg.Store.Inspect(r.node.Disk().Durable())
	p.next = p.count + auditEvery
	if err == nil {
		p.next = p.count + max(auditEvery, len(found.Terms))
		err = p.kept(found)
	}
	if err != nil && len(r.saving) > 0 && p.replaced(found) {
		err = nil // by a later batch that became durable together with this one, in the same sync
	}
	if err != nil && len(r.node.Disk().Injected()) == 0 {
		a.c.Violated(checkDurable, r, "%s, boot %d, was told that its vote %d in term %d, its log up to entry %d of term %d and its snapshot at %d are durable. A power loss now would lose some of it: %v. %s",
			r.node.Name(), r.boot, p.vote, p.term, p.last, p.lastTerm, p.snapshot, err, a.cause(r, p, err))
	}
}

// replaced reports whether the device has another entry where the promised last
// one was.
func (p *promise) replaced(s *wal.Summary) bool {
	if s == nil || p.last < s.First {
		return false
	}
	at := p.last - s.First
	return at < uint64(len(s.Terms)) && s.Terms[at] != p.lastTerm
}

// cause says what is known of why a promise is not kept: whether the files have
// it, as the node sees them, and what the disk has done since the start.
func (a *audit) cause(r *Replica, p *promise, missing error) string {
	disk := r.node.Disk()
	done := disk.Stats()
	seen, err := a.c.cfg.Store.Inspect(disk.FS())
	if err == nil {
		err = p.kept(seen)
	}
	switch {
	case err == nil:
		text := fmt.Sprintf("It is written and not synced (since the start: %s", plural(int(done.Syncs-p.started.Syncs), "sync"))
		if n := done.Failures - p.started.Failures; n > 0 {
			text += fmt.Sprintf(", %s failed; a failed sync drops what it was to write", plural(int(n), "operation"))
		}
		if n := disk.PendingNames(); n > 0 {
			text += fmt.Sprintf("; names of files wait for a sync of their folder: %d", n)
		}
		return text + ")."
	case seen != nil && seen.Torn > 0:
		return fmt.Sprintf("It is written behind a torn record: recovery cuts off the last %s.", plural(int(seen.Torn), "byte"))
	case err.Error() != missing.Error():
		return fmt.Sprintf("Nor do the files have it: %v.", err)
	}
	return "Nor do the files have it: it was not written, or cannot be read."
}

// kept reports what is missing of a promise.
func (p *promise) kept(s *wal.Summary) error {
	switch {
	case s.Term < p.term || s.Term == p.term && s.Vote != p.vote && p.vote != 0:
		return fmt.Errorf("the device has vote %d in term %d", s.Vote, s.Term)
	case s.Snapshot < p.snapshot:
		return fmt.Errorf("the device has a snapshot at %d", s.Snapshot)
	case s.Snapshot >= p.last || s.Term > p.term:
		return nil
	}
	if at := p.last - s.First; p.last >= s.First && at < uint64(len(s.Terms)) && s.Terms[at] == p.lastTerm {
		return nil
	}
	n := len(s.Terms)
	if n == 0 {
		return fmt.Errorf("the device has no entries")
	}
	if s.Terms[n-1] > p.lastTerm {
		return nil // replaced by a batch that is done in this event
	}
	return fmt.Errorf("the last entry on the device is %d of term %d", s.First+uint64(n)-1, s.Terms[n-1])
}

// plural is like "1 sync" or "3 syncs".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
