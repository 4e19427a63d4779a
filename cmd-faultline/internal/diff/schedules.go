package diff

import (
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// maxNamed is how many faults or choices are named.
const maxNamed = 5

// Schedules says how two schedules differ, which is often why the traces do;
// either may be nil.
func Schedules(a, b *fault.Schedule, names [2]string) []string {
	if a == nil || b == nil {
		return nil
	}
	var out []string
	if a.Seed != b.Seed {
		out = append(out, fmt.Sprintf("The seeds differ: 0x%016x in %s, 0x%016x in %s.", a.Seed, names[0], b.Seed, names[1]))
	}
	fa, fb := faults(a), faults(b)
	out = append(out, only(fa, fb, "fault", names[0])...)
	out = append(out, only(fb, fa, "fault", names[1])...)
	ca, cb := choices(a), choices(b)
	out = append(out, only(ca, cb, "choice", names[0])...)
	return append(out, only(cb, ca, "choice", names[1])...)
}

// entry is something of a schedule: what makes it, and what it is called.
type entry struct{ identity, name string }

// faults returns the planned faults without what became of them.
func faults(s *fault.Schedule) []entry {
	var out []entry
	for _, f := range s.Faults {
		name := f.ID
		if name == "" {
			name = string(f.Kind)
		}
		f.Nodes, f.Outcome = nil, ""
		out = append(out, entry{fmt.Sprintf("%+v", f), fmt.Sprintf("%s at %v", artifact.Visible(name), f.At)})
	}
	return out
}

func choices(s *fault.Schedule) []entry {
	var out []entry
	for _, c := range s.Choices {
		name := fmt.Sprintf("%s number %d", artifact.Visible(c.Point), c.N)
		if c.Time = kernel.Time(0); c.Of != 0 {
			c.N = 0 // it is found by what it is about
		}
		out = append(out, entry{fmt.Sprintf("%+v", c), name})
	}
	return out
}

// only says which entries are in the first list and not in the second.
func only(list, other []entry, what, name string) []string {
	has := map[string]bool{}
	for _, e := range other {
		has[e.identity] = true
	}
	var names []string
	count := 0
	for _, e := range list {
		if has[e.identity] {
			continue
		}
		if count++; count <= maxNamed {
			names = append(names, e.name)
		}
	}
	switch {
	case count == 0:
		return nil
	case count > maxNamed:
		names = append(names, fmt.Sprintf("and %d more", count-maxNamed))
	}
	plural := "s"
	if count == 1 {
		plural = ""
	}
	return []string{fmt.Sprintf("%d %s%s only in %s: %s.", count, what, plural, name, strings.Join(names, ", "))}
}
