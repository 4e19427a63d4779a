package timeline

import "strings"

const (
	maxEffectNodes = 100    // nodes whose links an effect shades
	maxEffectPairs = 10_000 // links that one effect shades, when they are listed
)

// placesOf returns the places of the nodes in a list of names.
func (c *chronicle) placesOf(names string) []int {
	out := []int{}
	for _, name := range strings.Fields(names) {
		if i, ok := c.place[name]; ok && len(out) < maxLanes {
			out = append(out, i)
		}
	}
	return out
}

// linksOf reads which links an effect hits from the way it is recorded: groups
// with bars between, or pairs with '>' between, '*' for all others. It reports
// whether that are all of them.
func (c *chronicle) linksOf(what string) (out [][2]int, all bool) {
	what, _, _ = strings.Cut(what, ": ")
	if groups := strings.Split(what, " | "); len(groups) > 1 {
		return c.between(groups)
	}
	all = true
	for _, pair := range strings.Fields(what) {
		from, to, ok := strings.Cut(pair, ">")
		if !ok || from == "*" && to == "*" {
			continue
		}
		if len(out) >= maxEffectPairs {
			return out, false
		}
		all = all && (from != "*" && to != "*" || len(c.nodes) <= maxEffectNodes)
		out = append(out, cross(c.side(from), c.side(to))...)
	}
	return out, all
}

func (c *chronicle) side(name string) []int {
	if name != "*" {
		return c.placesOf(name)
	}
	out := make([]int, 0, len(c.nodes))
	for i := range c.nodes[:min(len(c.nodes), maxEffectNodes)] {
		out = append(out, i)
	}
	return out
}

func cross(from, to []int) [][2]int {
	var out [][2]int
	for _, i := range from {
		for _, j := range to {
			if i != j {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// between returns the links between nodes that share no group.
func (c *chronicle) between(groups []string) (out [][2]int, all bool) {
	member := map[int]map[int]bool{}
	var nodes []int
	for g, names := range groups {
		for _, i := range c.placesOf(names) {
			if member[i] == nil {
				member[i] = map[int]bool{}
				nodes = append(nodes, i)
			}
			member[i][g] = true
		}
	}
	together := func(i, j int) bool {
		for g := range groups {
			if member[i][g] && member[j][g] {
				return true
			}
		}
		return false
	}
	few := nodes[:min(len(nodes), maxEffectNodes)]
	for _, pair := range cross(few, few) {
		if !together(pair[0], pair[1]) {
			out = append(out, pair)
		}
	}
	return out, len(few) == len(nodes)
}
