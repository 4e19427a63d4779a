package simdisk

import (
	"errors"
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// Disks are the disks of one run.
type Disks struct {
	sim    *kernel.Sim
	cfg    Config
	syms   *symbols
	list   []*Volume
	byNode map[*kernel.Node]*Volume
	namer  kernel.Namer
}

// New makes the disks of a run. The error names a wrong value in cfg.
func New(sim *kernel.Sim, cfg Config) (*Disks, error) {
	if sim == nil {
		return nil, errors.New("simdisk: New needs a simulator, got nil")
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Disks{
		sim:    sim,
		cfg:    cfg.withDefaults(),
		syms:   newSymbols(sim),
		byNode: map[*kernel.Node]*Volume{},
	}, nil
}

// Attach gives a node its volume, empty and lasting for the whole run. The
// error says when the node has one already or belongs to another run.
func (d *Disks) Attach(n *kernel.Node) (*Volume, error) {
	switch {
	case n == nil:
		return nil, errors.New("simdisk: Attach needs a node, got nil")
	case n.Sim() != d.sim:
		return nil, fmt.Errorf("simdisk: node %q belongs to another run; attach it to disks of its own run", n.Name())
	case d.byNode[n] != nil:
		return nil, fmt.Errorf("simdisk: node %q has a volume already; each node has one, see Disks.Volume", n.Name())
	}
	v := &Volume{d: newDisk(d, n)}
	d.byNode[n] = v
	d.list = append(d.list, v)
	n.Watch(v.d)
	return v, nil
}

// Volume returns the volume of a node, or nil.
func (d *Disks) Volume(n *kernel.Node) *Volume { return d.byNode[n] }

// Volumes returns all volumes in the order in which they were attached.
func (d *Disks) Volumes() []*Volume { return d.list }

// disk is the disk of one machine and the page cache in front of it.
type disk struct {
	sim  *kernel.Sim
	node *kernel.Node
	cfg  Config
	syms *symbols

	root  *inode
	seq   uint64   // numbers the changes of the volume, for their order
	names []nameOp // pending directory operations in order
	dirty []*inode // files with pending writes, in no order
	used  int64    // bytes of all files with a name or a handle
	epoch uint64   // changes whenever handles die
	cycle uint64   // changes with each power loss
	open  []*inode // unlinked files that live on in handles

	ids       map[string]*identity
	namer     *kernel.Namer
	key       uint64 // of the node
	latencies [classes]kernel.Stream
	order     kernel.Seq // ties of completions
	free      []*call

	effects    []*Effect
	restricted bool              // some effect makes the volume read-only
	stuck      bool              // it is read-only until the power is lost
	keepsOld   bool              // for stale sectors
	strays     map[uint64]*stray // pending writes that the device will not do, by seq
	points     [faultKinds]*kernel.ChoicePoint
	counts     [faultKinds]uint64 // operations that could fail, so far
	hooks      []func(Op, When)
	rots       uint64 // corruptions so far
	rotting    *kernel.ChoicePoint

	profile Profile
	next    []Profile // of the next crash, at most one
	crash   kernel.Stream
	stats   Stats
}

func newDisk(ds *Disks, n *kernel.Node) *disk {
	d := &disk{
		sim: ds.sim, node: n, cfg: ds.cfg, syms: ds.syms,
		namer: &ds.namer, key: kernel.KeyOf(n.Name()), root: newDir(), ids: map[string]*identity{}, profile: ds.cfg.Crash,
	}
	base := "disk/" + n.Name() + "/"
	for i, name := range [classes]string{"meta", "read", "write", "sync"} {
		d.latencies[i] = d.sim.Stream(base + "latency/" + name)
	}
	for i, name := range [faultKinds]string{"sync-fail", "write-fail", "read-fail"} {
		d.points[i] = d.sim.ChoicePoint(base + name)
	}
	d.order = kernel.Seq{Stream: d.sim.Stream(base + "order")}
	d.rotting = d.sim.ChoicePoint(base + "corrupt")
	d.crash = d.sim.Stream(base + "crash")
	return d
}

// NodeChanged hears of crashes and starts of the node.
func (d *disk) NodeChanged(_ *kernel.Node, c kernel.Change) {
	switch c {
	case kernel.PowerLost:
		d.closeAll()
		d.cycle++
		d.powerLoss()
	case kernel.Killed, kernel.Started:
		d.closeAll()
	}
}

// closeAll ends every handle. Unlinked files that only handles held are gone.
func (d *disk) closeAll() {
	d.epoch++
	for _, ino := range d.open {
		d.used -= int64(len(ino.data))
	}
	clear(d.open)
	d.open = d.open[:0]
}

// identity is what the choices about one path are keyed by. It outlives the
// file, so that no two operations on a path share a number.
type identity struct {
	key   string // space and path
	name  string // of the choice point
	n     uint64 // operations so far
	point *kernel.ChoicePoint
}

// id returns the identity of a path, in the space of file contents or names.
func (d *disk) id(space, path string) *identity {
	key := space + path
	x := d.ids[key]
	if x == nil {
		x = &identity{key: key, name: "disk/" + d.node.Name() + "/crash/" + key}
		d.ids[key] = x
	}
	return x
}

func (x *identity) next() uint64 { x.n++; return x.n }

// at returns the identity's choice point, made at its first use.
func (x *identity) at(s *kernel.Sim) *kernel.ChoicePoint {
	if x.point == nil {
		x.point = s.ChoicePoint(x.name)
	}
	return x.point
}
