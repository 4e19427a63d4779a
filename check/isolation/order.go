package isolation

import (
	"fmt"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// orderVersions finds the order of the versions of each key, as far as it is
// known: of a list from the longest one that was read, of a register from what
// the user says.
func (p *parsed) orderVersions(given func(key string) []any) error {
	for k := range p.keys {
		switch {
		case p.keys[k].lists:
			p.orderList(int32(k))
		case given != nil:
			if err := p.orderGiven(int32(k), given(p.keys[k].name)); err != nil {
				return err
			}
		}
	}
	p.compareLists()
	return nil
}

func (p *parsed) orderGiven(k int32, values []any) error {
	key := &p.keys[k]
	for _, v := range values {
		w, ok := p.index.find(version{k, plain(v)})
		if !ok {
			return fmt.Errorf("isolation: Checker.Versions has %s for key %q, which no transaction wrote", shown(v), key.name)
		}
		switch {
		case p.writes[w].place == 0:
		case p.mayRepeat(w):
			p.writes[w].copied = true
			key.order = append(key.order, w)
			continue
		default:
			p.find(Duplicate, []int32{p.writes[w].txn}, fmt.Sprintf("the given order of versions has %s twice in %s, to which T1 wrote it once", shown(v), key.name))
			return nil
		}
		p.install(key, w)
		if t := &p.txns[p.writes[w].txn]; t.state == open {
			t.state = committed
		}
	}
	key.orderOK = values != nil
	return nil
}

// install puts a version at the end of the order of its key.
func (p *parsed) install(key *key, w int32) {
	key.order = append(key.order, w)
	p.writes[w].place = int32(len(key.order))
}

func (p *parsed) orderList(k int32) {
	key := &p.keys[k]
	key.orderOK = true
	if key.longest < 0 {
		return
	}
	r, l := &p.reads[key.longest], p.listOf(key.longest)
	key.order = make([]int32, 0, r.n)
	for i := range int(r.n) {
		v := l.at(i)
		w, ok := p.index.find(version{k, v})
		switch {
		case !ok:
			p.find(GarbageRead, []int32{r.txn}, fmt.Sprintf("T1 saw %s in %s, which nobody wrote", shown(v), key.name))
			key.orderOK = false
			return
		case p.writes[w].place > 0 && p.mayRepeat(w):
			key.order = append(key.order, w)
			continue
		case p.writes[w].place > 0:
			p.find(Duplicate, []int32{r.txn, p.writes[w].txn}, fmt.Sprintf("T1 saw %s twice in %s, to which T2 appended it once", shown(v), key.name))
			key.orderOK = false
			return
		}
		p.install(key, w)
		t := &p.txns[p.writes[w].txn]
		if t.state == open {
			t.state = committed
		}
	}
}

// mayRepeat excuses that a value is in a list again, because a client library
// sent its append more than once.
func (p *parsed) mayRepeat(w int32) bool {
	op := p.txns[p.writes[w].txn].op
	if !p.resent || len(op.Attempts) < 2 {
		return false
	}
	if !slices.ContainsFunc(p.excused, func(e Excused) bool { return e.Op == op }) {
		p.excused = append(p.excused, Excused{op, fmt.Sprintf("the client library sent it %d times, and each copy may have taken effect", len(op.Attempts))})
	}
	return true
}

// compareLists demands that every list that was read is the beginning of the
// longest one.
func (p *parsed) compareLists() {
	for i := range p.reads {
		r := &p.reads[i]
		key := &p.keys[r.key]
		if !key.lists || key.longest < 0 || r.bad {
			continue
		}
		top, l := p.listOf(key.longest), p.listOf(int32(i))
		if !top.begins(&l, int(r.n)) {
			r.bad = true
			if t, ok := p.vanished(&l, int(r.n), &top, int(p.reads[key.longest].n), r.key); ok {
				p.presume[t] = true
				continue
			}
			p.find(IncompatibleOrder, []int32{r.txn, p.reads[key.longest].txn},
				fmt.Sprintf("T1 saw %s in %s, which is no beginning of what T2 saw", listText(&l, int(r.n)), key.name))
		}
	}
}

// vanished finds the value at which two lists part that only one of them has,
// and that a transaction appended whose outcome is unknown. That one was
// aborted, then.
func (p *parsed) vanished(a *list, n int, b *list, m int, k int32) (int32, bool) {
	at := 0
	for at < n && at < m && a.at(at) == b.at(at) {
		at++
	}
	only := func(x *list, n int, y *list, m int) (int32, bool) {
		if at >= n {
			return 0, false
		}
		w, ok := p.index.find(version{k, x.at(at)})
		for i := range m {
			ok = ok && y.at(i) != x.at(at)
		}
		return p.writes[w].txn, ok && !known(p.txns[p.writes[w].txn].op)
	}
	if t, ok := only(a, n, b, m); ok {
		return t, true
	}
	return only(b, m, a, n)
}

// known reports that a transaction's outcome is.
func known(op *history.Operation) bool {
	return op.Status == history.OK || op.Status == history.Fail
}

// listText shows the end of the first n elements of a list.
func listText(l *list, n int) string {
	s := "]"
	for i := n - 1; i >= 0; i-- {
		if i < n-5 {
			return "[… " + s
		}
		if s != "]" {
			s = " " + s
		}
		s = shown(l.at(i)) + s
	}
	return "[" + s
}
