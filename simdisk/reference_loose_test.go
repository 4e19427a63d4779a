package simdisk_test

import (
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/simdisk"
)

// The brute-force reading of the profiles that take writes apart. A verdict says
// what a crash does to one operation, in the plainest terms.
type verdict struct {
	sectors []bool // those that reach the disk, of a write
	length  int    // to what size the file may grow for it, or what size it gets
	garbage bool   // what is new and not written is stale
	lost    bool   // not at all: of a change of size, nothing later either
}

const staleByte = "\xdb"

// play returns the content that verdicts leave; without one an operation is lost.
func (f *refFile) play(says func(i int, op refOp, disk string) (verdict, bool)) string {
	disk := f.disk
	for i, op := range f.pending {
		v, ok := says(i, op, disk)
		if !ok || v.lost {
			if op.size >= 0 && v.lost {
				return disk
			}
			continue
		}
		disk = op.land(disk, v)
	}
	return disk
}

// land does to the disk what a verdict says.
func (op refOp) land(disk string, v verdict) string {
	if op.size >= 0 {
		return resize(disk, v.length)
	}
	b := []byte(disk)
	for len(b) < v.length {
		c := byte(0)
		if v.garbage && len(b) >= op.off {
			c = staleByte[0]
		}
		b = append(b, c)
	}
	for k, there := range v.sectors {
		for i := (op.off/sector + k) * sector; there && i < (op.off/sector+k+1)*sector; i++ {
			if i < len(b) && i < len(op.cache) {
				b[i] = op.cache[i]
			}
		}
	}
	return string(b)
}

func (op refOp) end() int { return op.off + len(op.data) }

// whole is the verdict that all of an operation is there.
func (op refOp) whole() verdict {
	if op.size >= 0 {
		return verdict{length: op.size}
	}
	return verdict{sectors: slices.Repeat([]bool{true}, op.sectors()), length: op.end()}
}

// subsets lists all sets of n sectors.
func subsets(n int) [][]bool {
	out := [][]bool{nil}
	for range n {
		var next [][]bool
		for _, s := range out {
			next = append(next, append(slices.Clone(s), false), append(slices.Clone(s), true))
		}
		out = next
	}
	return out
}

// posix lists the contents when names, sizes and data are independent.
func (f *refFile) posix() map[string]bool {
	out := map[string]bool{}
	var rec func(i int, disk string, sizesKept bool)
	rec = func(i int, disk string, sizesKept bool) {
		if i == len(f.pending) {
			out[disk] = true
			return
		}
		op := f.pending[i]
		if op.size >= 0 {
			rec(i+1, disk, false)
			rec(i+1, resize(disk, op.size), sizesKept)
			return
		}
		for _, set := range subsets(op.sectors()) {
			for _, length := range []int{len(disk), op.end()} {
				for _, garbage := range []bool{false, true} {
					rec(i+1, op.land(disk, verdict{sectors: set, length: length, garbage: garbage}), sizesKept)
				}
			}
		}
		for k := 1; sizesKept && k < op.sectors(); k++ { // torn: it ends there
			rec(i+1, op.keep(disk, k), true)
		}
	}
	rec(0, f.disk, true)
	return out
}

// ordered lists the contents when sizes come in order, with their content.
func (f *refFile) ordered() map[string]bool {
	out := map[string]bool{}
	for sizes := range len(f.pending) + 1 { // how many changes of size are there
		var rec func(i, left int, disk, before string)
		rec = func(i, left int, disk, before string) {
			if i == len(f.pending) {
				out[disk] = true
				return
			}
			op := f.pending[i]
			switch {
			case op.size >= 0 && left == 0:
				out[disk] = true
				return
			case op.size >= 0:
				rec(i+1, left-1, resize(disk, op.size), op.cache)
				return
			}
			grows := len(op.cache) > len(before)
			for _, set := range subsets(op.sectors()) {
				v := verdict{sectors: set, length: len(disk)}
				rest := left
				if grows && left > 0 {
					rest--
					v.length = op.end()
					for k := range set {
						if (op.off/sector+k+1)*sector > len(before) {
							set[k] = true
						}
					}
				}
				rec(i+1, rest, op.land(disk, v), op.cache)
			}
		}
		rec(0, sizes, f.disk, f.disk)
	}
	return out
}

