package linear

// entryCost is about how many bytes a remembered configuration takes.
const entryCost = 160

// searcher looks for an order of the operations of a part, one after another.
//
// It is the search of Wing and Gong (Testing and Verifying Concurrent Objects,
// J. Parallel Distrib. Comput. 17, 1993) with the memory of Lowe (Testing for
// Linearizability, Concurr. Comput. 29, 2017), and two rules of its own. An
// operation that only looks is placed as soon as its result fits, and nothing
// else is tried there. An optional operation is placed only when none of the
// certain ones leads further, and a configuration is given up if one with the
// same certain operations, the same state and no more optional ones has been
// given up: not having used an operation that may still be used is never worse.
// Of optional operations with the same call the first is used first.
type searcher struct {
	m      *Model
	items  []item
	must   []int32 // certain items, in the order of invocation
	may    []int32 // optional items, in the order of invocation
	twin   []int32 // of each item the optional one before it with the same call, or -1
	byCall list    // of places in must that are not placed yet, by invocation
	byRet  list    // the same by return
	states states
	seen   map[config][]*used
	cost   int
	limits *limits
	marks  marks // what is being compared
	placed marks // what is used in the configuration that is expanded

	frames []frame
	set    [2]uint64 // hash of the certain items that are placed

	frontier int32 // the latest return that was the next one to come
	tried    []any // states in which it was
}

// config is a configuration without its optional operations.
type config struct {
	set   [2]uint64
	state int32
}

// node is a configuration: those of one frame have the same certain operations.
type node struct {
	state any
	id    int32
	used  *used
	fresh bool // it has optional operations placed last
}

// frame is a depth of the search: one certain operation has been placed last.
type frame struct {
	placed int32 // its place in must; -1 at the bottom
	from   int32 // the node of the frame below that it was placed in
	nodes  []node
	node   int32 // the one that is tried
	next   int32 // the certain operation to try next in it, a place in must; -1: expand
	begun  bool
}

// outcome is how a search ended.
type outcome int

const (
	found outcome = iota
	impossible
	gaveUp
)

func newSearcher(m *Model, items []item, l *limits) *searcher {
	s := &searcher{m: m, items: items, limits: l, seen: map[config][]*used{}, frontier: -1, marks: newMarks(len(items)), placed: newMarks(len(items))}
	for i := range items {
		if items[i].optional {
			if !m.readOnly(items[i].call) { // it can be left out, and then it should
				s.may = append(s.may, int32(i))
			}
		} else {
			s.must = append(s.must, int32(i))
		}
	}
	s.pair()
	s.byCall = newList(len(s.must), func(i int) int32 { return int32(i) })
	ret := func(i int32) int32 { return items[s.must[i]].ret }
	s.byRet = sortedList(len(s.must), ret)
	s.states.init(m)
	return s
}

// run searches until an order is found, there is none, or the limits end it.
func (s *searcher) run() outcome {
	init := s.m.Init()
	s.push(-1, 0, node{state: init, id: s.id(init)})
	for {
		if s.byRet.empty() {
			return found
		}
		if !s.limits.more() {
			return gaveUp
		}
		f := &s.frames[len(s.frames)-1]
		if f.node == int32(len(f.nodes)) {
			if f.placed < 0 {
				return impossible
			}
			s.pop(f)
			continue
		}
		if !f.begun {
			f.begun, f.next = true, s.byCall.first()
			if s.look(f) {
				continue
			}
		}
		if !s.place(f) {
			s.expand(f)
			f.advance()
		}
	}
}

// bound returns the return that no operation that is placed now may be called
// after.
func (s *searcher) bound() int32 { return s.items[s.must[s.byRet.first()]].ret }

// advance goes to the next node.
func (f *frame) advance() { f.node, f.begun = f.node+1, false }

// place places the next certain operation that is possible in the node of a
// frame, and reports whether there is one.
func (s *searcher) place(f *frame) bool {
	n := &f.nodes[f.node]
	bound := s.bound()
	for f.next >= 0 {
		c := f.next
		it := &s.items[s.must[c]]
		if it.inv > bound {
			return false
		}
		f.next = s.byCall.after(c)
		s.limits.steps++
		state, ok := s.m.Step(n.state, it.call)
		if !ok {
			continue
		}
		next := node{state: state, id: s.id(state), used: n.used}
		if s.remember(s.with(c), &next) {
			s.lift(c)
			s.push(c, f.node, next)
			return true
		}
	}
	return false
}

