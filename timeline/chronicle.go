package timeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxLanes = 1000   // nodes that have a lane of their own
	maxSpans = 20_000 // of each sort that a chronicle keeps
)

// chronicle is what lasts in a run, rather than happening at a moment: which
// nodes there were and when they were up, and when faults held.
type chronicle struct {
	nodes   []string       // group by group, in natural order
	place   map[string]int // of a node in nodes
	clients map[string]bool
	groups  grouping
	nolane  map[string]bool // nodes beyond maxLanes
	failing string          // the node that failed, which has a lane in any case

	states  []state
	faults  []faultSpan
	effects []effectSpan
	left    int // spans beyond maxSpans

	unshaded int // effects of which not all links are shaded

	records int         // in the trace
	end     kernel.Time // of the run, or of the last record

	current map[string]int // place in states of what a node does now
}

// state is a stretch of a node's life. Until is 0 or more; it is the end of
// the run if nothing ended it.
type state struct {
	node        string
	doing       string // "up", "down" or "paused"
	boot        int
	from, until kernel.Time
	lost        bool // down because the power was lost
}

// faultSpan is a fault from its beginning to its end.
type faultSpan struct {
	id, kind    string
	nodes       string // as recorded: names with spaces between
	peers       string
	detail      string // its other attributes
	from, until kernel.Time
	record      int // place in the trace
	moment      bool
	open        bool        // its end has not been seen
	lasts       kernel.Time // how long it was to last; 0 if not known
}

// effectSpan is a cut or a degradation of links.
type effectSpan struct {
	number      string
	what        string
	cut         bool
	met         string // messages that it met; empty while it goes on
	from, until kernel.Time
	record      int
	open        bool
}

// chronicleOf reads the whole trace.
func chronicleOf(a *artifact.Artifact) (*chronicle, error) {
	c := &chronicle{place: map[string]int{}, clients: map[string]bool{}, nolane: map[string]bool{}, current: map[string]int{}}
	c.end = kernel.Time(a.Report.Run.Time)
	if f := a.Report.Failure; f != nil {
		c.failing = f.Node
	}
	for r, err := range a.Records() {
		if err != nil {
			return nil, err
		}
		c.add(&r)
	}
	for i := range a.Operations {
		c.clients[a.Operations[i].Process] = true
	}
	c.groups = groupingOf(a.Report.Groups, c.clients)
	c.settle()
	return c, nil
}

func (c *chronicle) add(r *kernel.Record) {
	if _, ok := c.place[r.Node]; !ok && r.Node != "" {
		c.lane(r.Node)
	}
	module, what, _ := strings.Cut(r.Kind, "/")
	switch module {
	case "node":
		c.life(r, what)
	case "fault":
		c.fault(r, what)
	case "net":
		c.effect(r, what)
	case "op":
		if r.Node != "" && len(c.clients) < maxLanes {
			c.clients[r.Node] = true
		}
	}
	c.records++
	c.end = max(c.end, r.Time)
}

// lane gives a node a lane, as long as there are some.
func (c *chronicle) lane(node string) {
	most := maxLanes
	if _, ok := c.place[c.failing]; !ok && c.failing != "" && node != c.failing {
		most--
	}
	if len(c.place) >= most {
		c.nolane[node] = true
		return
	}
	c.place[node] = 0
	c.nodes = append(c.nodes, node)
}

func (c *chronicle) life(r *kernel.Record, what string) {
	s := state{node: r.Node, boot: r.Boot, from: r.Time, until: -1}
	switch what {
	case "boot", "resume":
		s.doing = "up"
	case "pause":
		s.doing = "paused"
	case "kill", "power-loss":
		s.doing, s.lost = "down", what == "power-loss"
	default:
		return
	}
	if len(c.states) == maxSpans {
		c.left++
		return
	}
	if i, ok := c.current[r.Node]; ok {
		c.states[i].until = r.Time
	}
	c.current[r.Node] = len(c.states)
	c.states = append(c.states, s)
}

// fault follows the faults. What was open at the quiet phase ends there.
func (c *chronicle) fault(r *kernel.Record, what string) {
	switch what {
	case "fire":
		if len(c.faults) == maxSpans {
			c.left++
			return
		}
		f := faultSpan{id: get(r, "fault"), kind: get(r, "kind"), nodes: get(r, "nodes"), peers: get(r, "peers"),
			detail: strings.TrimSpace(attrs(r, "fault", "kind", "nodes", "peers")), from: r.Time, until: r.Time, record: c.records}
		lasts, ok := r.Get("for")
		f.moment = !ok && momentary(f.kind)
		f.open, f.lasts = !f.moment, kernel.Time(max(lasts.Num, 0))
		c.faults = append(c.faults, f)
	case "end", "quiet":
		id := get(r, "fault")
		for i := range c.faults {
			if f := &c.faults[i]; f.open && (what == "quiet" || f.id == id) {
				f.open, f.until = false, r.Time
			}
		}
	}
}

// momentary reports whether a fault without a duration is over at once.
func momentary(kind string) bool {
	return slices.Contains([]string{"kill", "power-loss", "corrupt", "clock-step", "join", "stream-reset", "stream-half-open"}, kind)
}

func (c *chronicle) effect(r *kernel.Record, what string) {
	switch what {
	case "cut", "degrade", "clog", "aim":
		if len(c.effects) == maxSpans {
			c.left++
			return
		}
		c.effects = append(c.effects, effectSpan{number: get(r, "effect"), what: get(r, "what"), cut: what == "cut",
			from: r.Time, record: c.records, open: true})
	case "heal":
		number := get(r, "effect")
		for i := range c.effects {
			if e := &c.effects[i]; e.open && e.number == number {
				e.open, e.until, e.met = false, r.Time, get(r, "met")
			}
		}
	}
}

// settle ends what has not ended, and orders the nodes.
func (c *chronicle) settle() {
	for i := range c.states {
		if c.states[i].until < 0 {
			c.states[i].until = c.end
		}
	}
	for i := range c.faults {
		if f := &c.faults[i]; f.open {
			f.until = c.end
			if f.lasts > 0 && f.lasts < c.end-f.from {
				f.until = f.from + f.lasts
			}
		}
	}
	for i := range c.effects {
		if c.effects[i].open {
			c.effects[i].until = c.end
		}
	}
	slices.SortFunc(c.nodes, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.groups.rank(a), c.groups.rank(b)), natural(a, b))
	})
	for i, name := range c.nodes {
		c.place[name] = i
	}
}