// looseStates is states for Posix and Ordered.
func (r *refDisk) looseStates(p simdisk.Profile) map[string]bool {
	out := map[string]bool{}
	for set := range 1 << len(r.names) {
		tree := r.legal(set)
		if tree == nil || p == simdisk.Ordered && set&(set+1) != 0 { // in order
			continue
		}
		r.combine(out, tree, func(f *refFile) map[string]bool {
			if p == simdisk.Posix {
				return f.posix()
			}
			return f.ordered()
		})
	}
	return out
}

// combine adds every combination of the contents of the files of a tree.
func (r *refDisk) combine(out map[string]bool, tree map[string]*refFile, contents func(*refFile) map[string]bool) {
	texts := []string{""}
	for _, path := range sortedPaths(tree) {
		var next []string
		for content := range contents(tree[path]) {
			for _, text := range texts {
				next = append(next, text+path+"="+content+" ")
			}
		}
		texts = next
	}
	for _, text := range texts {
		out[text] = true
	}
}

func sortedPaths(tree map[string]*refFile) []string {
	var paths []string
	for name := range tree {
		paths = append(paths, name)
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(walkKey(a), walkKey(b)) })
	return paths
}

// adversary lists the states that are one step from all or nothing.
func (r *refDisk) adversary() map[string]bool {
	out := map[string]bool{}
	add := func(name func(seq int) bool, data func(f *refFile, i int, op refOp, disk string) (verdict, bool)) {
		set := 0
		for j, n := range r.names {
			if name(n.seq) {
				set |= 1 << j
			}
		}
		for j := range r.names { // what builds on a missing one is missing
			for i := range j {
				if set>>i&1 == 0 && r.names[i].shares(r.names[j]) {
					set &^= 1 << j
				}
			}
		}
		r.combine(out, r.legal(set), func(f *refFile) map[string]bool {
			return map[string]bool{f.play(func(i int, op refOp, disk string) (verdict, bool) { return data(f, i, op, disk) }): true}
		})
	}
	yes, no := func(int) bool { return true }, func(int) bool { return false }
	all := func(_ *refFile, _ int, op refOp, _ string) (verdict, bool) { return op.whole(), true }
	none := func(_ *refFile, _ int, op refOp, _ string) (verdict, bool) { return verdict{lost: true}, true }
	add(yes, none)
	add(no, all)
	add(yes, func(_ *refFile, _ int, op refOp, _ string) (verdict, bool) {
		v := op.whole()
		clear(v.sectors)
		return v, true
	})
	for _, hit := range r.names {
		add(func(seq int) bool { return seq != hit.seq }, all)
		needed := r.needed(hit.seq)
		add(func(seq int) bool { return needed[seq] }, none)
		add(yes, none)
	}
	for f := range r.files() {
		for at, hit := range f.pending {
			except := func(v verdict) func(*refFile, int, refOp, string) (verdict, bool) {
				return func(_ *refFile, _ int, op refOp, _ string) (verdict, bool) {
					if op.seq == hit.seq {
						return v, true
					}
					return op.whole(), true
				}
			}
			add(yes, except(verdict{lost: true}))
			only := func(g *refFile, i int, op refOp, _ string) (verdict, bool) {
				if op.seq == hit.seq || g == f && i < at && op.size >= 0 {
					return op.whole(), true
				}
				return verdict{}, false
			}
			add(no, only)
			add(yes, only)
			if n := hit.sectors(); n > 1 {
				head, tail := make([]bool, n), slices.Repeat([]bool{true}, n)
				head[0], tail[0] = true, false
				add(yes, except(verdict{sectors: head, length: (hit.off/sector + 1) * sector}))
				add(yes, except(verdict{sectors: tail, length: hit.end()}))
			}
		}
	}
	return out
}

// needed returns a directory operation and what it builds on.
func (r *refDisk) needed(seq int) map[int]bool {
	in := map[int]bool{seq: true}
	for j := len(r.names) - 1; j >= 0; j-- {
		for k := j + 1; k < len(r.names); k++ {
			if in[r.names[k].seq] && r.names[k].shares(r.names[j]) {
				in[r.names[j].seq] = true
			}
		}
	}
	return in
}

// files returns every file that has a name, now or on the disk, or may get one.
func (r *refDisk) files() map[*refFile]bool {
	out := map[*refFile]bool{}
	for _, tree := range []map[string]*refFile{r.now, r.durable} {
		for _, f := range tree {
			out[f] = true
		}
	}
	for _, n := range r.names {
		if n.file != nil {
			out[n.file] = true
		}
	}
	return out
}
