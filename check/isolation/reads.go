package isolation

import (
	"fmt"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// addReads takes in what a transaction saw. What it had written before must be
// in it.
func (p *parsed) addReads(t int32) error {
	op := p.txns[t].op
	if p.excuse != nil {
		if reason := p.excuse(op); reason != "" {
			p.excused = append(p.excused, Excused{op, reason})
			return nil
		}
	}
	for i, a := range op.Txn {
		if a.Type != history.AccessRead {
			continue
		}
		k := p.key(a.Key)
		l, isList := listOf(a.Value)
		if !p.keys[k].known { // nobody has written it
			p.keys[k].lists, p.keys[k].known = isList && a.Value != nil, a.Value != nil
		}
		if p.keys[k].lists && !isList {
			return fmt.Errorf("isolation: %v read %s from key %q, which holds lists; give a read the whole list", op, history.Text(a.Value), a.Key)
		}
		r := read{txn: t, key: k, at: int32(i), write: -1}
		own := ownWrites(op.Txn[:i], a.Key)
		if p.keys[k].lists {
			if err := comparable(l.bad, op, a.Key); err != nil {
				return err
			}
			p.readList(r, l, own)
			continue
		}
		v := plain(a.Value)
		if err := comparable(v, op, a.Key); err != nil {
			return err
		}
		p.readRegister(r, v, own)
	}
	return nil
}

// ownWrites returns what a transaction wrote to a key.
func ownWrites(before []history.Access, key string) []any {
	var own []any
	for _, a := range before {
		if a.Type != history.AccessRead && a.Key == key {
			own = append(own, plain(a.Value))
		}
	}
	return own
}

func (p *parsed) readRegister(r read, v any, own []any) {
	if len(own) > 0 {
		if last := own[len(own)-1]; v != last {
			p.find(Internal, []int32{r.txn}, fmt.Sprintf("T1 had written %s = %s, and then saw %s", p.keys[r.key].name, shown(last), shown(v)))
		}
		return
	}
	if v != nil {
		r.write = p.seen(&r, v)
	}
	if r.write >= 0 && p.writes[r.write].txn == r.txn {
		p.future(r.txn, r.key, v)
		return
	}
	p.reads = append(p.reads, r)
}

// future notes that a transaction saw what it wrote only later.
func (p *parsed) future(t, k int32, v any) {
	p.find(Internal, []int32{t}, fmt.Sprintf("T1 saw %s in %s, which it wrote only later", shown(v), p.keys[k].name))
}

func (p *parsed) readList(r read, l list, own []any) {
	key := &p.keys[r.key]
	n := l.n - len(own)
	for i := range own {
		if n < 0 || l.at(n+i) != own[i] {
			p.find(Internal, []int32{r.txn}, fmt.Sprintf("T1 had appended %s to %s, and then saw a list that does not end with that",
				shown(own[len(own)-1]), key.name))
			return
		}
	}
	if v, ok := p.ownAmong(r.txn, r.key, l, n); ok {
		w, _ := p.index.find(version{r.key, v})
		switch {
		case !slices.Contains(own, v):
			p.future(r.txn, r.key, v)
			return
		case !p.mayRepeat(w):
			p.find(Duplicate, []int32{r.txn}, fmt.Sprintf("T1 saw %s twice in %s, to which it had appended it once", shown(v), key.name))
			return
		}
	}
	if key.failed {
		l, n = p.withoutFailed(r.txn, r.key, l, n)
		p.lists[int32(len(p.reads))] = l
	}
	r.n = int32(n)
	if n > 0 {
		r.write = p.seen(&r, l.at(n-1))
	}
	if key.longest < 0 || p.reads[key.longest].n < r.n {
		if !r.bad {
			key.longest = int32(len(p.reads))
		}
	}
	p.reads = append(p.reads, r)
}

// ownAmong finds what a transaction appended itself among the first n elements
// of a list that it saw, where those of others must be.
func (p *parsed) ownAmong(t, k int32, l list, n int) (any, bool) {
	for _, a := range p.txns[t].op.Txn {
		if a.Type == history.AccessRead || a.Key != p.keys[k].name {
			continue
		}
		if v := plain(a.Value); l.has(v, n) {
			return v, true
		}
	}
	return nil, false
}

// listOf returns the list that a read saw.
func (p *parsed) listOf(i int32) list {
	if l, ok := p.lists[i]; ok {
		return l
	}
	r := &p.reads[i]
	l, _ := listOf(p.txns[r.txn].op.Txn[r.at].Value)
	return l
}

// withoutFailed returns the first n elements of a list without those of failed
// transactions, which nobody should have seen.
func (p *parsed) withoutFailed(t, k int32, l list, n int) (list, int) {
	kept := make([]any, 0, n)
	noted := false
	for i := range n {
		v := l.at(i)
		w, ok := p.index.find(version{k, v})
		if !ok || p.txns[p.writes[w].txn].state != aborted {
			kept = append(kept, v)
		} else if !noted {
			noted = true
			p.find(G1a, []int32{t, p.writes[w].txn},
				fmt.Sprintf("T1 saw %s in %s, which T2 appended, and %s", shown(v), p.keys[k].name, p.failure(p.writes[w].txn)))
		}
	}
	return list{anys: kept, n: len(kept)}, len(kept)
}

// failure says how it is known that a transaction failed.
func (p *parsed) failure(t int32) string {
	if p.txns[t].op.Status == history.Fail {
		return "T2 failed"
	}
	return "others saw the list without it: T2, whose outcome is unknown, was aborted"
}

// seen finds the write of a value that was read, and what is wrong with having
// read it.
func (p *parsed) seen(r *read, v any) int32 {
	w, ok := p.index.find(version{r.key, v})
	name := p.keys[r.key].name
	if !ok {
		r.bad = true
		p.find(GarbageRead, []int32{r.txn}, fmt.Sprintf("T1 saw %s in %s, which nobody wrote", shown(v), name))
		return -1
	}
	from := &p.txns[p.writes[w].txn]
	switch {
	case from.state == aborted:
		r.bad = true
		p.find(G1a, []int32{r.txn, p.writes[w].txn}, fmt.Sprintf("T1 saw %s in %s, which T2 wrote, and T2 failed", shown(v), name))
	case from.state == open:
		from.state = committed // it has taken effect, as somebody saw it
	}
	if !p.writes[w].final && p.writes[w].txn != r.txn { // it is no version that was installed
		r.bad = true
		p.find(G1b, []int32{r.txn, p.writes[w].txn}, fmt.Sprintf("T1 saw %s in %s, which T2 wrote and then wrote over", shown(v), name))
	}
	return w
}
