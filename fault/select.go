package fault

import (
	"fmt"
	"slices"
	"strings"
)

// name is what a rule is called: by its own name, or by its kind.
func (r *Rule) name() string {
	if r.Name == "" {
		return string(r.Kind)
	}
	return r.Name
}

// Only returns the rules of these kinds.
func (r Rules) Only(kinds ...Kind) Rules {
	return r.keep(func(rule *Rule) bool { return slices.Contains(kinds, rule.Kind) })
}

// Without returns the rules that are not of these kinds.
func (r Rules) Without(kinds ...Kind) Rules {
	return r.keep(func(rule *Rule) bool { return !slices.Contains(kinds, rule.Kind) })
}

// WithoutRules returns the rules that are not called by these names: [Rule.Name],
// or the kind of a rule that has none. It leaves one rule out where [Rules.Without]
// leaves out all of its kind. The faults of the other rules stay where they are. A
// name that no rule has is an error of the setup, see [Plan], which names it.
func (r Rules) WithoutRules(names ...string) Rules {
	out := r.keep(func(rule *Rule) bool { return !slices.Contains(names, rule.name()) })
	for _, name := range names {
		if !slices.ContainsFunc(r, func(rule Rule) bool { return rule.name() == name }) {
			out = append(out, Rule{Name: name, wrong: fmt.Errorf("WithoutRules: there is no rule of that name; the rules are %s", r.names())})
		}
	}
	return out
}

// keep returns the rules that are wanted, and the mistakes that were made before.
func (r Rules) keep(want func(rule *Rule) bool) Rules {
	var out Rules
	for _, rule := range r {
		if rule.wrong != nil || want(&rule) {
			out = append(out, rule)
		}
	}
	return out
}

func (r Rules) names() string {
	var names []string
	for _, rule := range r {
		if rule.wrong == nil {
			names = append(names, rule.name())
		}
	}
	return strings.Join(names, ", ")
}
