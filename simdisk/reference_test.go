package simdisk_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/hmdsefi/faultline/simdisk"
)

// This file reads the sync contract a second time, by brute force and without
// the package's code: it lists every state that a power loss may leave after a
// short sequence of operations, and compares that with what the disk can do.

const sector = 16 // bytes, so that short writes can be torn

// step is one operation of a sequence.
type step struct {
	do   string // create write trunc sync rename remove syncdir
	path string
	to   string
	off  int
	data string
}

func (s step) String() string {
	return fmt.Sprintf("%s(%s %s %d %q)", s.do, s.path, s.to, s.off, s.data)
}

// refFile is a file of the reference: what is durable, and what is pending.
type refFile struct {
	disk    string
	cache   string
	pending []refOp
}

type refOp struct {
	seq   int
	size  int // of a change of size, else -1
	off   int
	data  string
	cache string // of the file after the operation
}

// refName is a pending directory operation: the names it takes away and the
// one that it gives to a file.
type refName struct {
	seq  int
	gone []string
	set  string
	file *refFile
}

func (n refName) names() []string {
	out := slices.Clone(n.gone)
	if n.set != "" {
		out = append(out, n.set)
	}
	return out
}

// shares reports whether two operations are about one name.
func (n refName) shares(o refName) bool {
	for _, a := range n.names() {
		if slices.Contains(o.names(), a) {
			return true
		}
	}
	return false
}

type refDisk struct {
	now, durable map[string]*refFile
	names        []refName
	seq          int
}

func newRef() *refDisk {
	return &refDisk{now: map[string]*refFile{}, durable: map[string]*refFile{}}
}

func (r *refDisk) next() int { r.seq++; return r.seq }

func (r *refDisk) run(s step) {
	f := r.now[s.path]
	switch s.do {
	case "create":
		if f == nil {
			f = &refFile{}
			r.now[s.path] = f
			r.names = append(r.names, refName{seq: r.next(), set: s.path, file: f})
		}
	case "write":
		if f != nil {
			f.cache = splice(f.cache, s.off, s.data)
			f.pending = append(f.pending, refOp{r.next(), -1, s.off, s.data, f.cache})
		}
	case "trunc":
		if f != nil && s.off != len(f.cache) {
			f.cache = resize(f.cache, s.off)
			f.pending = append(f.pending, refOp{r.next(), s.off, 0, "", f.cache})
		}
	case "sync":
		if f != nil {
			f.disk, f.pending = f.cache, nil
		}
	case "rename":
		if f != nil && s.path != s.to {
			delete(r.now, s.path)
			r.now[s.to] = f
			r.names = append(r.names, refName{seq: r.next(), gone: []string{s.path}, set: s.to, file: f})
		}
	case "remove":
		if f != nil {
			delete(r.now, s.path)
			r.names = append(r.names, refName{seq: r.next(), gone: []string{s.path}})
		}
	case "syncdir":
		r.syncDir(s.path)
	}
}

