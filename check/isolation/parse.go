package isolation

import (
	"fmt"
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// state says what is known of a transaction.
type state uint8

const (
	open      state = iota // its outcome is unknown and nobody saw anything of it
	committed              // it ended well, or somebody saw what it wrote
	aborted
)

// txn is a transaction; its number is its place in the history.
type txn struct {
	op    *history.Operation
	state state
}

// key is what transactions read and write.
type key struct {
	name    string
	lists   bool  // it holds a list, to which values are appended
	known   bool  // whether it does is known
	failed  bool  // a transaction that wrote it failed
	longest int32 // the external read that saw most, -1 for none
	order   []int32
	orderOK bool // order lists all versions that were installed, first ones first
}

// write is a version of a key.
type write struct {
	txn   int32
	key   int32
	value any
	place int32 // in the order of the key's versions, from 1; 0: not known
	final bool  // its transaction did not write the key again

	copied bool // a register had it more than once: which of them was read is not known
}

// read is what a transaction saw of a key that it had not written itself.
type read struct {
	txn, key int32
	at       int32 // the place of the access in the transaction
	n        int32 // how many elements of the list others appended
	write    int32 // the version, -1 for the one before any write
	bad      bool  // it is an anomaly by itself and says nothing on the order
}

// version identifies a write.
type version struct {
	key   int32
	value any
}

// versions finds writes. Most values are small numbers, which are found faster.
type versions struct {
	small map[uint64]int32
	other map[version]int32
}

// number returns a version as one number, if its value is a small one.
func (v version) number() (uint64, bool) {
	n, ok := v.value.(int)
	return uint64(v.key)<<32 | uint64(uint32(n)), ok && n >= 0 && uint64(n) <= 1<<32-1
}

func (x *versions) find(v version) (int32, bool) {
	if n, ok := v.number(); ok {
		w, ok := x.small[n]
		return w, ok
	}
	w, ok := x.other[v]
	return w, ok
}

func (x *versions) add(v version, w int32) {
	if n, ok := v.number(); ok {
		x.small[n] = w
	} else {
		x.other[v] = w
	}
}

// parsed is a history in numbers.
type parsed struct {
	txns   []txn
	keys   []key
	names  map[string]int32
	writes []write
	index  versions
	reads  []read
	lists  map[int32]list // of reads whose list is not the one that was read
	found  map[Anomaly]*Found

	presume map[int32]bool // transactions that must have been aborted

	excuse  func(op *history.Operation) string
	resent  bool
	excused []Excused
}

// parse takes in a history. The error is about a workload that nothing can be
// said about.
// presumed are transactions that must have been aborted although nobody was told.
func parse(ops iter.Seq[*history.Operation], c Checker, presumed map[int32]bool) (*parsed, error) {
	p := &parsed{names: map[string]int32{}, lists: map[int32]list{}, found: map[Anomaly]*Found{}, presume: map[int32]bool{}, excuse: c.Excuse, resent: c.Resent}
	reads, writes := 0, 0
	for op := range ops {
		if len(op.Txn) == 0 {
			continue
		}
		for i := range op.Txn {
			switch op.Txn[i].Type {
			case history.AccessRead:
				reads++
			case history.AccessWrite, history.AccessAppend:
				writes++
			default:
				return nil, fmt.Errorf("isolation: %v has an access of type %q to key %q; use %q, %q or %q", op,
					op.Txn[i].Type, op.Txn[i].Key, history.AccessRead, history.AccessWrite, history.AccessAppend)
			}
		}
		s := open
		switch op.Status {
		case history.OK:
			s = committed
		case history.Fail:
			s = aborted
		}
		if presumed[int32(len(p.txns))] {
			s = aborted
		}
		p.txns = append(p.txns, txn{op, s})
	}
	p.reads, p.writes = make([]read, 0, reads), make([]write, 0, writes)
	p.index = versions{make(map[uint64]int32, writes), map[version]int32{}}
	for i := range p.txns {
		if err := p.addWrites(int32(i)); err != nil {
			return nil, err
		}
	}
	for i := range p.txns {
		if p.txns[i].op.Status == history.OK {
			if err := p.addReads(int32(i)); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func (p *parsed) key(name string) int32 {
	k, ok := p.names[name]
	if !ok {
		k = int32(len(p.keys))
		p.names[name] = k
		p.keys = append(p.keys, key{name: name, longest: -1})
	}
	return k
}

// addWrites takes in what a transaction wrote.
func (p *parsed) addWrites(t int32) error {
	op := p.txns[t].op
	for i, a := range op.Txn {
		if a.Type == history.AccessRead {
			continue
		}
		k := p.key(a.Key)
		if lists := a.Type == history.AccessAppend; !p.keys[k].known {
			p.keys[k].lists, p.keys[k].known = lists, true
		} else if p.keys[k].lists != lists {
			return fmt.Errorf("isolation: key %q is both written and appended to; use one of them on a key", a.Key)
		}
		v := version{k, plain(a.Value)}
		if err := comparable(v.value, op, a.Key); err != nil {
			return err
		}
		if v.value == nil {
			return fmt.Errorf("isolation: %v writes no value to key %q; that cannot be told from a key that was never written", op, a.Key)
		}
		if other, twice := p.index.find(v); twice {
			return fmt.Errorf("isolation: %s was written to key %q twice, by %v and %v; write each value once, so that a read tells who wrote it",
				history.Text(a.Value), a.Key, p.txns[p.writes[other].txn].op, op)
		}
		p.keys[k].failed = p.keys[k].failed || p.txns[t].state == aborted
		p.index.add(v, int32(len(p.writes)))
		p.writes = append(p.writes, write{txn: t, key: k, value: v.value, final: !writesLater(op.Txn[i+1:], a.Key)})
	}
	return nil
}

// writesLater reports whether some accesses write a key.
func writesLater(rest []history.Access, key string) bool {
	for _, a := range rest {
		if a.Type != history.AccessRead && a.Key == key {
			return true
		}
	}
	return false
}

// find notes an anomaly that is no cycle.
func (p *parsed) find(a Anomaly, txns []int32, why string) {
	if f := p.found[a]; f != nil {
		f.Places++
		return
	}
	f := &Found{Kind: Kind{Anomaly: a}, Places: 1, Why: []string{why}}
	for _, t := range txns {
		f.Txns = append(f.Txns, p.txns[t].op)
	}
	p.found[a] = f
}

func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	return shorten(history.Text(v))
}
