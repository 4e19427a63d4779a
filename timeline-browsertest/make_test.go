package browsertest

import (
	"fmt"
	"iter"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// traffic makes a run of about n records: five servers and three clients that
// write to a log, with mishaps, crashes and cuts. It is the same each time.
func traffic(n int) *artifact.Artifact {
	m := &maker{state: 1}
	var records iter.Seq[kernel.Record] = func(yield func(kernel.Record) bool) {
		m := &maker{state: 1, yield: yield}
		m.run(n)
	}
	m.yield = func(kernel.Record) bool { return true }
	m.run(n)
	report := &artifact.Report{
		Result: artifact.Failed, Test: "TestTraffic", Package: "example.org/traffic", Seed: 42,
		Story:   []string{"A run that was made for the page's own tests.", "Its servers are busy.", "Nothing is wrong.", "Then it ended.", "It failed, since a page opens on a failure."},
		Failure: &artifact.Failure{Kind: "invariant", Check: "nothing is wrong", Message: "s1 is too busy", Time: artifact.Duration(m.now), Event: m.event, Node: "s1"},
		Replay:  artifact.Replay{Command: "FAULTLINE_SEED=42 go test -run '^TestTraffic$' ."},
		Run:     artifact.RunStats{Time: artifact.Duration(m.now), Events: m.event, Records: uint64(m.rows)},
		History: &artifact.Operations{OK: len(m.ops)},
	}
	return artifact.InMemory(report, nil, m.ops, records)
}

// maker makes records, each group as an event of its own.
type maker struct {
	state uint64
	yield func(kernel.Record) bool
	now   time.Duration
	event uint64
	rows  int
	ids   int64
	late  []kernel.Record
	ops   []history.Operation
	full  bool
}

func (m *maker) random(n uint64) uint64 {
	m.state ^= m.state << 13
	m.state ^= m.state >> 7
	m.state ^= m.state << 17
	return m.state % n
}

func (m *maker) emit(cause uint64, node, kind string, attrs ...kernel.Attr) {
	r := kernel.Record{Index: uint64(m.rows), Time: kernel.Time(m.now), Event: m.event, Cause: cause, Node: node, Kind: kind, Attrs: attrs}
	if node != "" {
		r.Boot = 1
	}
	m.rows++
	if !m.yield(r) {
		m.full = true
	}
}

func (m *maker) run(n int) {
	for i := range 5 {
		m.event++
		m.emit(0, fmt.Sprintf("s%d", i+1), "node/boot")
	}
	for m.rows < n-1 && !m.full {
		m.round()
	}
	m.emit(0, "s1", "fail", kernel.Str("kind", "invariant"), kernel.Str("check", "nothing is wrong"), kernel.Str("message", "s1 is too busy"))
}

// round is a request, what servers say about it, and the answer.
func (m *maker) round() {
	m.step(40)
	client, server := fmt.Sprintf("c%d", m.random(3)+1), fmt.Sprintf("s%d", m.random(5)+1)
	start, called := m.now, m.event
	op := int64(len(m.ops))
	m.emit(0, client, "op/invoke", kernel.Int("op", op), kernel.Str("function", "put"), kernel.Str("input", fmt.Sprintf("k%d=%d", m.random(50), op)))
	m.message(client, server, "put", 0)
	m.emit(m.event-1, server, "disk/write", kernel.Str("file", "log"), kernel.Int("off", 64*op), kernel.Int("len", 64), kernel.Attr{Key: "digest", Type: kernel.AttrHash, Num: int64(m.state)})
	m.step(60)
	m.emit(m.event-1, server, "disk/sync", kernel.Str("file", "log"), kernel.Int("len", 1))
	for i := range 5 {
		if peer := fmt.Sprintf("s%d", i+1); peer != server {
			m.message(server, peer, "append", m.random(40))
		}
	}
	if m.random(200) == 0 {
		m.step(5)
		m.emit(0, server, "elected", kernel.Int("term", op))
	}
	m.message(server, client, "done", 0)
	m.emit(m.event-1, client, "op/return", kernel.Int("op", op), kernel.Str("status", "ok"), kernel.Str("output", "true"))
	m.ops = append(m.ops, history.Operation{ID: int(op), Process: client, Function: "put", Input: op, Output: true, Status: history.OK,
		Invoke: history.Point{Time: start, Event: called}, Return: history.Point{Time: m.now, Event: m.event}})
}

func (m *maker) step(most uint64) {
	m.event++
	m.now += time.Duration(m.random(most*1000) + 1000)
}

// message sends one and lets it arrive, or not.
func (m *maker) message(from, to, kind string, luck uint64) {
	m.ids++
	sent := m.event
	m.emit(max(m.event, 2)-1, from, "net/send", kernel.Str("to", to), kernel.Int("id", m.ids), kernel.Str("type", kind), kernel.Attr{Key: "digest", Type: kernel.AttrHash, Num: int64(m.state * 0x9E3779B97F4A7C15)})
	if luck == 1 {
		m.emit(max(m.event, 2)-1, from, "net/drop", kernel.Str("from", from), kernel.Str("to", to), kernel.Int("id", m.ids), kernel.Str("type", kind), kernel.Str("reason", "loss"))
		return
	}
	before := m.now
	m.step(300)
	m.emit(sent, to, "net/deliver", kernel.Str("from", from), kernel.Int("id", m.ids), kernel.Str("type", kind), kernel.Dur("took", m.now-before))
}