// syncDir makes durable what touches the directory and, again and again, what
// that builds on.
func (r *refDisk) syncDir(dir string) {
	in := make([]bool, len(r.names))
	for i, n := range r.names {
		for _, name := range n.names() {
			in[i] = in[i] || parent(name) == dir
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range r.names {
			for j := i + 1; j < len(r.names); j++ {
				if in[j] && !in[i] && r.names[i].shares(r.names[j]) {
					in[i], changed = true, true
				}
			}
		}
	}
	var rest []refName
	for i, n := range r.names {
		if in[i] {
			r.durable = n.on(r.durable)
		} else {
			rest = append(rest, n)
		}
	}
	r.names = rest
}

// on returns the tree with the operation done.
func (n refName) on(tree map[string]*refFile) map[string]*refFile {
	out := map[string]*refFile{}
	for k, v := range tree {
		if !slices.Contains(n.gone, k) {
			out[k] = v
		}
	}
	if n.set != "" {
		out[n.set] = n.file
	}
	return out
}

func parent(name string) string {
	if dir, _, ok := strings.Cut(name, "/"); ok {
		return dir
	}
	return "."
}

func splice(s string, off int, data string) string {
	s = resize(s, max(len(s), off+len(data)))
	return s[:off] + data + s[off+len(data):]
}

func resize(s string, n int) string {
	return s[:min(n, len(s))] + strings.Repeat("\x00", max(n-len(s), 0))
}

// states lists what a profile may leave.
func (r *refDisk) states(p simdisk.Profile) map[string]bool {
	out := map[string]bool{}
	switch p {
	case simdisk.LoseAll:
		r.collect(out, 0, nil)
	case simdisk.KeepAll:
		r.collect(out, r.seq+1, nil)
	case simdisk.KeepPrefix:
		for cut := range r.seq + 2 {
			r.collect(out, cut, nil)
		}
	case simdisk.Posix, simdisk.Ordered:
		return r.looseStates(p)
	case simdisk.Adversary:
		return r.adversary()
	default:
		for set := range 1 << len(r.names) {
			if tree := r.legal(set); tree != nil {
				r.collect(out, -1, func() (map[string]*refFile, bool) { return tree, p == simdisk.Torn })
			}
		}
	}
	return out
}

// legal returns the tree that a subset of the pending names gives, or nil when
// one in it is without something that it builds on.
func (r *refDisk) legal(set int) map[string]*refFile {
	tree := r.durable
	for j, n := range r.names {
		if set>>j&1 == 0 {
			continue
		}
		for i := range j {
			if set>>i&1 == 0 && r.names[i].shares(n) {
				return nil
			}
		}
		tree = n.on(tree)
	}
	return tree
}

// collect adds the states of one tree: with everything before cut, or, when
// free is given, with every combination of the files' contents.
func (r *refDisk) collect(out map[string]bool, cut int, free func() (map[string]*refFile, bool)) {
	tree, torn := r.durable, false
	if free != nil {
		tree, torn = free()
	} else {
		for _, n := range r.names {
			if n.seq < cut {
				tree = n.on(tree)
			}
		}
	}
	paths := []string{}
	for name := range tree {
		paths = append(paths, name)
	}
	sort.Slice(paths, func(i, j int) bool { // as a walk meets them: d/ with its files
		return walkKey(paths[i]) < walkKey(paths[j])
	})
	var rec func(i int, text string)
	rec = func(i int, text string) {
		if i == len(paths) {
			out[text] = true
			return
		}
		f := tree[paths[i]]
		for c := range f.contents(cut, free != nil, torn) {
			rec(i+1, text+paths[i]+"="+c+" ")
		}
	}
	rec(0, "")
}

func walkKey(p string) string { return strings.ReplaceAll(p, "/", "\x00") }

// contents lists what a file may hold.
func (f *refFile) contents(cut int, free, torn bool) map[string]bool {
	out := map[string]bool{}
	var rec func(i int, disk string)
	rec = func(i int, disk string) {
		if i == len(f.pending) {
			out[disk] = true
			return
		}
		op := f.pending[i]
		if !free {
			if op.seq < cut {
				disk = op.keep(disk, op.sectors())
			}
			rec(i+1, disk)
			return
		}
		// lost; a lost change of size ends it
		if op.size >= 0 {
			out[disk] = true
		} else {
			rec(i+1, disk)
		}
		for k := 1; k <= op.sectors(); k++ {
			if k == op.sectors() || torn {
				rec(i+1, op.keep(disk, k))
			}
		}
	}
	rec(0, f.disk)
	return out
}

func (op refOp) sectors() int {
	if op.size >= 0 {
		return 1
	}
	return (op.off+len(op.data)-1)/sector - op.off/sector + 1
}

// keep puts the first k sectors of the operation on the disk, byte by byte, as
// the cache had them then.
func (op refOp) keep(disk string, k int) string {
	if op.size >= 0 {
		return resize(disk, op.size)
	}
	first := op.off / sector
	end := min((first+k)*sector, op.off+len(op.data))
	b := []byte(resize(disk, max(len(disk), end)))
	for i := first * sector; i < (first+k)*sector && i < len(b) && i < len(op.cache); i++ {
		b[i] = op.cache[i]
	}
	return string(b)
}
