package simnet

import "strings"

// cover is a set of links. Asking it takes the same time whatever its size,
// and its size is that of what was named, never nodes squared.
type cover struct {
	all   bool            // every link but those to oneself
	from  map[int32]bool  // every link from these
	to    map[int32]bool  // every link to these
	exact map[pair]bool   // these links
	group map[int32]words // if not nil: links between members of different groups
}

// words is a set of groups, one bit each.
type words []uint64

// covers reports whether the link is in the set.
func (c *cover) covers(p pair) bool {
	if c.group != nil {
		a, b := c.group[p.from], c.group[p.to]
		return a != nil && b != nil && !a.meets(b)
	}
	if c.exact[p] {
		return true
	}
	return p.from != p.to && (c.all || c.from[p.from] || c.to[p.to])
}

func (w words) meets(o words) bool {
	for i := range w {
		if w[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// pairCover makes a set of pairs.
func (n *Network) pairCover(place string, pairs []Pair) cover {
	c := cover{from: map[int32]bool{}, to: map[int32]bool{}, exact: map[pair]bool{}}
	for _, p := range pairs {
		if err := n.knownPair(place, p); err != nil {
			n.sim.Misuse(err)
			continue
		}
		switch {
		case p.From == Any && p.To == Any:
			c.all = true
		case p.From == Any:
			c.to[n.ports[p.To].index] = true
		case p.To == Any:
			c.from[n.ports[p.From].index] = true
		default:
			c.exact[pair{n.ports[p.From].index, n.ports[p.To].index}] = true
		}
	}
	return c
}

func (n *Network) knownPair(place string, p Pair) error {
	for _, name := range []string{p.From, p.To} {
		if name == Any {
			continue
		}
		if err := n.known(place+", pair "+p.String(), name); err != nil {
			return err
		}
	}
	return nil
}

// groupCover makes the set of links between members of different groups.
func (n *Network) groupCover(groups [][]string) cover {
	c := cover{group: map[int32]words{}}
	for i, g := range groups {
		for _, name := range g {
			index := n.ports[name].index
			if c.group[index] == nil {
				c.group[index] = make(words, (len(groups)+63)/64)
			}
			c.group[index][i/64] |= 1 << (i % 64)
		}
	}
	return c
}

// mostNames bounds the text of an effect.
const mostNames = 32

func pairText(pairs []Pair) string {
	names := make([]string, len(pairs))
	for i, p := range pairs {
		names[i] = p.String()
	}
	return nameText(names)
}

func groupText(groups [][]string) string {
	texts := make([]string, len(groups))
	for i, g := range groups {
		texts[i] = nameText(g)
	}
	return strings.Join(texts, " | ")
}

func nameText(names []string) string {
	if len(names) > mostNames {
		return strings.Join(names[:mostNames], " ") + " ..."
	}
	return strings.Join(names, " ")
}
