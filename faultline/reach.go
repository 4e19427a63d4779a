package faultline

import (
	"slices"

	"github.com/hmdsefi/faultline/fault"
)

// picks are the ways to pick nodes of a group, from few to many.
var picks = [...]fault.Pick{"", fault.One, fault.Minority, fault.Half, fault.Majority, fault.All}

// rank returns the place of a pick in picks.
func rank(p fault.Pick) int { return slices.Index(picks[:], p) }

// widest returns the rank of the widest pick that a system has to stand of a
// kind of fault: that of the test's rules and of the schedule, or all if faults
// are unrestricted.
func (s *shrinker) widest(kind fault.Kind) int {
	if s.recipe.opt.Unrestricted {
		return rank(fault.All)
	}
	most := 0
	for _, r := range s.rules {
		if r.Kind == kind {
			most = max(most, rank(r.Target.Pick))
			for _, p := range r.Picks {
				most = max(most, rank(p))
			}
		}
	}
	for _, f := range s.before.Faults {
		if f.Kind == kind {
			most = max(most, rank(f.Target.Pick))
		}
	}
	return most
}

// profiles are the variants of a kind of fault that the test's rules draw from.
func (s *shrinker) profiles(kind fault.Kind) (out []string) {
	for _, r := range s.rules {
		if r.Kind == kind {
			out = append(out, r.Profiles...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everyone returns the nodes that faults of a kind have hit in the whole schedule.
func (s *shrinker) everyone(kind fault.Kind) (nodes []string) {
	for _, f := range s.before.Faults {
		if f.Kind == kind {
			nodes = append(nodes, f.Nodes...)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// stands reports whether a system has to stand a kind of fault on that many nodes
// at once.
func (s *shrinker) stands(kind fault.Kind, nodes int) bool {
	if nodes <= 1 && slices.ContainsFunc(s.rules, func(r fault.Rule) bool { return r.Kind == kind }) {
		return true
	}
	return s.widest(kind) == rank(fault.All) || slices.ContainsFunc(s.before.Faults, func(f fault.Fault) bool {
		return f.Kind == kind && len(f.Nodes) >= nodes
	})
}
