package isolation

import (
	"cmp"
	"slices"
)

// builder collects what is known of the order of transactions.
type builder struct {
	*parsed
	arcs  []arc
	nodes int32 // transactions first, then nodes that stand for none

	// unseen are the writes of each key that have no place in its order, and
	// took effect. Values that were appended to a list and that nobody saw come
	// after those that somebody did, and those that the given order of a register
	// lacks after those that it has.
	unseen [][]int32
}

// build makes the graph. Only transactions that took effect have edges.
func (p *parsed) build() *graph {
	b := &builder{parsed: p, nodes: int32(len(p.txns)), arcs: make([]arc, 0, len(p.writes)+2*len(p.reads)+4*len(p.txns))}
	readers := b.readersByKey()
	b.unseen = make([][]int32, len(p.keys))
	for w := range p.writes {
		x := &p.writes[w]
		if k := x.key; x.place == 0 && b.took(x.txn) && (x.final || p.keys[k].lists) {
			b.unseen[k] = append(b.unseen[k], int32(w))
		}
	}
	for k := range p.keys {
		if p.keys[k].orderOK {
			b.ordered(int32(k), readers[k])
		} else if !p.keys[k].lists {
			b.inferred(int32(k), readers[k])
		}
	}
	b.reads()
	b.sessions()
	b.realtime()
	return newGraph(int(b.nodes), b.arcs)
}

func (b *builder) add(from, to int32, k kind, v, w int32) {
	if from != to {
		b.arcs = append(b.arcs, arc{from, edge{to: to, a: v, b: w, kind: k}})
	}
}

// node makes one that stands for no transaction.
func (b *builder) node() int32 {
	b.nodes++
	return b.nodes - 1
}

func (b *builder) took(t int32) bool { return b.txns[t].state == committed }

// readersByKey returns the places in reads of each key.
func (b *builder) readersByKey() [][]int32 {
	counts := make([]int, len(b.keys))
	for i := range b.parsed.reads {
		counts[b.parsed.reads[i].key]++
	}
	out := make([][]int32, len(b.keys))
	for i := range b.parsed.reads {
		k := b.parsed.reads[i].key
		if out[k] == nil {
			out[k] = make([]int32, 0, counts[k])
		}
		out[k] = append(out[k], int32(i))
	}
	return out
}

// reads adds that a version was written before it was read.
func (b *builder) reads() {
	for i := range b.parsed.reads {
		r := &b.parsed.reads[i]
		if r.write >= 0 && !r.bad && b.took(b.writes[r.write].txn) {
			b.add(b.writes[r.write].txn, r.txn, wr, r.write, -1)
		}
	}
}

// ordered adds the edges of a key whose versions are in a known order.
func (b *builder) ordered(k int32, readers []int32) {
	key := &b.keys[k]
	var order []int32 // without what was aborted
	after := make([]int32, len(key.order)+1)
	for i, w := range key.order {
		after[i] = int32(len(order))                                  // the version after i versions is the one at that place
		if b.took(b.writes[w].txn) && int(b.writes[w].place) == i+1 { // not a copy
			order = append(order, w)
		}
	}
	after[len(key.order)] = int32(len(order))
	for i := 1; i < len(order); i++ {
		b.add(b.writes[order[i-1]].txn, b.writes[order[i]].txn, ww, order[i-1], order[i])
	}
	late := b.unseen[k]
	end := int32(-1)
	if len(late) > 0 {
		end = b.node()
		for _, w := range late {
			b.arcs = append(b.arcs, arc{end, edge{to: b.writes[w].txn, a: -1, b: w, kind: passing}})
			if n := len(order); n > 0 {
				b.add(b.writes[order[n-1]].txn, b.writes[w].txn, ww, order[n-1], w)
			}
		}
	}
	for _, i := range readers {
		r := &b.parsed.reads[i]
		if r.bad {
			continue
		}
		place := r.n
		if r.write >= 0 && !key.lists {
			if place = b.writes[r.write].place; place == 0 || b.writes[r.write].copied {
				continue
			}
		}
		if at := after[place]; at < int32(len(order)) {
			b.add(r.txn, b.writes[order[at]].txn, rw, r.write, order[at])
		} else if end >= 0 {
			b.add(r.txn, end, rw, r.write, -1)
		}
	}
}

