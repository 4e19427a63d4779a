package simdisk

import (
	"errors"
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// Wipe empties the volume, on the device too, as if the machine had got a new
// disk. Handles are dead from then on. What is on keeps on.
func (v *Volume) Wipe() {
	d := v.d
	d.closeAll()
	d.root, d.names, d.used, d.strays = newDir(), nil, 0, nil
	clear(d.dirty)
	d.dirty = d.dirty[:0]
	d.sim.Emit(d.word("disk/wipe")).On(d.node).Done()
}

// Swap exchanges the disks of two machines, with all that is on them, damage
// included; it cannot be undone any more. Both must have lost power; the error names one that has not, or a volume of another run.
func (ds *Disks) Swap(a, b *Volume) error {
	for _, v := range []*Volume{a, b} {
		switch {
		case v == nil:
			return errors.New("simdisk: Swap needs two volumes, got nil")
		case ds.byNode[v.d.node] == nil || ds.byNode[v.d.node].d != v.d:
			return fmt.Errorf("simdisk: the volume of node %q belongs to another run", v.d.node.Name())
		case v.d.node.State() != kernel.Down || v.d.pendingCount() > 0:
			return fmt.Errorf("simdisk: node %q still has power; swap disks after Node.PowerLoss", v.d.node.Name())
		}
	}
	if a.d == b.d {
		return nil
	}
	a.d.closeAll()
	b.d.closeAll()
	a.d.root, b.d.root = b.d.root, a.d.root
	a.d.used, b.d.used = b.d.used, a.d.used
	for _, v := range []*Volume{a, b} {
		v.d.adopt(v.d.root)
	}
	y := ds.syms
	ds.sim.Emit(ds.sim.Sym("disk/swap")).On(a.d.node).Str(y.to, b.d.node.Name()).Done()
	return nil
}

// adopt makes the choices about files that came from another machine those of
// this one.
func (d *disk) adopt(dir *inode) {
	for _, name := range sortedNames(dir.cur) {
		x := dir.cur[name]
		if x.cycle = d.cycle; x.isDir() {
			d.adopt(x)
		} else {
			x.id = d.id("", x.id.key)
		}
	}
}
