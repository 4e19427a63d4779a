package simdisk

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/hmdsefi/faultline/kernel"
)

// CrashState is one of the states that a power loss may leave of a volume.
type CrashState struct {
	bay    *bay
	base   *disk // the volume before it; never changed
	names  []bool
	values verdicts
	digest string // of the files
}

// Volume returns a new volume in this state, outside of any run, as after the
// restart of the machine: all operations happen at once, without faults.
func (s *CrashState) Volume() *Volume {
	return &Volume{d: s.base.crashed(s.bay, s.names, s.values)}
}

// FS returns the files of this state.
func (s *CrashState) FS() fs.FS { return s.Volume().FS() }

// Fate is what a power loss does to one pending operation.
type Fate struct {
	Op      string // "link", "unlink" or "rename"; or "write" or "resize"
	Path    string // of a rename, the old path
	To      string // the new path of a rename
	Off     int64  // of a write; of a resize, the size
	Len     int64  // of a write
	Outcome string // "lost", "kept", "torn" or "scattered"
	Left    int64  // bytes of a write that are there
}

// String returns the fate in words, such as "lost: write of 5 bytes at 0 to log".
func (f Fate) String() string {
	s := f.Outcome + ": " + f.Op
	switch f.Op {
	case "rename":
		s += " of " + f.Path + " to " + f.To
	case "resize":
		s += fmt.Sprintf(" of %s to %d bytes", f.Path, f.Off)
	case "write":
		s += fmt.Sprintf(" of %d bytes at %d to %s", f.Len, f.Off, f.Path)
		if f.Outcome == "torn" || f.Outcome == "scattered" {
			s += fmt.Sprintf(", %d are there", f.Left)
		}
	default:
		s += " of " + f.Path
	}
	return s
}

// Fates says what becomes of each pending operation, in their order. The content
// of a file that is left without a name is lost.
func (s *CrashState) Fates() []Fate {
	type placed struct {
		seq uint64
		Fate
	}
	var list []placed
	for i := range s.base.names {
		op := &s.base.names[i]
		f := Fate{Op: nameKindWords[op.kind], Path: s.base.slotPath(op.at), Outcome: fateNames[lostFate]}
		if op.kind == renameName {
			f.Path, f.To = s.base.slotPath(op.from), f.Path
		}
		if s.names[i] {
			f.Outcome = fateNames[keptFate]
		}
		list = append(list, placed{op.seq, f})
	}
	for _, x := range s.base.dirty {
		a := s.base.newAftermath(x)
		for i := range x.pending {
			op := &x.pending[i]
			a.advance(x, op)
			fate, left := a.settle(op, s.values[op.seq])
			f := Fate{Op: "write", Path: x.path(), Off: op.off, Len: op.n, Outcome: fateNames[fate], Left: left}
			if op.resize {
				f.Op, f.Left = "resize", 0
			}
			list = append(list, placed{op.seq, f})
		}
	}
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]Fate, len(list))
	for i, p := range list {
		out[i] = p.Fate
	}
	return out
}

// CrashStates lists the different states that a power loss now may leave by a
// profile; Drawn stands for Posix, which has all that are legal. It changes
// nothing and can be asked at any moment of a run, also from a hook of
// [Volume.OnOp].
//
// There can be very many. If there are more than limit (0: 1000), all is false,
// and the list is a sample that is the same every time: the extremes, the states
// next to them, and others picked evenly. The first state is always the one that
// loses all that the profile may lose. The error names a wrong value.
func (v *Volume) CrashStates(p Profile, limit int) (states []*CrashState, all bool, err error) {
	if !p.valid() {
		return nil, false, fmt.Errorf("simdisk: crash profile is %d; use one of the Profile constants", p)
	}
	if limit < 0 {
		return nil, false, fmt.Errorf("simdisk: CrashStates limit is %d; use 1 or more, or 0 for 1000", limit)
	}
	if limit == 0 {
		limit = 1000
	}
	states, all = v.d.crashStates(newBay(v.d.cfg), p, limit)
	return states, all, nil
}

func (d *disk) crashStates(b *bay, p Profile, limit int) ([]*CrashState, bool) {
	base, _ := d.fork(b)
	e := &enumeration{bay: b, base: base, profile: p, limit: limit, all: true, seen: map[string]bool{}, numbers: map[*inode]int64{}, stream: kernel.NewStream(0, "crash-states")}
	switch p {
	case LoseAll, KeepAll, KeepPrefix, Adversary:
		e.listed()
	case Drawn:
		e.profile = Posix
		e.product()
	default:
		e.product()
	}
	return e.out, e.all
}

// enumeration lists crash states.
type enumeration struct {
	bay     *bay
	base    *disk
	profile Profile
	limit   int
	all     bool // nothing has been left out
	stream  kernel.Stream
	out     []*CrashState
	seen    map[string]bool  // digests of the states in out
	numbers map[*inode]int64 // see number
}

// listed is for profiles that decide about all operations at once.
func (e *enumeration) listed() {
	d := e.base
	prefix := func(n int) verdicts {
		values := verdicts{}
		for _, r := range d.refs()[:n] {
			values[r.seq] = keptValue
		}
		return values
	}
	n := d.pendingCount()
	count, at := n+1, prefix
	switch e.profile {
	case LoseAll:
		count = 1
	case KeepAll:
		count, at = 1, func(int) verdicts { return prefix(n) }
	case Adversary:
		all := d.adversaries()
		count, at = all.len(), all.at
	}
	for _, i := range e.sample(count) {
		values := at(i)
		e.add(d.legalNames(values), values)
	}
}

// sample returns the numbers below count, or some of them when they are too
// many: the first, the last, and others at even distances.
func (e *enumeration) sample(count int) []int {
	take := min(count, e.limit)
	e.all = e.all && take == count
	list := make([]int, take)
	for i := range list {
		list[i] = i
		if take < count && take > 1 {
			list[i] = int(int64(i) * int64(count-1) / int64(take-1))
		}
	}
	return list
}

func (d *disk) pendingCount() int {
	n := len(d.names)
	for _, x := range d.dirty {
		n += len(x.pending)
	}
	return n
}

// legalNames says which directory operations are there when values are asked
// for: one that builds on a lost one is lost.
func (d *disk) legalNames(values verdicts) []bool {
	out := make([]bool, len(d.names))
	lost := newBuilds()
	for i := range d.names {
		op := &d.names[i]
		if out[i] = values[op.seq] != lostValue && !lost.blocks(op); !out[i] {
			lost.changes(op)
		}
	}
	return out
}

// add lists a state, if none with the same files is.
func (e *enumeration) add(names []bool, values verdicts) {
	digest := e.base.crashed(e.bay, names, values).root.digest()
	if !e.seen[digest] {
		e.seen[digest] = true
		e.out = append(e.out, &CrashState{e.bay, e.base, names, values, digest})
	}
}

// digest describes the files below a directory, damage included: a hash of the
// list of paths and contents.
func (x *inode) digest() string {
	h := hasher{}
	x.sum(&h)
	return h.text()
}
