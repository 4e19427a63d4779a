package simdisk

import (
	"maps"
	"slices"

	"github.com/hmdsefi/faultline/kernel"
)

// bay is a run of its own with one machine, for volumes outside of any run.
type bay struct {
	disks *Disks
	node  *kernel.Node
}

// newBay makes one; cfg is valid.
func newBay(cfg Config) *bay {
	sim := kernel.New(kernel.Config{Level: kernel.LevelOff})
	node := sim.AddMachine("volume", func(*kernel.Node) kernel.Handler { return kernel.Idle{} })
	ds := &Disks{sim: sim, cfg: cfg.withDefaults(), syms: newSymbols(sim), byNode: map[*kernel.Node]*Volume{}}
	return &bay{ds, node}
}

func (b *bay) disk() *disk { return newDisk(b.disks, b.node) }

// NewVolume returns a volume outside of any run, to test code that works on
// files without a cluster: empty, with all operations at once, without faults
// unless they are asked for. The error names a wrong value in cfg.
func NewVolume(cfg Config) (*Volume, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	b := newBay(cfg)
	return b.disks.Attach(b.node)
}

// fork copies the volume into another bay, with what is pending and what is
// damaged, without faults, hooks and handles. Contents are shared until one of
// the two changes them. The map leads from the old inodes to the new ones.
func (d *disk) fork(b *bay) (*disk, map[*inode]*inode) {
	f := b.disk()
	f.seq, f.profile = d.seq, d.profile
	to := map[*inode]*inode{nil: nil, d.root: f.root}
	var harm Effect // stands for those that did the damage
	twin := func(x *inode) *inode {
		y, ok := to[x]
		if !ok {
			y = x.twin(f, &harm)
			to[x] = y
		}
		return y
	}
	// Directories first: the maps of the root lead to all that can be reached,
	// and names to what was.
	queue := []*inode{d.root}
	seen := map[*inode]bool{d.root: true}
	visit := func(x *inode) {
		if x != nil && !seen[x] {
			seen[x] = true
			queue = append(queue, x)
		}
	}
	for i := range d.names {
		op := &d.names[i]
		for _, x := range []*inode{op.ino, op.gone, op.at.dir, op.from.dir} {
			visit(x)
		}
	}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		y := twin(x)
		if x.parent != nil {
			visit(x.parent)
			y.parent = twin(x.parent)
		}
		for _, s := range x.others {
			visit(s.dir)
			y.others = append(y.others, slot{twin(s.dir), s.name})
		}
		for _, dirs := range [][2]map[string]*inode{{x.cur, y.cur}, {x.dur, y.dur}} {
			for _, name := range sortedNames(dirs[0]) {
				visit(dirs[0][name])
				dirs[1][name] = twin(dirs[0][name])
			}
		}
	}
	f.names = slices.Clone(d.names)
	for i := range f.names {
		op := &f.names[i]
		op.ino, op.gone = to[op.ino], to[op.gone]
		op.at.dir, op.from.dir = to[op.at.dir], to[op.from.dir]
		op.id = f.twinID(op.id)
		op.under = slices.Clone(op.under)
		for k := range op.under {
			op.under[k].dir = to[op.under[k].dir]
		}
	}
	for _, x := range d.dirty {
		if y := to[x]; y != nil {
			y.dirtyAt = len(f.dirty)
			f.dirty = append(f.dirty, y)
		}
	}
	f.root.each(func(x *inode) { f.used += int64(len(x.data)) })
	return f, to
}

// twin copies an inode without its entries.
func (x *inode) twin(f *disk, harm *Effect) *inode {
	if x.isDir() {
		y := newDir()
		y.name, y.links, y.erased = x.name, x.links, x.erased
		return y
	}
	x.shared = true
	y := &inode{
		name: x.name, links: x.links, erased: x.erased, many: x.many, id: f.twinID(x.id), shared: true,
		data: x.data, disk: x.disk, pending: x.pending, payload: x.payload, errs: x.errs,
		doubt: slices.Clone(x.doubt), rot: slices.Clone(x.rot), cuts: slices.Clone(x.cuts),
	}
	for i := range y.rot {
		y.rot[i].by = harm
	}
	return y
}

// twinID returns the identity of the same path, at the same number.
func (d *disk) twinID(x *identity) *identity {
	y := d.id("", x.key)
	y.n = max(y.n, x.n)
	return y
}

// own gives a file contents of its own, if they are shared with a fork.
func (x *inode) own() {
	if x.shared {
		x.shared = false
		x.data, x.disk = slices.Clone(x.data), slices.Clone(x.disk)
		x.pending, x.payload = slices.Clone(x.pending), slices.Clone(x.payload)
	}
}

// crashed makes a fork of the volume what a power loss with these fates leaves.
// It is pure in d.
func (d *disk) crashed(b *bay, names []bool, values verdicts) *disk {
	f, _ := d.fork(b)
	f.cycle = d.cycle + 1
	for i := range f.names {
		if names[i] {
			f.names[i].apply()
		}
	}
	f.names = nil
	f.crashTree(f.root, values)
	clear(f.dirty)
	f.dirty, f.used = nil, 0
	f.root.each(func(x *inode) { f.used += int64(len(x.data)) })
	return f
}

// crashTree decides the data of all files that have a name on the device.
func (d *disk) crashTree(dir *inode, values verdicts) {
	dir.cur = maps.Clone(dir.dur)
	for _, name := range sortedNames(dir.dur) {
		x := dir.dur[name]
		first := x.found(d.cycle, slot{dir, name})
		if x.isDir() {
			d.crashTree(x, values)
			continue
		}
		if !first {
			continue
		}
		if len(x.pending) > 0 {
			a := d.newAftermath(x)
			for i := range x.pending {
				a.advance(x, &x.pending[i])
				a.settle(&x.pending[i], values[x.pending[i].seq])
			}
			x.disk, x.pending, x.payload = a.disk, nil, nil
			for _, s := range a.kept {
				x.heal(s)
			}
		}
		x.data, x.shared = x.disk, true // own takes them apart
	}
}
