package timeline

import "github.com/hmdsefi/faultline/artifact"

// The groups that faultline makes itself.
const (
	groupServers = "servers"
	groupClients = "clients"
	groupOthers  = "others" // nodes that are in no group
)

// grouping says which group a node is shown with: "servers" or "clients" if it
// is in one of them, otherwise the first group that has it. Servers come first,
// clients last.
type grouping struct {
	of    map[string]string
	order map[string]int
}

// groupingOf reads the groups of a report. One that has none, of a run without
// faultline's World, makes do with a guess: a node is a client if it called an
// operation, and otherwise a server.
func groupingOf(list []artifact.Group, callers map[string]bool) grouping {
	g := grouping{map[string]string{}, map[string]int{groupServers: 0}}
	for _, name := range []string{groupServers, groupClients, ""} {
		for _, group := range list {
			if name != "" && group.Name != name {
				continue
			}
			if _, ok := g.order[group.Name]; !ok && group.Name != groupClients {
				g.order[group.Name] = len(g.order)
			}
			for _, node := range group.Nodes {
				if _, ok := g.of[node]; !ok {
					g.of[node] = group.Name
				}
			}
		}
	}
	rest := groupOthers
	if len(list) == 0 {
		rest = groupServers
		for node := range callers {
			g.of[node] = groupClients
		}
	}
	g.of[""] = rest
	if rest == groupOthers {
		g.order[groupOthers] = len(g.order)
	}
	g.order[groupClients] = len(g.order)
	return g
}

// group returns the name of the group that a node is shown with.
func (g grouping) group(node string) string {
	if name, ok := g.of[node]; ok && node != "" {
		return name
	}
	return g.of[""]
}

// rank orders the groups.
func (g grouping) rank(node string) int { return g.order[g.group(node)] }
