package etcdraft

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Names of the checks in this file.
const (
	checkAlike    = "replicas apply alike"
	checkOnce     = "P20 a request takes effect once"
	checkNowhere  = "P20 nothing appears from nowhere"
	checkSurvive  = "P20 acknowledged writes survive"
	checkOrder    = "P20 writes take effect in the order of real time"
	checkConverge = "replicas converge"
)

// ledger knows what the clients have asked for and what the state machines have
// carried out. It is an observer.
type ledger struct {
	c        *Cluster
	entries  []booked // by index of the log, from firstIndex
	writes   map[requestID]*write
	order    []*write // as issued
	lastDone time.Duration
	began    []uint64 // by raft ID - 1: index of the snapshot that its state was made from last
}

type requestID struct{ client, seq uint64 }

// write is a command of a client.
type write struct {
	id       requestID
	client   string
	data     []byte
	tries    []string // whom the client has asked
	called   time.Duration
	returned time.Duration // 0 if it was not acknowledged
	index    uint64        // of the entry that carried it out, 0 if none did
}

// booked is what the first replica that applied an entry made of it.
type booked struct {
	known    bool
	term     uint64
	sum      digest
	result   digest
	executed *write
}

func newLedger(c *Cluster) *ledger {
	return &ledger{c: c, writes: map[requestID]*write{}, began: make([]uint64, len(c.names))}
}

func (l *ledger) now() time.Duration { return time.Duration(l.c.world.Sim().Now()) }

// issued notes that a client asks for a write.
func (l *ledger) issued(client string, id requestID, data []byte) {
	w := &write{id: id, client: client, data: bytes.Clone(data), called: l.now()}
	l.writes[w.id] = w
	l.order = append(l.order, w)
}

// tried notes that a server was asked.
func (l *ledger) tried(id requestID, server string) {
	if w := l.writes[id]; w != nil {
		w.tries = append(w.tries, server)
	}
}

// acknowledged notes that it was answered.
func (l *ledger) acknowledged(id requestID) {
	w := l.writes[id]
	w.returned = l.now()
	l.lastDone = max(l.lastDone, w.called)
}

// Kinds says that only what was applied is booked, and where a state comes from.
func (l *ledger) Kinds() []EventKind { return []EventKind{Started, SnapshotInstalled, Applied} }

// Observe books every entry that is applied, and compares it with what the
// first replica made of it.
func (l *ledger) Observe(e *Event) {
	switch e.Kind {
	case Started:
		l.began[e.Replica.id-1] = e.Replica.state.index
		return
	case SnapshotInstalled:
		l.began[e.Replica.id-1] = e.Snapshot.GetMetadata().GetIndex()
		return
	}
	if e.Index < firstIndex {
		return
	}
	i := int(e.Index - firstIndex)
	for len(l.entries) <= i {
		l.entries = append(l.entries, booked{})
	}
	b := booked{known: true, term: e.Entry.GetTerm(), sum: digest(e.Entry.GetType()).bytes(e.Entry.GetData())}
	if e.Command != nil {
		b.result = digest(1).bytes(e.Data)
		if e.Executed {
			b.executed = l.carriedOut(e)
		}
	}
	was := &l.entries[i]
	switch {
	case !was.known:
		*was = b
	case was.term != b.term || was.sum != b.sum:
		l.c.Violated(checkAlike, e.Replica, "%s applies another entry at index %d, of term %d, than was applied there before, of term %d",
			e.Replica.node.Name(), e.Index, b.term, was.term)
	case e.Command != nil && was.result != 0 && (was.result != b.result || was.executed != b.executed):
		l.c.Violated(checkAlike, e.Replica, "%s makes something else of entry %d than the replica that applied it first: another result, %q, or another answer to whether it is a repetition. %s",
			e.Replica.node.Name(), e.Index, e.Data, l.origin(e.Replica))
	case was.result == 0:
		was.result, was.executed = b.result, b.executed
	}
}

