package fault

import (
	"fmt"
	"path"
	"slices"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
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

// keepOld makes all disks keep what a stale sector holds.
func (in *Injector) keepOld() {
	for _, v := range in.sys.Disks.Volumes() {
		v.KeepOld()
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

// ofMessage reports whether the trigger waits for a message.
func (w Trigger) ofMessage() bool { return w.Op == opSend || w.Op == opReceive }

// The operations on messages.
const (
	opSend    = "send"
	opReceive = "receive"
)

// onMessage fires the faults that wait for a message.
func (in *Injector) onMessage(n *kernel.Node, op simnet.Operation, when simnet.Moment, m simnet.Message) {
	for _, p := range in.mail {
		w := &p.When
		if p.fired || (w.Op == opReceive) != (op == simnet.Receiving) || w.After != (when == simnet.After) {
			continue
		}
		if ok, _ := path.Match(w.Message, m.Name); (ok || w.Message == "") && p.due(n) {
			in.fire(p, n)
		}
	}
}

// state is a named predicate over the cluster.
type state struct {
	name  string
	holds func() bool
}

// State names a predicate over the cluster, such as "two leaders", for triggers.
// It is asked after every event while a fault waits for it, so it should be
// cheap, and it must only look.
func (in *Injector) State(name string, holds func() bool) {
	switch {
	case !in.canName("a state", name):
		return
	case holds == nil:
		in.sys.Sim.Misuse(fmt.Errorf("fault: the state %q has no function that says when it holds", name))
		return
	}
	in.states = append(in.states, state{name, holds})
}

// onEvent fires the faults whose state has become true.
func (in *Injector) onEvent(*kernel.Node) {
	for _, s := range in.states {
		asked, holds := false, false
		for _, p := range in.waiting {
			if p.fired || p.When.State != s.name || in.sys.Sim.Now() < kernel.Time(p.At) {
				continue
			}
			if !asked {
				asked, holds = true, s.holds()
			}
			rises := holds && !p.holds
			p.holds = holds
			if rises && p.due(nil) {
				in.fire(p, nil)
			}
		}
	}
}

// due counts a match of the trigger on node n, nil for none, and reports
// whether it is the one at which the fault fires.
func (p *planned) due(n *kernel.Node) bool {
	switch {
	case p.fired || p.in.sys.Sim.Now() < kernel.Time(p.At):
		return false
	case p.When.Node != "" && (n == nil || p.When.Node != n.Name()):
		return false
	case p.Target.Pick == Self && len(p.Fault.Nodes) == 0:
		return p.dueOn(n)
	}
	p.matches++
	if p.When.Chance > 0 {
		return p.stream.Derive("chance").PPM(uint64(p.matches), uint32(p.When.Chance))
	}
	return p.matches == max(p.When.Nth, 1)
}

// dueOn is due for a fault that hits the node of its match. Who may be hit
// depends on the moment, so the trigger is recorded as the match on that node:
// a replay counts those alone.
func (p *planned) dueOn(n *kernel.Node) bool {
	if n == nil {
		return false
	}
	if p.seen == nil {
		p.seen = map[*kernel.Node]int{}
	}
	p.seen[n]++
	if !slices.Contains(p.in.groups[p.Target.Group], n) || !p.in.eligible(p, n) {
		return false
	}
	p.matches++
	due := p.matches == max(p.When.Nth, 1)
	if p.When.Chance > 0 {
		due = p.stream.Derive("chance").PPM(uint64(p.matches), uint32(p.When.Chance))
	}
	if due {
		p.When.Node, p.When.Nth, p.When.Chance = n.Name(), p.seen[n], 0
	}
	return due
}
