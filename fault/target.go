package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// resolve returns the nodes that a fault hits now, in the order in which they
// were added to the run.
func (in *Injector) resolve(p *planned, at *kernel.Node) []*kernel.Node {
	named := p.Fault.Nodes
	if len(named) == 0 {
		named = p.Target.Nodes
	}
	switch {
	case len(named) > 0:
		var out []*kernel.Node
		for _, name := range named {
			out = append(out, in.sys.Sim.Node(name))
		}
		return out
	case (p.Target.Group == "" || p.Target.Pick == Self) && at != nil:
		return []*kernel.Node{at}
	}
	group := in.groups[p.Target.Group]
	var out []*kernel.Node
	for _, n := range group {
		if in.eligible(p, n) {
			out = append(out, n)
		}
	}
	return p.pair(p.pick(out, len(group)), group)
}

// eligible reports whether a random fault may hit n: it must be in a state in
// which the fault would change something, and have the role.
func (in *Injector) eligible(p *planned, n *kernel.Node) bool {
	switch p.Kind {
	case Kill, PowerLoss, Outage, CrashLoop, CrashRecovery, LoseNode, Leave, ClockStepDown, WipeDisk, SwapDisks:
		if !n.Alive() {
			return false
		}
	case Join:
		if n.Alive() || n.Boot() > 0 && in.gone[n] != left {
			return false
		}
	case SlowNode:
		if n.Cost() > 0 {
			return false
		}
	case ClockFreeze:
		if wall, _ := n.ClocksStopped(); wall {
			return false
		}
	case ClockTick:
		if n.Tick() > 0 {
			return false
		}
	case TimerError:
		if n.TimerErrorSet() {
			return false
		}
	case Pause:
		if n.State() != kernel.Up {
			return false
		}
	case ClockDrift:
		if n.Drift() != 0 {
			return false
		}
	}
	if p.Target.Role == "" {
		return true
	}
	for _, r := range in.roles {
		if r.name == p.Target.Role {
			return n.State() == kernel.Up && r.has(n)
		}
	}
	return false
}

// pick draws as many of the candidates as the fault asks for.
func (p *planned) pick(from []*kernel.Node, group int) []*kernel.Node {
	q := kernel.Seq{Stream: p.stream.Derive("pick")}
	want := p.Target.Pick.count(group, &q)
	if p.Kind == Outage && p.Target.Pick == "" {
		want = group
	}
	if want >= len(from) {
		return from
	}
	for i := range want {
		j := i + int(q.Below(uint64(len(from)-i)))
		from[i], from[j] = from[j], from[i]
	}
	from = from[:want]
	slices.SortFunc(from, func(a, b *kernel.Node) int { return a.Index() - b.Index() })
	return from
}

// count draws how many nodes of a group of n a pick means.
func (k Pick) count(n int, q *kernel.Seq) int {
	most := max((n-1)/2, 1) // a minority
	switch k {
	case Minority:
		return 1 + int(q.Below(uint64(most)))
	case Half:
		return max(n/2, 1)
	case Majority:
		return min(n/2+1+int(q.Below(uint64(most))), max(n-1, 1))
	case All:
		return n
	default:
		return 1
	}
}

// taken returns the nodes that a fault takes out of service: those that it
// hits, or the servers on the other side of a partition when they are fewer.
func (in *Injector) taken(p *planned, nodes []*kernel.Node) []*kernel.Node {
	if p.Kind != Partition {
		return nodes
	}
	var inside, outside []*kernel.Node
	for _, n := range in.groups["servers"] {
		if slices.Contains(nodes, n) {
			inside = append(inside, n)
		} else {
			outside = append(outside, n)
		}
	}
	if len(outside) < len(inside) {
		return outside
	}
	return nodes
}

// exhausted reports whether taking these nodes out of service as well would
// leave no majority of the servers in it. Of one or two servers one may go:
// else nothing could happen to them.
func (in *Injector) exhausted(nodes []*kernel.Node) bool {
	servers := in.groups["servers"]
	out, taken := 0, 0
	for _, n := range servers {
		hit := slices.Contains(nodes, n)
		if hit {
			taken++
		}
		if hit || in.out[n] > 0 {
			out++
		}
	}
	return taken > 0 && out > max((len(servers)-1)/2, 1)
}

