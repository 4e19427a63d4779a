package isolation

import "slices"

// analysis finds the anomalies of a history.
type analysis struct {
	*parsed
	g      *graph
	left   int
	spent  bool
	cycles map[Kind][]step
	counts map[Kind]int
	lost   map[[2]int32][2]int32 // pairs of transactions that lost an update, to key and version
}

// class is a sort of cycle.
type class struct {
	anomaly Anomaly
	first   kind
	rest    kind
	apart   bool
}

// classes are tried in this order; the first that a component has is its
// anomaly.
func classes() []class {
	return []class{
		{G0, ww, ww, false},
		{G1c, wr, ww | wr, false},
		{GSingle, rw, ww | wr, false},
		{GNonadjacent, rw, data, true},
		{G2Item, rw, data, false},
	}
}

// analyse looks for cycles: first of reads and writes alone, then with the order
// of sessions, then with real time.
func (p *parsed) analyse() *analysis {
	a := &analysis{parsed: p, g: p.build(), left: budget, cycles: map[Kind][]step{}, counts: map[Kind]int{}}
	var whole [][]int32
	for _, c := range a.g.components(data | session | rt | passing) {
		if int(c[1]) < len(p.txns) { // it has two transactions
			whole = append(whole, c)
		}
	}
	if len(whole) == 0 {
		return a
	}
	a.lost = p.lostUpdates()
	for _, stage := range []struct {
		order        Order
		kinds, extra kind
	}{{Plain, data, 0}, {Session, data | session, session}, {Realtime, data | session | rt, rt}} {
		for _, nodes := range whole { // every other component is in one of these
			sub := a.g.part(nodes, stage.kinds|passing)
			for _, c := range sub.components(stage.kinds | passing) {
				a.component(sub, c, nodes, stage.order, stage.extra)
			}
		}
	}
	return a
}

// component names the worst anomaly of a component. c are nodes of g, whose
// numbers in the whole graph are in nodes.
func (a *analysis) component(g *graph, c, nodes []int32, order Order, extra kind) {
	numbers := make([]int32, len(c))
	for i, n := range c {
		numbers[i] = nodes[n]
	}
	part := g.part(c, ^kind(0))
	for _, class := range classes() {
		if order != Plain && !a.adds(Kind{class.anomaly, order}) {
			continue
		}
		kinds := class.first | class.rest | extra
		if order == Realtime {
			kinds |= session
		}
		if order == Plain && class.anomaly == GSingle {
			if pair, ok := a.lostIn(numbers); ok {
				a.note(Kind{LostUpdate, Plain}, pair)
				return
			}
		}
		w := want{class.first, kinds &^ class.noRW(), extra, class.apart}
		if s := a.smallest(part, numbers, w); s != nil {
			a.note(Kind{rename(class.anomaly, s, a), order}, s)
			return
		}
	}
}

// smallest returns a smallest cycle of a part of the graph.
func (a *analysis) smallest(g *graph, nodes []int32, w want) []step {
	var best []step
	for _, c := range g.components(w.first | w.rest | passing) {
		part := g.part(c, w.first|w.rest|passing)
		f := newFinder(part, &a.left)
		cycle := f.smallest(w)
		a.spent = a.spent || f.spent
		if cycle == nil {
			continue
		}
		numbers := make([]int32, len(c))
		for i, n := range c {
			numbers[i] = nodes[n]
		}
		if s := steps(part, sourceOf(part, cycle[0]), cycle, numbers, len(a.txns)); best == nil || len(s) < len(best) {
			best = s
		}
	}
	return best
}

// noRW returns rw for a class whose cycles have it only once.
func (c class) noRW() kind {
	if c.anomaly == GSingle {
		return rw
	}
	return 0
}

func sourceOf(g *graph, edge int32) int32 {
	n, ok := slices.BinarySearch(g.head, edge+1)
	if ok {
		for n > 0 && g.head[n-1] == g.head[n] {
			n--
		}
	}
	return int32(n) - 1
}

// note keeps the smallest cycle of each kind.
func (a *analysis) note(k Kind, s []step) {
	a.counts[k]++
	if old, ok := a.cycles[k]; !ok || len(s) < len(old) {
		a.cycles[k] = s
	}
}

// adds reports whether a kind would tell more about the levels than what was
// found so far.
func (a *analysis) adds(k Kind) bool {
	for _, l := range Levels() {
		if l.Forbids(k) && a.holds(l) {
			return true
		}
	}
	return false
}

// holds reports that nothing was found that a level forbids.
func (a *analysis) holds(l Level) bool {
	for anomaly := range a.found {
		if l.Forbids(Kind{anomaly, Plain}) {
			return false
		}
	}
	for k := range a.cycles {
		if l.Forbids(k) {
			return false
		}
	}
	return true
}

// rename gives a cycle the name of its special shape.
func rename(anomaly Anomaly, s []step, a *analysis) Anomaly {
	rws := 0
	for _, e := range s {
		rws += int(e.kind & rw / rw)
	}
	switch {
	case anomaly == G2Item && len(s) == 2 && rws == 2 && a.keyOf(s[0]) != a.keyOf(s[1]):
		return WriteSkew
	case anomaly == GNonadjacent && len(s) == 4 && rws == 2 && a.onlyReads(s):
		return LongFork
	}
	return anomaly
}

// onlyReads reports that the sources of the rw edges wrote nothing, and the
// others are wr edges.
func (a *analysis) onlyReads(s []step) bool {
	for _, e := range s {
		if e.kind == rw {
			for _, x := range a.txns[e.from].op.Txn {
				if x.Type != "read" {
					return false
				}
			}
		} else if e.kind != wr {
			return false
		}
	}
	return true
}

func (a *analysis) keyOf(s step) int32 {
	if s.b >= 0 {
		return a.writes[s.b].key
	}
	return a.writes[s.a].key
}

// lostUpdates finds transactions that read the same version of a key and wrote
// the key.
func (p *parsed) lostUpdates() map[[2]int32][2]int32 {
	b := &builder{parsed: p}
	first := map[[2]int32]int32{} // key and version to transaction
	out := map[[2]int32][2]int32{}
	for i := range p.reads {
		r := &p.reads[i]
		if r.bad || b.wrote(r.txn, r.key) < 0 {
			continue
		}
		at := [2]int32{r.key, r.write}
		if t, ok := first[at]; !ok {
			first[at] = r.txn
		} else if t != r.txn {
			out[[2]int32{t, r.txn}] = at
		}
	}
	return out
}

// lostIn returns a lost update among some transactions, as a cycle.
func (a *analysis) lostIn(nodes []int32) ([]step, bool) {
	in := map[int32]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	var best [2]int32
	found := false
	for pair := range a.lost {
		if in[pair[0]] && in[pair[1]] && (!found || slices.Compare(pair[:], best[:]) < 0) {
			best, found = pair, true
		}
	}
	if !found {
		return nil, false
	}
	b := &builder{parsed: a.parsed}
	at := a.lost[best]
	var out []step
	for i := range 2 {
		from, to := best[i], best[1-i]
		out = append(out, step{from, to, rw, at[1], b.wrote(to, at[0])})
	}
	return out, true
}
