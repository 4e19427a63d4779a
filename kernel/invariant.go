package kernel

import "fmt"

// invariant is a check that must hold after every event.
type invariant struct {
	name  string
	nodes map[*Node]bool // nil: after every event
	check func(n *Node) error
	runs  uint64
	cost  int64
	hook  bool // of AfterEvents
}

// InvariantStats says how often an invariant was checked and what that cost.
type InvariantStats struct {
	Name string // name of the invariant
	Runs uint64 // how often it was checked
	Cost int64  // in units of Config.Stopwatch, 0 without one
}

// Invariant adds a check that is called after every event, in the order in
// which invariants were added. n is the node that the event ran on, nil for
// events of the world, so that a check can look only at what may have changed.
// An error ends the run; its text is the failure's message. With nodes given,
// it is called only after events on those. Names that [CheckName] does not take and
// repeated ones are setup errors, and so is a check that is nil.
func (s *Sim) Invariant(name string, check func(n *Node) error, nodes ...*Node) {
	if name == "" {
		s.Misuse(fmt.Errorf("kernel: an invariant has an empty name; give each check one"))
		return
	}
	if err := CheckName(name); err != nil {
		s.Misuse(fmt.Errorf("kernel: an invariant cannot be called %q: %w", name, err))
		return
	}
	if check == nil {
		s.Misuse(fmt.Errorf("kernel: the invariant %q has no check", name))
		return
	}
	for _, v := range s.invariants {
		if v.name == name {
			s.Misuse(fmt.Errorf("kernel: two invariants are called %q; names must be unique", name))
			return
		}
	}
	v := &invariant{name: name, check: check}
	if len(nodes) > 0 {
		v.nodes = make(map[*Node]bool, len(nodes))
		for _, n := range nodes {
			v.nodes[n] = true
		}
	}
	s.invariants = append(s.invariants, v)
}

// AfterEvents calls f after every event, among the invariants, with the node
// that the event ran on or nil. Unlike a check f may act, for example crash a
// node.
func (s *Sim) AfterEvents(f func(n *Node)) {
	check := func(n *Node) error { f(n); return nil }
	s.invariants = append(s.invariants, &invariant{name: "after an event", check: check, hook: true})
}

// InvariantStats returns the statistics of all invariants, in their order.
func (s *Sim) InvariantStats() []InvariantStats {
	out := []InvariantStats{}
	for _, v := range s.invariants {
		if !v.hook {
			out = append(out, InvariantStats{v.name, v.runs, v.cost})
		}
	}
	return out
}

// judge checks the invariants after an event on n.
func (s *Sim) judge(n *Node) {
	for i, v := range s.invariants {
		if v.nodes != nil && !v.nodes[n] {
			continue
		}
		v.runs++
		s.judging = i + 1
		var err error
		if s.cfg.Stopwatch == nil {
			err = v.check(n)
		} else {
			began := s.cfg.Stopwatch()
			err = v.check(n)
			v.cost += s.cfg.Stopwatch() - began
		}
		if err != nil {
			s.Fail(Failure{Kind: KindInvariant, Check: v.name, Message: err.Error()})
			break
		}
	}
	s.judging = 0
}

// Guard calls check in the name of a check outside the run's events: a panic
// in it fails the run under that name, with its stack.
func (s *Sim) Guard(name string, check func() error) (err error) {
	s.guard = name
	s.guarded(func() { err = check() })
	s.guard = ""
	return err
}

// checking returns the name of the check that is running, or "".
func (s *Sim) checking() string {
	if s.judging > 0 {
		return s.invariants[s.judging-1].name
	}
	return s.guard
}
