package fault

import (
	"path"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// onPoint fires the faults that wait for a point in a node's code.
func (in *Injector) onPoint(n *kernel.Node, point string) {
	for _, p := range in.points {
		if p.When.Point == point && p.due(n) {
			in.fire(p, n)
		}
	}
}

// watchDisks fires the faults that wait for a disk operation.
func (in *Injector) watchDisks() {
	for _, v := range in.sys.Disks.Volumes() {
		n := v.Node()
		v.OnOp(func(op simdisk.Op, when simdisk.When) { in.onOp(n, op, when) })
	}
}

func (in *Injector) onOp(n *kernel.Node, op simdisk.Op, when simdisk.When) {
	for _, p := range in.ops {
		if p.When.Op == op.Kind.String() && p.When.After == (when == simdisk.After) && p.fits(op) && p.due(n) {
			in.fire(p, n)
		}
	}
}

// fits reports whether the operation is on a file that the trigger names.
func (p *planned) fits(op simdisk.Op) bool {
	if p.When.File == "" {
		return true
	}
	ok, _ := path.Match(p.When.File, op.Path)
	return ok
}

// due counts a match of the trigger on node n, and reports whether it is
// the one at which the fault fires.
func (p *planned) due(n *kernel.Node) bool {
	if p.fired || p.When.Node != "" && p.When.Node != n.Name() || p.in.sys.Sim.Now() < kernel.Time(p.At) {
		return false
	}
	p.matches++
	return p.matches == max(p.When.Nth, 1)
}