// look looks for an operation that only looks and whose result fits. If there
// is one it is placed, and nothing else is tried in this node: whatever order
// there is from here on, the operation can be put in front of it.
func (s *searcher) look(f *frame) bool {
	if s.m.ReadOnly == nil {
		return false
	}
	n, at, bound := f.nodes[f.node], f.node, s.bound()
	for c := s.byCall.first(); c >= 0; c = s.byCall.after(c) {
		it := &s.items[s.must[c]]
		if it.inv > bound {
			return false
		}
		if !s.m.ReadOnly(it.call) {
			continue
		}
		s.limits.steps++
		if _, ok := s.m.Step(n.state, it.call); !ok {
			continue
		}
		f.advance()
		next := node{state: n.state, id: s.id(n.state), used: n.used}
		if s.remember(s.with(c), &next) {
			s.lift(c)
			s.push(c, at, next)
		}
		return true
	}
	return false
}

// remember notes that a configuration with these certain operations is being
// tried; it reports false if that is of no use.
func (s *searcher) remember(set [2]uint64, n *node) bool {
	key := config{set, n.id}
	before := s.seen[key]
	if len(before) > 0 && s.covers(before, n.used) {
		return false
	}
	s.cost += entryCost
	if s.cost+s.states.cost > s.limits.memory {
		s.forget()
		n.id = s.id(n.state)
		key.state, before = n.id, nil
	}
	s.seen[key] = append(before, n.used)
	return true
}

// forget drops what is remembered: the search goes on, only slower.
func (s *searcher) forget() {
	s.limits.forgot++
	s.seen = map[config][]*used{}
	s.states.init(s.m)
	s.cost = entryCost
}

func (s *searcher) push(c, from int32, n node) {
	s.frames = append(s.frames, frame{placed: c, from: from, nodes: []node{n}})
	if s.byRet.empty() {
		return
	}
	b := s.bound()
	if b > s.frontier {
		s.frontier, s.tried = b, s.tried[:0]
	}
	s.try(b, n.state)
}

// try notes the state in which the operation that returns at b is tried.
func (s *searcher) try(b int32, state any) {
	if b == s.frontier && len(s.tried) < maxTried {
		s.tried = append(s.tried, state)
	}
}

const maxTried = 16

// expand adds the configurations that one more optional operation leads to.
func (s *searcher) expand(f *frame) {
	n := f.nodes[f.node]
	if len(s.may) == 0 {
		return
	}
	bound := s.bound()
	s.placed.clear()
	for u := n.used; u != nil; u = u.before {
		s.placed.add(u.item)
	}
	for _, i := range s.may {
		it := &s.items[i]
		if it.inv > bound {
			return
		}
		if s.placed.has(i) || n.fresh && s.m.blind(it.call) || !s.limits.more() {
			continue
		}
		if j := s.twin[i]; j >= 0 && !s.placed.has(j) {
			continue
		}
		s.limits.steps++
		state, ok := s.m.Step(n.state, it.call)
		if !ok {
			continue
		}
		next := node{state: state, id: s.id(state), used: &used{n.used, i, n.used.size() + 1}, fresh: true}
		if s.remember(s.set, &next) {
			f.nodes = append(f.nodes, next)
			s.try(bound, state)
		}
	}
}

func (s *searcher) lift(c int32) {
	s.set = s.with(c)
	s.byCall.lift(c)
	s.byRet.lift(c)
}

func (s *searcher) pop(f *frame) {
	c := f.placed
	s.frames[len(s.frames)-1] = frame{}
	s.frames = s.frames[:len(s.frames)-1]
	s.byRet.unlift(c)
	s.byCall.unlift(c)
	s.set = s.with(c)
}

// with returns the hash of the placed certain operations with one more, or
// less.
func (s *searcher) with(c int32) [2]uint64 {
	h := uint64(c)*2 + 1
	return [2]uint64{s.set[0] ^ mix(h*0x9e3779b97f4a7c15), s.set[1] ^ mix(h*0xd1342543de82ef95+0x632be59bd9b4e019)}
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (s *searcher) id(state any) int32 { return s.states.id(state) }

// path returns the items in the order that was found.
func (s *searcher) path() []int32 {
	var out []int32
	var placed *used
	for d := range s.frames {
		f := &s.frames[d]
		if f.placed < 0 {
			continue
		}
		out = append(out, s.since(s.frames[d-1].nodes[f.from].used, placed)...)
		placed = s.frames[d-1].nodes[f.from].used
		out = append(out, s.must[f.placed])
	}
	return out
}

// since lists the optional operations of a that are not in b, in the order in
// which they were placed.
func (s *searcher) since(a, b *used) []int32 {
	var out []int32
	for ; a != b && a != nil; a = a.before {
		out = append(out, a.item)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
