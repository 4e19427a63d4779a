package txn

import (
	"slices"
	"strings"
	"time"
)

// idleLimit is how long a transaction may hold a lock without a request before
// another one may abort it.
const idleLimit = 300 * time.Millisecond

// snapshotAge is how old a snapshot gets with [Bugs.OldSnapshots] and
// [Bugs.SessionSnapshots].
const snapshotAge = 100 * time.Millisecond

// element is a value in a list, and the commit that put it there.
type element struct{ value, commit int }

// pending is a value that a transaction has appended and not committed.
type pending struct {
	key   string
	value int
}

// transaction is what the store knows of one that has not ended.
type transaction struct {
	id       string
	snapshot int // it sees commits up to this one
	reads    []string
	writes   []pending
	last     time.Duration // when it was last heard of
}

// Store is the state of the server, without its messages.
type Store struct {
	bugs    Bugs
	commits int
	lists   map[string][]element
	active  []*transaction
	log     []committed // for the replicas

	old   int // the snapshot of OldSnapshots and SessionSnapshots
	oldAt time.Duration
	known map[string]int // up to which commit a client knows, with SessionSnapshots
}

// NewStore makes an empty store.
func NewStore(bugs Bugs) *Store {
	return &Store{bugs: bugs, lists: map[string][]element{}, known: map[string]int{}}
}

// begin returns the transaction of that name, and begins it if need be.
func (s *Store) begin(id string, now time.Duration) *transaction {
	for _, t := range s.active {
		if t.id == id {
			t.last = now
			return t
		}
	}
	t := &transaction{id: id, snapshot: s.commits, last: now}
	if s.bugs.OldSnapshots || s.bugs.SessionSnapshots {
		t.snapshot = s.oldSnapshot(t, now)
	}
	s.active = append(s.active, t)
	return t
}

// oldSnapshot returns a snapshot that is renewed only now and then.
func (s *Store) oldSnapshot(t *transaction, now time.Duration) int {
	if now-s.oldAt > snapshotAge {
		s.old, s.oldAt = s.commits, now
	}
	if !s.bugs.SessionSnapshots {
		return s.old
	}
	s.knows(t, s.old)
	return s.known[t.client()]
}

// knows notes that a client has seen a commit.
func (s *Store) knows(t *transaction, commit int) {
	s.known[t.client()] = max(s.known[t.client()], commit)
}

// client returns whose transaction it is.
func (t *transaction) client() string {
	name, _, _ := strings.Cut(t.id, "-")
	return name
}

// read returns what a transaction sees under a key.
func (s *Store) read(t *transaction, key string) []int {
	var out []int
	if !slices.Contains(t.reads, key) {
		t.reads = append(t.reads, key)
	}
	latest := s.bugs.InPlace || s.bugs.ReadLatest || s.bugs.DirtyReads
	for _, e := range s.lists[key] {
		if latest || e.commit <= t.snapshot {
			out = append(out, e.value)
		}
	}
	for _, other := range s.active {
		if other == t || s.bugs.DirtyReads {
			for _, w := range other.writes {
				if w.key == key && !s.bugs.InPlace {
					out = append(out, w.value)
				}
			}
		}
	}
	return out
}

// append appends a value, or reports that the key is locked.
func (s *Store) append(t *transaction, key string, value int, now time.Duration) bool {
	if s.bugs.InPlace {
		s.lists[key] = append(s.lists[key], element{value, s.commits})
		return true
	}
	for _, other := range slices.Clone(s.active) {
		if other == t || !slices.ContainsFunc(other.writes, func(w pending) bool { return w.key == key }) {
			continue
		}
		if now-other.last < idleLimit {
			return false
		}
		s.abort(other)
	}
	t.writes = append(t.writes, pending{key, value})
	return true
}

// commit ends a transaction and reports whether it took effect.
func (s *Store) commit(t *transaction) bool {
	s.abort(t)
	if !s.valid(t) {
		return false
	}
	s.commits++
	c := committed{Number: s.commits, Snapshot: t.snapshot}
	for _, w := range t.writes {
		c.Writes = append(c.Writes, place{w.key, len(s.lists[w.key]), w.value})
		s.lists[w.key] = append(s.lists[w.key], element{w.value, s.commits})
	}
	s.log = append(s.log, c)
	if len(t.writes) > 0 {
		s.knows(t, s.commits)
	}
	return true
}

// valid reports that nobody has changed what a transaction relies on. One that
// only reads took effect at its snapshot.
func (s *Store) valid(t *transaction) bool {
	if len(t.writes) == 0 || s.bugs.InPlace || s.bugs.DirtyReads || s.bugs.ReadLatest || s.bugs.NoConflicts {
		return true
	}
	for _, w := range t.writes {
		if s.changed(w.key, t.snapshot) {
			return false
		}
	}
	for _, key := range t.reads {
		if s.changed(key, t.snapshot) && !s.bugs.WritesOnly {
			return false
		}
	}
	return true
}

// changed reports whether a key was appended to after a snapshot.
func (s *Store) changed(key string, snapshot int) bool {
	list := s.lists[key]
	return len(list) > 0 && list[len(list)-1].commit > snapshot
}

// abort forgets a transaction.
func (s *Store) abort(t *transaction) {
	s.active = slices.DeleteFunc(s.active, func(x *transaction) bool { return x == t })
}