// inferred adds the edges of a register of whose versions only some are known
// to follow others. A transaction that read one and wrote another one put its own
// after it, or else it saw what came from the future, which the wr edge to it
// tells; so the ww edge says nothing more, and is left out: a store that is read
// uncommitted may have installed them in the opposite order.
func (b *builder) inferred(k int32, readers []int32) {
	byVersion := map[int32][]int32{}
	var versions []int32
	saw := map[int32]int32{} // the version that a transaction saw before
	for _, i := range readers {
		r := &b.parsed.reads[i]
		if r.bad {
			continue
		}
		if byVersion[r.write] == nil {
			versions = append(versions, r.write)
		}
		byVersion[r.write] = append(byVersion[r.write], i)
		if v, ok := saw[r.txn]; ok && v != r.write && v >= 0 && r.write >= 0 {
			// One of the two came first. Whichever it was, the transaction saw
			// it, and what replaced it; that it was this one is as good a story.
			b.add(r.txn, b.writes[r.write].txn, rw, v, r.write)
		}
		saw[r.txn] = r.write
	}
	for _, v := range versions {
		if v < 0 {
			continue
		}
		for _, i := range byVersion[v] {
			w := b.wrote(b.parsed.reads[i].txn, k)
			if w < 0 {
				continue
			}
			for _, j := range byVersion[v] {
				b.add(b.parsed.reads[j].txn, b.parsed.reads[i].txn, rw, v, w)
			}
		}
	}
	if first := byVersion[-1]; len(first) > 0 { // before every write
		begin := b.node()
		for _, i := range first {
			b.add(b.parsed.reads[i].txn, begin, rw, -1, -1)
		}
		for _, w := range b.unseen[k] {
			if b.took(b.writes[w].txn) {
				b.arcs = append(b.arcs, arc{begin, edge{to: b.writes[w].txn, a: -1, b: w, kind: passing}})
			}
		}
	}
}

// wrote returns the last write of a transaction to a key, or -1.
func (b *builder) wrote(t, k int32) int32 {
	op := b.txns[t].op
	for i := len(op.Txn) - 1; i >= 0; i-- {
		if a := &op.Txn[i]; a.Type != "read" && a.Key == b.keys[k].name {
			w, _ := b.index.find(version{k, plain(a.Value)})
			return w
		}
	}
	return -1
}

// sessions adds the order within each process.
func (b *builder) sessions() {
	last := map[string]int32{}
	for i := range b.txns {
		t := int32(i)
		if !b.took(t) {
			continue
		}
		op := b.txns[t].op
		before, ok := last[op.Process]
		if ok && b.txns[before].op.Return.Event <= op.Invoke.Event && b.txns[before].op.Return.Time <= op.Invoke.Time {
			b.add(before, t, session, -1, -1)
		}
		if op.Status == "ok" {
			last[op.Process] = t
		}
	}
}

// realtime adds that a transaction is before those that were called after its
// return, with a node for each return, so that the edges are few.
func (b *builder) realtime() {
	var returned, called []int32
	for i := range b.txns {
		if t := int32(i); b.took(t) {
			called = append(called, t)
			if b.txns[t].op.Status == "ok" {
				returned = append(returned, t)
			}
		}
	}
	order := func(list []int32, less func(t int32) (uint64, int64)) {
		slices.SortStableFunc(list, func(x, y int32) int {
			e, t := less(x)
			f, u := less(y)
			return cmp.Or(cmp.Compare(e, f), cmp.Compare(t, u))
		})
	}
	end := func(t int32) (uint64, int64) { p := b.txns[t].op.Return; return p.Event, int64(p.Time) }
	start := func(t int32) (uint64, int64) { p := b.txns[t].op.Invoke; return p.Event, int64(p.Time) }
	order(returned, end)
	order(called, start)
	gate, next := int32(-1), 0
	for _, t := range called {
		e, u := start(t)
		for next < len(returned) {
			f, v := end(returned[next])
			if cmp.Or(cmp.Compare(f, e), cmp.Compare(v, u)) >= 0 {
				break
			}
			n := b.node()
			if gate >= 0 {
				b.add(gate, n, passing, -1, -1)
			}
			b.add(returned[next], n, rt, -1, -1)
			gate = n
			next++
		}
		if gate >= 0 {
			b.add(gate, t, passing, -1, -1)
		}
	}
}
