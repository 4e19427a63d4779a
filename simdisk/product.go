package simdisk

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
)

// product is for profiles under which names, and each file's content, are
// decided apart: it combines the outcomes of each.
func (e *enumeration) product() {
	trees := e.trees()
	files := map[*inode][]verdicts{}
	for _, x := range e.base.dirty {
		files[x] = e.contents(x)
	}
	total := 0
	for i := range trees {
		t := &trees[i]
		t.count = 1
		for _, x := range t.dirty {
			t.count = min(t.count*len(files[x]), e.limit+1)
		}
		total = min(total+t.count, e.limit+1)
	}
	p := picker{e: e, trees: trees, files: files, seen: map[string]bool{}}
	if total <= e.limit {
		for t := range trees {
			for i := range trees[t].count {
				p.pick(t, p.digits(t, i))
			}
		}
		return
	}
	e.all = false
	p.extremes()
	for n := uint64(0); len(e.out) < e.limit && n < 8*uint64(e.limit); n++ {
		t := int(e.stream.Derive("tree").Below(n, uint64(len(trees))))
		digits := make([]int, len(trees[t].dirty))
		for i, x := range trees[t].dirty {
			digits[i] = int(e.stream.Derive("file").Below(n<<16+uint64(i), uint64(len(files[x]))))
		}
		p.pick(t, digits)
	}
}

// tree is an outcome of the directory operations.
type tree struct {
	names []bool
	dirty []*inode // files with pending operations that have a name in it
	count int      // states with it
}

// picker adds combinations, each once.
type picker struct {
	e     *enumeration
	trees []tree
	files map[*inode][]verdicts
	seen  map[string]bool
}

// digits reads i as one outcome for each file of a tree.
func (p *picker) digits(t, i int) []int {
	out := make([]int, len(p.trees[t].dirty))
	for k, x := range p.trees[t].dirty {
		out[k] = i % len(p.files[x])
		i /= len(p.files[x])
	}
	return out
}

func (p *picker) pick(t int, digits []int) {
	key := string(binary.AppendUvarint(nil, uint64(t)))
	for _, n := range digits {
		key = string(binary.AppendUvarint([]byte(key), uint64(n)))
	}
	if p.seen[key] || len(p.e.out) == p.e.limit {
		return
	}
	p.seen[key] = true
	values := verdicts{}
	for i, x := range p.trees[t].dirty {
		for _, op := range x.pending {
			if v := p.files[x][digits[i]][op.seq]; v != lostValue {
				values[op.seq] = v
			}
		}
	}
	p.e.add(p.trees[t].names, values)
}

// extremes picks the corners, and what is one step away from them.
func (p *picker) extremes() {
	all := func(t, which int) []int {
		out := make([]int, len(p.trees[t].dirty))
		for i, x := range p.trees[t].dirty {
			out[i] = min(which, len(p.files[x])-1)
		}
		return out
	}
	for which := range 2 {
		for t := range min(2, len(p.trees)) {
			p.pick(t, all(t, which))
		}
	}
	kept := min(1, len(p.trees)-1)
	for which := range 2 {
		for t := range p.trees {
			p.pick(t, all(t, which))
		}
		for i, x := range p.trees[kept].dirty {
			for n := range p.files[x] {
				digits := all(kept, which)
				digits[i] = n
				p.pick(kept, digits)
			}
		}
	}
}

