package isolation

import (
	"fmt"
	"slices"
)

// tell puts a cycle into words.
func (a *analysis) tell(k Kind, s []step) Found {
	f := Found{Kind: k, Places: a.counts[k]}
	number := map[int32]int{}
	for i, e := range s {
		number[e.from] = i + 1
		f.Txns = append(f.Txns, a.txns[e.from].op)
	}
	for _, e := range s {
		f.Why = append(f.Why, a.why(k, e, number[e.from], number[e.to]))
	}
	return f
}

// why says why one transaction comes before another one.
func (a *analysis) why(k Kind, e step, from, to int) string {
	head := fmt.Sprintf("T%d is before T%d: ", from, to)
	switch e.kind {
	case ww:
		return head + fmt.Sprintf("T%d's %s replaced T%d's %s in %s%s", to, a.value(e.b), from, a.value(e.a), a.keys[a.keyOf(e)].name, a.evidence(e))
	case wr:
		return head + fmt.Sprintf("T%d saw T%d's %s in %s", to, from, a.value(e.a), a.keys[a.keyOf(e)].name)
	case rw:
		saw := a.value(e.a)
		if e.a < 0 {
			saw = "no value"
		}
		name := a.keys[a.keyOf(e)].name
		if k.Anomaly == LostUpdate {
			return fmt.Sprintf("T%d saw %s in %s and wrote %s there, although T%d had seen the same and wrote %s", to, saw, name, a.value(e.b), from, a.value(a.wrote(e.from, a.keyOf(e))))
		}
		return head + fmt.Sprintf("T%d saw %s in %s, which T%d's %s replaced%s", from, saw, name, to, a.value(e.b), a.evidence(e))
	case session:
		return head + fmt.Sprintf("both are of %s, one after the other", a.txns[e.from].op.Process)
	}
	return head + fmt.Sprintf("T%d had returned at %v, and T%d was called at %v", from, a.txns[e.from].op.Return.Time, to, a.txns[e.to].op.Invoke.Time)
}

func (a *analysis) wrote(t, k int32) int32 { return (&builder{parsed: a.parsed}).wrote(t, k) }

func (a *analysis) value(w int32) string {
	if w < 0 {
		return "nothing"
	}
	return shown(a.writes[w].value)
}

// evidence says how the order of two versions is known.
func (a *analysis) evidence(e step) string {
	key := &a.keys[a.keyOf(e)]
	switch {
	case key.lists && a.writes[e.b].place == 0:
		return ", for it is in no list that was seen"
	case key.lists:
		r := &a.reads[key.longest]
		return fmt.Sprintf(", for %s saw them in that order", a.txns[r.txn].op.Process)
	case key.orderOK && a.writes[e.b].place == 0:
		return ", for the given order of versions lacks it"
	case key.orderOK:
		return ", as the given order of versions says"
	case e.a < 0:
		return ""
	case a.saw(e.to, e.a):
		return ", for its transaction had read the same before it wrote"
	}
	return ", or the other way round: it saw the one, and then the other"
}

// saw reports whether a transaction read a version.
func (a *analysis) saw(t, w int32) bool {
	return slices.ContainsFunc(a.reads, func(r read) bool { return r.txn == t && r.write == w })
}

// list returns what was found, worst first.
func (a *analysis) list() []Found {
	order := []Anomaly{GarbageRead, Duplicate, IncompatibleOrder, Internal, G0, G1a, G1b, G1c, LostUpdate, GSingle,
		LongFork, GNonadjacent, WriteSkew, G2Item}
	var out []Found
	for _, x := range order {
		if f := a.found[x]; f != nil {
			out = append(out, *f)
		}
	}
	for _, o := range []Order{Plain, Session, Realtime} {
		for _, x := range order {
			if s, ok := a.cycles[Kind{x, o}]; ok {
				out = append(out, a.tell(Kind{x, o}, s))
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Found) int {
		if x.Kind.Order != y.Kind.Order {
			return int(x.Kind.Order) - int(y.Kind.Order)
		}
		return slices.Index(order, x.Kind.Anomaly) - slices.Index(order, y.Kind.Anomaly)
	})
	return out
}
