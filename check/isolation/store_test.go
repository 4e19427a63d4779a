package isolation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// mode is how the store of this test runs its transactions.
type mode int

const (
	serial     mode = iota // one at a time, between call and return
	stale                  // those that only read see an older state
	latestSI               // a snapshot at the call; the first to commit wins
	olderSI                // a snapshot from before
	siteSI                 // each site sees its own writes at once and others' later
	readLatest             // each read sees what is committed
	inPlace                // writes are seen at once, and undone if the transaction fails
)

// store is a small multi-version store of lists.
type store struct {
	mode  mode
	r     *rand.Rand
	now   uint64
	h     *history.History
	log   []commit // in order of commit
	live  map[string][]int
	locks map[string]*session
	sites [2]int // up to which entry a site has those of the other one
	value int
}

type commit struct {
	key   string
	value int
	site  int
	end   int // entries in the log when the transaction was committed
}

// session is a process in the middle of a transaction.
type session struct {
	name  string
	site  int
	op    *history.Op
	plan  []history.Access
	done  int
	snap  int // entries of the log that it sees
	other int // entries of the other site that it sees, in siteSI
	begin int
}

// state is a list as it was after some entries.
func (s *store) state(key string, n int) []int {
	var out []int
	for _, c := range s.log[:n] {
		if c.key == key {
			out = append(out, c.value)
		}
	}
	return out
}

// generate runs transactions of four processes, step by step in random turns.
func generate(m mode, seed uint64, txns int) *history.History {
	s := &store{mode: m, r: rand.New(rand.NewPCG(seed, uint64(m))), live: map[string][]int{}, locks: map[string]*session{}}
	s.h = history.New(func() (time.Duration, uint64) { return time.Duration(s.now), s.now })
	sessions := make([]*session, 4)
	for i := range sessions {
		sessions[i] = &session{name: fmt.Sprint("c", i), site: i % 2}
	}
	for s.h.Len() < txns {
		s.now++
		s.turn(sessions[s.r.IntN(4)])
	}
	for i := 0; i < 200; i++ {
		s.now++
		for _, x := range sessions {
			if x.op != nil {
				s.turn(x)
			}
		}
	}
	return s.h
}

func (s *store) turn(x *session) {
	if x.op == nil {
		s.begin(x)
		return
	}
	if x.done < len(x.plan) && s.mode != serial && s.mode != stale {
		s.access(x)
		return
	}
	s.commit(x)
}

func (s *store) begin(x *session) {
	x.op, x.plan, x.done, x.begin = s.h.Invoke(x.name, "txn", nil), nil, 0, len(s.log)
	onlyReads := s.r.IntN(3) == 0
	for range 1 + s.r.IntN(4) {
		a := history.Access{Type: history.AccessRead, Key: fmt.Sprint("k", s.r.IntN(3))}
		if s.mode == siteSI && !onlyReads && s.r.IntN(2) == 0 {
			a.Key = fmt.Sprint("k", x.site) // each site writes keys of its own
			a.Type = history.AccessAppend
		} else if s.mode != siteSI && !onlyReads && s.r.IntN(2) == 0 {
			a.Type = history.AccessAppend
		}
		if a.Type == history.AccessAppend {
			s.value++
			a.Value = s.value
		}
		x.plan = append(x.plan, a)
	}
	x.snap = len(s.log)
	back := s.r.IntN(4)
	if s.mode == olderSI || s.mode == stale && onlyReads {
		for ; back > 0 && x.snap > 0; back-- { // to before some commit
			end := s.log[x.snap-1].end
			for x.snap > 0 && s.log[x.snap-1].end == end {
				x.snap--
			}
		}
	}
	if s.mode == siteSI && s.r.IntN(4) == 0 { // the other site's writes arrive
		s.sites[x.site] = len(s.log)
	}
	x.other = s.sites[x.site]
}

// sees returns what a session sees of a key.
func (s *store) sees(x *session, key string) []int {
	switch s.mode {
	case readLatest:
		return s.state(key, len(s.log))
	case inPlace:
		return slices.Clone(s.live[key])
	case siteSI:
		var out []int
		for i, c := range s.log[:x.begin] {
			if c.key == key && (c.site == x.site || i < x.other) {
				out = append(out, c.value)
			}
		}
		return out
	}
	return s.state(key, x.snap)
}

