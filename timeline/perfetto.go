package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// MaxPerfettoRecords is the largest number of records in an export.
const MaxPerfettoRecords = 50_000

// Perfetto returns perfetto.json: the run in the Trace Event Format of Chrome,
// which ui.perfetto.dev and similar viewers open. Groups of nodes, and the
// world with its faults, are processes, and nodes are threads; records are
// instants, operations and the states of nodes are slices, messages are flows.
// Times are microseconds of virtual time, with three decimals. Of a longer trace
// it holds the last [MaxPerfettoRecords] records, and otherData says how many
// are left out. The error comes from reading the trace.
//
// The format is described in "Trace Event Format" by Nat Duca and Dan Sinclair.
func Perfetto(a *artifact.Artifact) ([]byte, error) {
	c, err := chronicleOf(a)
	if err != nil {
		return nil, err
	}
	e := &export{c: c, match: newMatcher()}
	e.out.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	e.names()
	e.spans()
	e.operations(a.Operations)
	skip := max(0, c.records-MaxPerfettoRecords)
	row := 0
	for r, err := range a.Records() {
		if err != nil {
			return nil, err
		}
		if row++; row > skip {
			e.record(&r, row)
		}
	}
	test := shorten(artifact.Visible(a.Report.Test), maxValue)
	fmt.Fprintf(&e.out, "\n],\"otherData\":{\"test\":%s,\"seed\":%q,\"records_left_out\":%d}}\n", quote(test), a.Report.Seed.String(), skip)
	return e.out.Bytes(), nil
}

// worldGroup is the process of what is on no node; the groups of nodes have
// those after it.
const worldGroup = 1

type export struct {
	out   bytes.Buffer
	c     *chronicle
	match *matcher
	some  bool

	process map[string]int // numbers of the groups of nodes
}

// event appends an event; fields are JSON.
func (e *export) event(name, phase string, group, thread int, at kernel.Time, fields string) {
	if e.some {
		e.out.WriteByte(',')
	}
	e.some = true
	fmt.Fprintf(&e.out, "\n{\"name\":%s,\"ph\":%q,\"pid\":%d,\"tid\":%d,\"ts\":%s%s}", quote(name), phase, group, thread, micros(at), fields)
}

// micros writes nanoseconds as microseconds.
func micros(t kernel.Time) string {
	v := uint64(max(t, 0))
	return strconv.FormatUint(v/1000, 10) + fmt.Sprintf(".%03d", v%1000)
}

// quote writes a text as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // strings always have a form
		return `""`
	}
	return string(b)
}

// lane returns the process and thread of a node.
func (e *export) lane(node string) (group, thread int) {
	i, ok := e.c.place[node]
	if !ok {
		return worldGroup, 1
	}
	return e.process[e.c.groups.group(node)], i + 2
}

func (e *export) names() {
	e.process = map[string]int{}
	named := func(process int, name string) {
		e.event("process_name", "M", process, 0, 0, `,"args":{"name":`+quote(name)+`}`)
	}
	named(worldGroup, "world")
	for _, node := range e.c.nodes {
		if name := e.c.groups.group(node); e.process[name] == 0 {
			e.process[name] = worldGroup + 1 + len(e.process)
			named(e.process[name], shown(name))
		}
	}
	e.event("thread_name", "M", worldGroup, 1, 0, `,"args":{"name":"records"}`)
	for _, node := range e.c.nodes {
		group, thread := e.lane(node)
		e.event("thread_name", "M", group, thread, 0, `,"args":{"name":`+quote(shown(node))+`}`)
	}
}

// spans adds what lasts: faults, cuts, nodes that are down or paused. They may
// overlap, so each has a number of its own.
func (e *export) spans() {
	number := 0
	add := func(name, sort string, group, thread int, from, until kernel.Time) {
		number++
		id := fmt.Sprintf(`,"cat":%s,"id":"%d"`, quote(sort), number)
		e.event(name, "b", group, thread, from, id)
		e.event(name, "e", group, thread, until, id)
	}
	for i := range e.c.faults {
		f := &e.c.faults[i]
		add(shorten(f.kind+" "+f.nodes+" "+f.detail, maxValue), "fault", worldGroup, 1, f.from, f.until)
	}
	for i := range e.c.effects {
		f := &e.c.effects[i]
		add(f.what, "network", worldGroup, 1, f.from, f.until)
	}
	for i := range e.c.states {
		if s := &e.c.states[i]; s.doing != "up" {
			group, thread := e.lane(s.node)
			add(s.doing, "node", group, thread, s.from, s.until)
		}
	}
}

func (e *export) operations(ops []history.Operation) {
	ops = ops[max(0, len(ops)-MaxPerfettoRecords):]
	for i := range ops {
		op := &ops[i]
		group, thread := e.lane(op.Process)
		until := kernel.Time(op.Return.Time)
		if !op.Done() {
			until = e.c.end
		}
		id := fmt.Sprintf(`,"cat":"operation","id":"op%d","args":{"outcome":%s}`, op.ID, quote(shown(string(op.Status)+" "+history.Text(op.Output)+op.Reason)))
		name := shown(op.Function + "(" + history.Text(op.Input) + ")")
		e.event(name, "b", group, thread, kernel.Time(op.Invoke.Time), id)
		e.event(name, "e", group, thread, until, id)
	}
}

// record adds an instant, and a message's end of a flow. A flow binds to a
// slice, so that the two ends of a message are slices of no length.
func (e *export) record(r *kernel.Record, row int) {
	group, thread := e.lane(r.Node)
	args := fmt.Sprintf(`,"args":{"record":%d,"event":%d,"cause":%d`, r.Index, r.Event, r.Cause)
	for i := range r.Attrs {
		args += "," + quote(shown(keyOf(r, i))) + ":" + quote(shown(r.Attrs[i].Value()))
	}
	args += "}"
	cat := `,"cat":` + quote(shown(r.Kind))
	back := e.match.partner(r, row)
	switch {
	case r.Kind == "net/send":
		e.event(shown(describe(r)), "X", group, thread, r.Time, cat+`,"dur":0`+args)
		e.event("message", "s", group, thread, r.Time, fmt.Sprintf(`,"cat":"message","id":%d`, row))
	case r.Kind == "net/deliver" && back > 0:
		e.event(shown(describe(r)), "X", group, thread, r.Time, cat+`,"dur":0`+args)
		e.event("message", "f", group, thread, r.Time, fmt.Sprintf(`,"bp":"e","cat":"message","id":%d`, row-back))
	default:
		e.event(shown(describe(r)), "i", group, thread, r.Time, `,"s":"t"`+cat+args)
	}
}

// keyOf returns the key of an attribute, with a number if the record has it
// more than once, or if it is one that every record has.
func keyOf(r *kernel.Record, i int) string {
	key, n := r.Attrs[i].Key, 1
	for j := range i {
		if r.Attrs[j].Key == key {
			n++
		}
	}
	if key == "record" || key == "event" || key == "cause" {
		n++
	}
	if n > 1 {
		key += "#" + strconv.Itoa(n)
	}
	return key
}
