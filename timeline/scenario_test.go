package timeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// lab is a run with a small network, whose records are those of faultline's
// own modules.
type lab struct {
	sim  *kernel.Sim
	hist *history.History
	ids  uint64

	names *strings.Replacer // of the nodes in the artifact; nil for those of the run
}

func newLab() *lab {
	l := &lab{sim: kernel.New(kernel.Config{Seed: 7, Level: kernel.LevelFull, MaxTime: 10 * time.Second})}
	l.hist = history.New(func() (time.Duration, uint64) { return l.sim.Now().Sub(0), l.sim.Event() })
	return l
}

func (l *lab) emit(kind string, n *kernel.Node, attrs ...kernel.Attr) {
	e := l.sim.Emit(l.sim.Sym(kind)).On(n)
	for _, a := range attrs {
		key := l.sim.Sym(a.Key)
		switch a.Type {
		case kernel.AttrString:
			e = e.Str(key, a.Text)
		case kernel.AttrDur:
			e = e.Dur(key, time.Duration(a.Num))
		default:
			e = e.Int(key, a.Num)
		}
	}
	e.Done()
}

// send delivers after 10 ms, unless lost.
func (l *lab) send(from *kernel.Node, to, msg string, lost bool) {
	l.ids++
	id := int64(l.ids)
	l.emit("net/send", from, kernel.Str("to", to), kernel.Int("id", id), kernel.Str("type", msg))
	if lost {
		l.emit("net/drop", from, kernel.Str("from", from.Name()), kernel.Str("to", to), kernel.Int("id", id), kernel.Str("type", msg), kernel.Str("reason", "cut"))
		return
	}
	dest := l.sim.Node(to)
	l.sim.Schedule(l.sim.Now().Add(10*time.Millisecond), dest, kernel.AnyBoot, kernel.Func(func() {
		l.emit("net/deliver", dest, kernel.Str("from", from.Name()), kernel.Int("id", id), kernel.Str("type", msg), kernel.Dur("took", 10*time.Millisecond))
		dest.Deliver(from.Name(), msg)
	}))
}

// server stores what it is told, and forgets it in a crash.
type server struct {
	kernel.Idle
	l     *lab
	node  *kernel.Node
	value string
	tick  *kernel.Timer
}

func (s *server) Start() {
	s.tick = s.node.NewTimer()
	s.tick.Reset(300 * time.Millisecond)
}

func (s *server) Timer(*kernel.Timer) { s.tick.Reset(300 * time.Millisecond) }

func (s *server) Receive(from string, msg any) {
	switch m := msg.(string); m {
	case "get":
		s.l.send(s.node, from, "value:"+s.value, false)
	default:
		s.value = m
		s.l.emit("disk/write", s.node, kernel.Str("file", "wal"), kernel.Int("len", 8))
		s.node.Log("stored", kernel.Str("value", m))
		s.l.send(s.node, from, "ack", false)
	}
}

// client writes, reads after a second, and knows what it must see.
type client struct {
	kernel.Idle
	l      *lab
	node   *kernel.Node
	server string
	op     *history.Op
	bad    error
}

func (c *client) Start() { c.call("put", "key7=1", c.server) }

func (c *client) Timer(*kernel.Timer) { c.call("get", "key7", c.server) }

func (c *client) call(f, input, to string) {
	c.op = c.l.hist.Invoke(c.node.Name(), f, input)
	id := int64(c.op.Record().ID)
	c.l.emit("op/invoke", c.node, kernel.Int("op", id), kernel.Str("function", f), kernel.Str("input", input))
	msg := f
	if f == "put" {
		msg = input
	}
	c.l.send(c.node, to, msg, false)
}

func (c *client) Receive(_ string, msg any) {
	c.op.OK(msg)
	c.l.emit("op/return", c.node, kernel.Int("op", int64(c.op.Record().ID)), kernel.Str("status", "ok"), kernel.Str("output", fmt.Sprint(msg)))
	if msg == "ack" {
		c.node.NewTimer().Reset(time.Second)
		return
	}
	if msg != "value:key7=1" {
		c.bad = fmt.Errorf("c1 read %v of key7,\nbut the write of key7=1 was acknowledged", msg)
	}
}

// lostWrite is a run in which a server acknowledges before it syncs.
func lostWrite() *artifact.Artifact { return lostWriteNamed("n1", "n2", "n3", "c1") }

