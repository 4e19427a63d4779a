package timeline

import (
	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxPageOps   = 200_000 // operations in a page
	maxPagePairs = 200_000 // links of all effects together
)

// headOf tells what is not in the columns. It is made after them.
func headOf(a *artifact.Artifact, c *chronicle, causes *Causes, p *payload, skip int) *pageHead {
	r := a.Report
	h := &pageHead{Test: p.text.fit(r.Test), Passed: r.Result == artifact.Passed, Replay: p.text.fit(r.Replay.Command),
		Nodes: []pageNode{}, Shapes: append([]*shape{}, p.shapes...), Rows: p.rows, Skipped: skip, First: p.first, End: c.end, About: causes.About,
		States: [][6]int64{}, Faults: []pageFault{}, Effects: []pageEffect{}, Ops: []pageOp{}, Slice: []uint64{}, Edges: [][3]uint64{}}
	if f := r.Failure; f != nil {
		h.Failure = &pageFailure{Kind: p.text.fit(f.Kind), Check: p.text.fit(f.Check), Message: p.text.fit(f.Message),
			Node: p.text.fit(f.Node), Time: kernel.Time(f.Time), Event: f.Event}
	}
	for _, name := range c.nodes {
		h.Nodes = append(h.Nodes, pageNode{p.text.fit(name), c.groups.group(name) == groupClients, p.text.fit(c.groups.group(name))})
	}
	for i := range causes.Steps {
		h.Slice = append(h.Slice, causes.Steps[i].Event)
	}
	for _, e := range causes.Edges {
		order := uint64(0)
		if e.Order {
			order = 1
		}
		h.Edges = append(h.Edges, [3]uint64{e.From, e.To, order})
	}
	h.spans(c, skip)
	h.operations(a.Operations, c, p.text)
	h.Strings = p.text.list
	return h
}

// spans adds states, faults and effects to the head.
func (h *pageHead) spans(c *chronicle, skip int) {
	doing := map[string]int64{"up": 0, "down": 1, "paused": 2}
	for i := range c.states {
		s := &c.states[i]
		node, ok := c.place[s.node]
		if !ok {
			continue
		}
		lost := int64(0)
		if s.lost {
			lost = 1
		}
		h.States = append(h.States, [6]int64{int64(node), doing[s.doing], int64(s.boot), int64(s.from), int64(s.until), lost})
	}
	for i := range c.faults {
		f := &c.faults[i]
		text := f.kind
		for _, part := range []string{f.nodes, f.peers, f.detail} {
			if part != "" {
				text += " " + part
			}
		}
		h.Faults = append(h.Faults, pageFault{Kind: f.kind, Nodes: c.placesOf(f.nodes), Text: shorten(text, maxValue),
			From: f.from, Until: f.until, Record: f.record - skip, Open: f.open, Moment: f.moment})
	}
	pairs := 0
	for i := range c.effects {
		e := &c.effects[i]
		links, all := c.linksOf(e.what)
		if pairs += len(links); pairs > maxPagePairs {
			links, all = nil, false
		}
		if !all {
			c.unshaded++
		}
		h.Effects = append(h.Effects, pageEffect{What: e.what, Cut: e.cut, Met: e.met,
			From: e.from, Until: e.until, Record: e.record - skip, Open: e.open, Pairs: links})
	}
}

// operations adds the operations of clients.
func (h *pageHead) operations(ops []history.Operation, c *chronicle, t *texts) {
	ops = ops[max(0, len(ops)-maxPageOps):]
	for i := range ops {
		op := &ops[i]
		node, ok := c.place[op.Process]
		if !ok {
			node = -1
		}
		until := kernel.Time(op.Return.Time)
		if !op.Done() {
			until = c.end
		}
		result := history.Text(op.Output)
		if op.Reason != "" {
			result = op.Reason
		}
		h.Ops = append(h.Ops, pageOp{ID: op.ID, Node: node, Status: string(op.Status), Result: t.fit(result),
			Text: t.fit(op.Function + "(" + history.Text(op.Input) + ")"),
			From: kernel.Time(op.Invoke.Time), Until: until, Start: op.Invoke.Event, Stop: op.Return.Event})
	}
}