func (s *store) access(x *session) {
	a := x.plan[x.done]
	if s.mode == inPlace && a.Type == history.AccessAppend {
		if by := s.locks[a.Key]; by != nil && by != x {
			if s.r.IntN(5) == 0 { // it may be a deadlock
				s.end(x, false)
			}
			return
		}
		s.locks[a.Key] = x
		s.live[a.Key] = append(s.live[a.Key], a.Value.(int))
	}
	x.done++
	if a.Type == history.AccessAppend {
		x.op.Append(a.Key, a.Value)
		return
	}
	list := s.sees(x, a.Key)
	if s.mode != inPlace {
		for _, b := range x.plan[:x.done-1] {
			if b.Type == history.AccessAppend && b.Key == a.Key {
				list = append(list, b.Value.(int))
			}
		}
	}
	x.op.Read(a.Key, list)
}

func (s *store) commit(x *session) {
	if s.mode == serial || s.mode == stale {
		if s.mode == serial || x.snap == x.begin { // not an older state
			x.snap = len(s.log)
		}
		for x.done < len(x.plan) {
			s.access(x)
		}
	}
	ok := s.r.IntN(10) > 0
	if s.mode == latestSI || s.mode == olderSI || s.mode == siteSI {
		for i, c := range s.log {
			if i >= x.snap || s.mode == siteSI && i >= x.begin {
				for _, a := range x.plan {
					ok = ok && !(a.Type == history.AccessAppend && a.Key == c.key)
				}
			}
		}
	}
	s.end(x, ok)
}

func (s *store) end(x *session, ok bool) {
	end := len(s.log) + 1
	for i, a := range x.plan {
		if a.Type != history.AccessAppend || i >= x.done {
			continue
		}
		if ok {
			s.log = append(s.log, commit{a.Key, a.Value.(int), x.site, end})
		} else if l := s.live[a.Key]; s.mode == inPlace {
			s.live[a.Key] = slices.DeleteFunc(slices.Clone(l), func(v int) bool { return v == a.Value.(int) })
		}
	}
	for k, by := range s.locks {
		if by == x {
			delete(s.locks, k)
		}
	}
	switch {
	case !ok:
		x.op.Fail("conflict")
	case s.r.IntN(20) == 0:
		x.op.Unknown("timeout")
	default:
		x.op.OK(nil)
	}
	x.op = nil
}

// TestStores runs a store at each level: what it shows is allowed there, and
// each level that it does not keep is refuted by some run.
func TestStores(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  mode
		keeps []isolation.Level
	}{
		{"serial", serial, isolation.Levels()},
		{"stale", stale, []isolation.Level{isolation.Serializable}},
		{"snapshot", latestSI, []isolation.Level{isolation.StrongSnapshot}},
		{"older snapshot", olderSI, []isolation.Level{isolation.SnapshotIsolation}},
		{"sites", siteSI, []isolation.Level{isolation.ConsistentView}},
		{"read latest", readLatest, []isolation.Level{isolation.ReadCommitted}},
		{"in place", inPlace, []isolation.Level{isolation.ReadUncommitted}},
	} {
		refuted := map[isolation.Level]int{}
		const seeds = 60
		for seed := range uint64(seeds) {
			h := generate(c.mode, seed, 60)
			r, err := isolation.Checker{}.Run(h.All())
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range c.keeps {
				if !r.Holds(l) {
					t.Fatalf("%s, seed %d is not %s: %v", c.name, seed, l, &isolation.Violation{Level: l, Result: r})
				}
			}
			for _, l := range isolation.Levels() {
				if !r.Holds(l) {
					refuted[l]++
				}
			}
		}
		for _, l := range isolation.Levels() {
			if kept := slices.ContainsFunc(c.keeps, func(k isolation.Level) bool { return implies(k, l) }); kept && refuted[l] > 0 || !kept && refuted[l] == 0 {
				t.Errorf("%s: %d of %d runs refute %s, which it keeps: %v", c.name, refuted[l], seeds, l, kept)
			}
		}
	}
}

// implies reports whether all that a level forbids is forbidden by another one.
func implies(strong, weak isolation.Level) bool {
	for _, a := range []isolation.Anomaly{isolation.GarbageRead, isolation.Duplicate, isolation.IncompatibleOrder, isolation.Internal,
		isolation.G0, isolation.G1a, isolation.G1b, isolation.G1c, isolation.LostUpdate, isolation.GSingle, isolation.LongFork,
		isolation.GNonadjacent, isolation.WriteSkew, isolation.G2Item} {
		for _, o := range []isolation.Order{isolation.Plain, isolation.Session, isolation.Realtime} {
			if k := (isolation.Kind{Anomaly: a, Order: o}); weak.Forbids(k) && !strong.Forbids(k) {
				return false
			}
		}
	}
	return true
}