// lostWriteNamed has names that an artifact may hold, whatever the kernel accepts:
// in the run others stand in for those that it does not.
func lostWriteNamed(names ...string) *artifact.Artifact {
	l := newLab()
	var swaps []string
	for i, name := range names {
		if kernel.CheckName(name) != nil {
			names[i] = fmt.Sprintf("stand-in-%d", i)
			swaps = append(swaps, names[i], name)
		}
	}
	l.names = strings.NewReplacer(swaps...)
	var c *client
	for _, name := range names[:len(names)-1] {
		l.sim.AddNode(name, func(n *kernel.Node) kernel.Handler { return &server{l: l, node: n} })
	}
	l.sim.AddNode(names[len(names)-1], func(n *kernel.Node) kernel.Handler {
		c = &client{l: l, node: n, server: names[0]}
		return c
	})
	n1, n2 := l.sim.Node(names[0]), l.sim.Node(names[1])
	l.sim.At(kernel.Time(200*time.Millisecond), func() {
		l.emit("fault/fire", nil, kernel.Str("fault", "isolate#1"), kernel.Str("kind", "isolate"), kernel.Str("nodes", n2.Name()), kernel.Dur("for", time.Second))
		l.emit("net/cut", nil, kernel.Int("effect", 1), kernel.Str("what", "isolate "+n2.Name()))
	})
	l.sim.At(kernel.Time(250*time.Millisecond), func() { l.send(n1, n2.Name(), "hello", true) })
	l.sim.At(kernel.Time(400*time.Millisecond), func() {
		l.emit("fault/fire", nil, kernel.Str("fault", "power-loss#1"), kernel.Str("kind", "power-loss"), kernel.Str("nodes", n1.Name()))
		n1.PowerLoss()
		l.emit("disk/crash", n1, kernel.Int("lost", 1))
	})
	l.sim.At(kernel.Time(700*time.Millisecond), func() { n1.Start() })
	l.sim.Invariant("acknowledged writes survive", func(*kernel.Node) error {
		if c == nil {
			return nil
		}
		return c.bad
	})
	res := l.sim.Run()
	return l.artifact(res)
}

func (l *lab) artifact(res kernel.Result) *artifact.Artifact {
	r := &artifact.Report{
		Result: artifact.Passed, Test: "TestKV", Package: "example.org/kv", Seed: 7,
		Run:     artifact.RunStats{Time: artifact.Duration(res.Time), Events: res.Events, Records: l.sim.RecordCount()},
		History: artifact.CountOperations(l.hist.Counts()),
		Faults:  []artifact.FaultStat{{Kind: "isolate", Planned: 1, Fired: 1}, {Kind: "power-loss", Planned: 2, Fired: 1, Inert: 1}},
	}
	if f := l.sim.Failure(); f != nil {
		r.Result = artifact.Failed
		r.Failure = &artifact.Failure{Kind: f.Kind, Check: f.Check, Message: f.Message, Time: artifact.Duration(f.Time), Event: f.Event, Node: f.Node}
	}
	if l.names == nil {
		return artifact.InMemory(r, nil, l.hist.Operations(), l.sim.Records())
	}
	return l.renamed(r)
}

// renamed makes the artifact with the names that the nodes have there.
func (l *lab) renamed(r *artifact.Report) *artifact.Artifact {
	if r.Failure != nil {
		r.Failure.Node = l.names.Replace(r.Failure.Node)
	}
	operations := l.hist.Operations()
	for i := range operations {
		operations[i].Process = l.names.Replace(operations[i].Process)
	}
	var records []kernel.Record
	for x := range l.sim.Records() {
		x.Node, x.Attrs = l.names.Replace(x.Node), slices.Clone(x.Attrs)
		for j := range x.Attrs {
			x.Attrs[j].Text = l.names.Replace(x.Attrs[j].Text)
		}
		records = append(records, x)
	}
	return artifact.InMemory(r, nil, operations, slices.Values(records))
}

// golden compares with a file. It may change whenever the text reads better
// so; with UPDATE_GOLDEN=1 it is written anew.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// lateFinding is the same run, judged when it was over.
func lateFinding() *artifact.Artifact {
	a := lostWrite()
	a.Report.Failure.Kind, a.Report.Failure.Check, a.Report.Failure.Node = "final", "durability", ""
	a.Report.Failure.Message = "put key7=1 was acknowledged at 0.02s, and is lost"
	return a
}