// carriedOut finds the write that an entry has carried out.
func (l *ledger) carriedOut(e *Event) *write {
	w := l.writes[requestID{e.Command.Client, e.Command.Seq}]
	switch {
	case w == nil || !bytes.Equal(w.data, e.Command.Data):
		l.c.Violated(checkNowhere, e.Replica, "entry %d holds request %d of session %d, which no client has made", e.Index, e.Command.Seq, e.Command.Client)
	case w.index == 0:
		w.index = e.Index
	case w.index != e.Index:
		l.c.Violated(checkOnce, e.Replica, "%s takes effect at index %d on %s, and has taken effect at index %d before. %s %s",
			l.describe(w), e.Index, e.Replica.node.Name(), w.index, w.asked(), l.origin(e.Replica))
	}
	return w
}

// describe tells a write: the session and its number, and the command in words
// if the state machine can say it.
func (l *ledger) describe(w *write) string {
	text := fmt.Sprintf("request %d of session %d (%s)", w.id.seq, w.id.client, w.client)
	if m, ok := l.c.cfg.Machine().(interface{ Describe(command []byte) string }); ok {
		text += fmt.Sprintf(", %q,", m.Describe(w.data)) // in quotes: which one it is does not tell failures apart
	}
	return text
}

// asked tells how often the client has repeated a request.
func (w *write) asked() string {
	if len(w.tries) < 2 {
		return fmt.Sprintf("The client has asked once, %v: the network or a node has repeated it.", w.tries)
	}
	return fmt.Sprintf("The client has asked %d times, in this order: %v.", len(w.tries), w.tries)
}

// origin tells where the state of a replica comes from.
func (l *ledger) origin(r *Replica) string {
	return fmt.Sprintf("The state of %s was made from the snapshot at %d and the entries behind it.", r.node.Name(), l.began[r.id-1])
}

// survived reports an acknowledged write that no state machine has carried out.
func (l *ledger) survived() error {
	for _, w := range l.order {
		if w.returned > 0 && w.index == 0 {
			return fmt.Errorf("%s was acknowledged at %v, and no entry that was applied has carried it out", l.describe(w), w.returned)
		}
	}
	return nil
}

// inOrder reports two writes that took effect in another order than the one in
// which they were made.
func (l *ledger) inOrder() error {
	var done []*write
	for _, w := range l.order {
		if w.index > 0 {
			done = append(done, w)
		}
	}
	slices.SortFunc(done, func(a, b *write) int { return cmp.Compare(a.index, b.index) })
	var first *write // of those at higher indexes, the one that had returned first
	for _, w := range slices.Backward(done) {
		if first != nil && first.returned < w.called {
			return fmt.Errorf("%s was acknowledged at %v and took effect at index %d; %s was made later, at %v, and took effect before it, at index %d",
				l.describe(first), first.returned, first.index, l.describe(w), w.called, w.index)
		}
		if w.returned > 0 && (first == nil || w.returned < first.returned) {
			first = w
		}
	}
	return nil
}

// converged reports a replica whose state is not what the entries up to its
// applied index make.
func (l *ledger) converged() error {
	var list []*Replica
	for i := range l.c.nodes {
		if r, ok := l.c.Replica(uint64(i + 1)); ok && r.state.index <= r.applied && r.applied > 0 {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b *Replica) int { return cmp.Compare(a.applied, b.applied) })
	model, at := l.c.cfg.Machine(), uint64(0)
	for _, r := range list {
		for ; at+firstIndex <= r.applied && at < uint64(len(l.entries)); at++ {
			if w := l.entries[at].executed; w != nil {
				model.Apply(w.data)
			}
		}
		if want, have := model.Snapshot(), r.state.machine.Snapshot(); !bytes.Equal(want, have) {
			return fmt.Errorf("the state of %s at index %d is not what the entries up to there make: it has %q and should have %q", r.node.Name(), r.applied, have, want)
		}
	}
	return nil
}