func names(nodes []*kernel.Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Name())
	}
	return out
}

// validate reports what makes no sense about a fault in this system.
func (in *Injector) validate(f Fault) error {
	t, _ := f.Kind.trait()
	switch {
	case t.on == onNetwork && in.sys.Net == nil:
		return fmt.Errorf("a %s fault needs a network, and this run has none", f.Kind)
	case t.on == onStream && in.sys.Streams == nil:
		return fmt.Errorf("a %s fault needs streams, and this run has none", f.Kind)
	case t.on == onDisk && in.sys.Disks == nil:
		return fmt.Errorf("a %s fault needs disks, and this run has none", f.Kind)
	case f.When.ofMessage() && in.sys.Net == nil:
		return fmt.Errorf("a fault triggered by a message needs a network, and this run has none")
	case f.When.Point != "" && len(in.named) > 0 && !slices.Contains(in.named, f.When.Point):
		return fmt.Errorf("unknown point %q in When.Point; the points are %v", f.When.Point, in.named)
	case f.When.State != "" && !slices.ContainsFunc(in.states, func(s state) bool { return s.name == f.When.State }):
		return fmt.Errorf("unknown state %q in When.State; name it before the faults are armed", f.When.State)
	case f.Kind == Upgrade && !slices.ContainsFunc(in.versions, func(v version) bool { return v.name == f.Profile }):
		return fmt.Errorf("no node has a version %q; name it before the faults are armed", f.Profile)
	case f.When.Op != "" && !f.When.ofMessage() && in.sys.Disks == nil:
		return fmt.Errorf("a fault triggered by a disk operation needs disks, and this run has none")
	}
	if err := in.validateNames(f); err != nil {
		return err
	}
	if f.Outcome == Skipped || f.Outcome == NoTarget {
		return nil
	}
	return in.validateTarget(f)
}

func (in *Injector) validateNames(f Fault) error {
	for _, list := range [][]string{f.Nodes, f.Target.Nodes, f.Peers} {
		for _, name := range list {
			if in.sys.Sim.Node(name) == nil && !strings.HasPrefix(name, "@") {
				return fmt.Errorf("unknown node %q; the nodes are %v", name, names(in.sys.Sim.Nodes()))
			}
		}
	}
	for _, name := range f.Peers {
		if group, ok := strings.CutPrefix(name, "@"); ok && len(in.groups[group]) == 0 {
			return fmt.Errorf("group %q in Peers has no nodes; add some before the faults are armed", group)
		}
	}
	for _, name := range slices.Concat(f.Nodes, f.Target.Nodes) {
		if strings.HasPrefix(name, "@") {
			return fmt.Errorf("%q is a group; name it in Target.Group", name)
		}
	}
	if f.When.Node != "" && in.sys.Sim.Node(f.When.Node) == nil {
		return fmt.Errorf("unknown node %q in When.Node; the nodes are %v", f.When.Node, names(in.sys.Sim.Nodes()))
	}
	return nil
}

func (in *Injector) validateTarget(f Fault) error {
	if len(f.Nodes) > 0 || len(f.Target.Nodes) > 0 || f.Target.Group == "" {
		return nil
	}
	if len(in.groups[f.Target.Group]) == 0 {
		return fmt.Errorf("group %q has no nodes; add some before the faults are armed", f.Target.Group)
	}
	switch f.Target.Pick {
	case "", One, Minority, Half, Majority, All, Self:
	default:
		return fmt.Errorf("unknown Target.Pick %q; use one, minority, half, majority, all or self", f.Target.Pick)
	}
	if f.Target.Role == "" || slices.Contains(in.Roles(), f.Target.Role) {
		return nil
	}
	return fmt.Errorf("unknown role %q; the roles are %v", f.Target.Role, in.Roles())
}