// trees lists the outcomes of the directory operations that differ: first the
// one that loses all, then the one that keeps all.
func (e *enumeration) trees() []tree {
	d := e.base
	sets := [][]bool{make([]bool, len(d.names))}
	if len(d.names) > 0 {
		every := slices.Repeat([]bool{true}, len(d.names))
		sets = append(sets, every)
	}
	if e.profile == Ordered {
		for _, n := range e.sample(len(d.names) + 1) {
			set := make([]bool, len(d.names))
			for i := range n {
				set[i] = true
			}
			sets = append(sets, set)
		}
	} else {
		sets = append(sets, e.legalSets()...)
	}
	var out []tree
	seen := map[string]bool{}
	for _, set := range sets {
		t, key := e.tree(set)
		if !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

// tree looks at what a set of directory operations gives, and describes it.
func (e *enumeration) tree(set []bool) (tree, string) {
	f, to := e.base.fork(e.bay)
	for i := range f.names {
		if set[i] {
			f.names[i].apply()
		}
	}
	from := map[*inode]*inode{}
	for x, y := range to { //faultline:unordered fills a map
		from[y] = x
	}
	there := map[*inode]bool{}
	h := hasher{}
	var walk func(dir *inode)
	walk = func(dir *inode) {
		for _, name := range sortedNames(dir.dur) {
			x := dir.dur[name]
			h.str(name)
			if x.isDir() {
				h.num(-1)
				walk(x)
				h.num(-2)
				continue
			}
			there[from[x]] = true
			h.num(e.number(from[x]))
		}
	}
	t := tree{names: set}
	walk(f.root)
	for _, x := range e.base.dirty {
		if there[x] {
			t.dirty = append(t.dirty, x)
		}
	}
	return t, h.text()
}

// number tells files apart, also those made at the same path.
func (e *enumeration) number(x *inode) int64 {
	n, ok := e.numbers[x]
	if !ok {
		n = int64(len(e.numbers))
		e.numbers[x] = n
	}
	return n
}

// legalSets lists the legal sets of directory operations, or some of them.
func (e *enumeration) legalSets() [][]bool {
	d := e.base
	var out [][]bool
	set := make([]bool, len(d.names))
	var rec func(i int, lost builds)
	rec = func(i int, lost builds) {
		switch {
		case len(out) > e.limit:
			return
		case i == len(d.names):
			out = append(out, slices.Clone(set))
			return
		}
		op := &d.names[i]
		if !lost.blocks(op) {
			set[i] = true
			rec(i+1, lost)
		}
		set[i] = false
		without := lost.clone()
		without.changes(op)
		rec(i+1, without)
	}
	rec(0, newBuilds())
	if len(out) <= e.limit {
		return out
	}
	e.all = false
	out = nil
	add := func(in func(i int) bool) {
		values := verdicts{}
		for i := range d.names {
			if in(i) {
				values[d.names[i].seq] = keptValue
			}
		}
		out = append(out, d.legalNames(values))
	}
	for k := range d.names {
		add(func(i int) bool { return i < k })
		add(func(i int) bool { return i != k })
	}
	for n := range uint64(e.limit) {
		add(func(i int) bool { return e.stream.Derive("name").At(n<<16+uint64(i))&1 != 0 })
	}
	return out[:min(len(out), e.limit)]
}

// hasher hashes a list of strings and numbers.
type hasher struct{ h hash.Hash }

func (h *hasher) num(n int64) {
	if h.h == nil {
		h.h = sha256.New()
	}
	h.h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func (h *hasher) str(s string) {
	h.num(int64(len(s)))
	h.h.Write([]byte(s))
}

func (h *hasher) text() string {
	h.num(0)
	return string(h.h.Sum(nil))
}

// sum hashes the files below a directory.
func (x *inode) sum(h *hasher) {
	for _, name := range sortedNames(x.dur) {
		c := x.dur[name]
		h.str(name)
		if c.isDir() {
			h.num(-1)
			c.sum(h)
			h.num(-2)
			continue
		}
		h.str(string(c.onDisk()))
	}
}

// fileState is a file after some of its operations.
type fileState struct {
	aftermath
	values verdicts
	intact bool // no change of size was lost, see Ordered
	every  bool // all were kept
	order  uint64
}

// contents lists the different contents that a file may have, as values for its
// operations: first the one that loses all, then the one that keeps all.
func (e *enumeration) contents(x *inode) []verdicts {
	d := e.base
	first := d.newAftermath(x)
	cache := first.cache
	states := []*fileState{{aftermath: *first, values: verdicts{}, intact: true, every: true}}
	open := d.orderedOps(x)
	for i := range x.pending {
		op := &x.pending[i]
		first.advance(x, op)
		cache = first.cache
		var next []*fileState
		seen := map[string]bool{}
		for _, s := range states {
			for _, v := range e.options(s, op, open[i], d.sectors(op)) {
				n := s.after(op, v, cache, open[i])
				if key := n.key(); !seen[key] || n.every {
					seen[key] = true
					next = append(next, n)
				}
			}
		}
		states = e.thin(next)
	}
	slices.SortStableFunc(states, func(a, b *fileState) int { return cmp.Compare(a.rank(), b.rank()) })
	out := make([]verdicts, 0, len(states))
	seen := map[string]bool{}
	for _, s := range states {
		if key := string(s.disk); !seen[key] {
			seen[key] = true
			out = append(out, s.values)
		}
	}
	return out
}

// rank puts the state that loses all first and the one that keeps all second.
func (s *fileState) rank() int {
	switch {
	case len(s.values) == 0:
		return 0
	case s.every:
		return 1
	}
	return 2
}

func (s *fileState) key() string {
	flags := "00"
	if s.whole {
		flags = "1" + flags[1:]
	}
	if s.intact {
		flags = flags[:1] + "1"
	}
	return flags + string(s.disk)
}

// after returns the state with one more operation decided.
func (s *fileState) after(op *dataOp, v int64, cache []byte, o openness) *fileState {
	n := *s
	n.disk, n.cache, n.kept = slices.Clone(s.disk), cache, nil
	n.values = maps.Clone(s.values)
	if v != lostValue {
		n.values[op.seq] = v
	}
	n.every = s.every && v == keptValue
	sized := v == keptValue || v&scattered != 0 && v&sizeKept != 0
	n.intact = s.intact && (sized || !o.sizes)
	n.settle(op, v)
	return &n
}

// thin keeps the states few.
func (e *enumeration) thin(states []*fileState) []*fileState {
	if len(states) <= e.limit {
		return states
	}
	e.all = false
	for i, s := range states {
		s.order = 0
		if s.rank() == 2 {
			s.order = 1 + e.stream.Derive("thin").At(uint64(i))>>1
		}
	}
	slices.SortStableFunc(states, func(a, b *fileState) int { return cmp.Compare(a.order, b.order) })
	return states[:max(e.limit, 2)]
}
