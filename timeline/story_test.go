package timeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// tale makes an artifact of records, one event each unless they have a number.
type tale struct{ records []kernel.Record }

func (t *tale) say(node, kind string, attrs ...kernel.Attr) {
	n := uint64(len(t.records))
	t.records = append(t.records, kernel.Record{Index: n, Event: n + 1, Time: kernel.Time(n) * kernel.Time(time.Millisecond), Node: node, Boot: 1, Kind: kind, Attrs: attrs})
}

// also says something in the same event.
func (t *tale) also(node, kind string, attrs ...kernel.Attr) {
	t.say(node, kind, attrs...)
	last := &t.records[len(t.records)-1]
	last.Event, last.Time = t.records[len(t.records)-2].Event, t.records[len(t.records)-2].Time
}

func (t *tale) fault(id, kind, nodes string) {
	t.say("", "fault/fire", kernel.Str("fault", id), kernel.Str("kind", kind), kernel.Str("nodes", nodes))
}

func (t *tale) story(node, message string, ops ...history.Operation) []string {
	last := t.records[len(t.records)-1].Event
	r := &artifact.Report{Result: artifact.Failed, Test: "T", Failure: &artifact.Failure{Kind: "invariant", Check: "c", Message: message, Event: last, Node: node}}
	return timeline.Story(artifact.InMemory(r, nil, ops, slices.Values(t.records)))
}

// What each kind of fault is seen to have done is told with it, and nothing that
// it has not.
func TestStoryTellsWhatFaultsDid(t *testing.T) {
	str, num := kernel.Str, kernel.Int
	message := []kernel.Attr{str("from", "n1"), str("to", "n2"), num("id", 7), str("type", "vote")}
	conn := []kernel.Attr{str("from", "c1"), str("to", "n1"), num("id", 7), str("service", "jobs")}
	drop := func(reason string) []kernel.Attr { return append(slices.Clone(message), str("reason", reason)) }
	for _, c := range []struct {
		kind, want string
		follows    func(*tale)
	}{
		{"power-loss", "(n1 lost 1 and tore 1 of 3 unsynced disk operations, first 20 bytes of log; n2 lost 2 of 2 unsynced disk operations)", func(l *tale) {
			l.also("n1", "disk/fate", str("op", "write"), str("file", "log"), num("len", 10), str("outcome", "kept"))
			l.also("n1", "disk/fate", str("op", "write"), str("file", "log"), num("len", 20), str("outcome", "lost"))
			l.also("n1", "disk/crash", num("kept", 1), num("lost", 1), num("torn", 1))
			l.also("n2", "disk/crash", num("kept", 0), num("lost", 2), num("torn", 0))
			l.also("n3", "disk/crash", num("kept", 4), num("lost", 0), num("torn", 0))
		}},
		{"power-loss", "", func(l *tale) { l.say("n1", "disk/crash", num("lost", 1)) }}, // of another event
		{"sync-fail", "(n1's sync of log failed at 0.002s)", func(l *tale) {
			l.say("n1", "disk/sync", str("file", "log"), str("outcome", "io"))
			l.say("n1", "disk/sync", str("file", "log"))
			l.say("n9", "disk/sync", str("file", "log"), str("outcome", "io"))
		}},
		{"isolate", "(2 messages cut off, first vote #7 n1→n2)", func(l *tale) {
			l.say("n1", "net/drop", drop("cut")...)
			l.say("n1", "net/drop", drop("cut")...)
			l.say("n1", "net/drop", drop("loss")...)
		}},
		{"loss", "(1 message lost, first vote #7 n1→n2)", func(l *tale) { l.say("n1", "net/drop", drop("loss")...) }},
		{"duplicate", "(1 message repeated, first vote #7 n1→n2)", func(l *tale) { l.say("n1", "net/dup", message[1:]...) }},
		{"delay", "(1 message held up, first vote #7 n1→n2)", func(l *tale) { l.say("n1", "net/delay", message[1:]...) }},
		{"clock-step", "(n1's wall clock moved by 2s)", func(l *tale) { l.also("n1", "clock/step", kernel.Dur("by", 2*time.Second)) }},
		{"corrupt", "(a bit of n1's log was flipped)", func(l *tale) { l.also("n1", "disk/corrupt", str("file", "log")) }},
		{"outage", "(n1 lost 1 of 1 unsynced disk operation)", func(l *tale) { l.also("n1", "disk/crash", num("lost", 1)) }},
		{"crash-loop", "(n2 lost 2 of 2 unsynced disk operations)", func(l *tale) { l.say("n2", "disk/crash", num("lost", 2)) }},
		{"write-fail", "(n1's write of log failed at 0.002s)", func(l *tale) { l.say("n1", "disk/append", str("file", "log"), str("outcome", "io")) }},
		{"read-fail", "(n1's read of log failed at 0.002s)", func(l *tale) { l.say("n1", "disk/read", str("file", "log"), str("outcome", "io")) }},
		{"wipe-disk", "(n1's disk was emptied)", func(l *tale) { l.also("n1", "disk/wipe") }},
		{"swap-disks", "(n1 got the disk of n2)", func(l *tale) { l.also("n1", "disk/swap", str("to", "n2")) }},
		{"corrupt", "(n1's log was damaged: zeros)", func(l *tale) { l.also("n1", "disk/corrupt", str("file", "log"), str("what", "zeros")) }},
		{"lose-reply", "(1 message lost, first vote #7 n1→n2)", func(l *tale) { l.say("n1", "net/drop", drop("aimed")...) }},
		{"corrupt-message", "(1 message corrupted, first vote #7 n1→n2)", func(l *tale) { l.say("n1", "net/corrupt", message[1:]...) }},
		{"clock-strobe", "(n1's wall clock moved by 2s)", func(l *tale) { l.say("n1", "clock/step", kernel.Dur("by", 2*time.Second)) }},
		{"stream-reset", "(2 connections of n1 reset, first connection c1→n1 jobs #7)", func(l *tale) {
			l.also("n1", "stream/reset", conn...)
			l.also("n1", "stream/reset", conn...)
			l.say("n1", "stream/reset", conn...) // of another event
			l.also("n9", "stream/reset", conn...)
		}},
		{"stream-half-open", "(1 connection of n2 forgotten, first connection c1→n1 jobs #7)", func(l *tale) {
			l.also("n2", "stream/lost", conn...)
			l.say("n2", "stream/lost", conn...)
		}},
		{"stream-refuse", "(1 connection of n1 refused, first connection c1→n1 jobs #7)", func(l *tale) { l.say("c1", "stream/refuse", conn...) }},
		{"stream-short", "(1 call of n1 cut short, first a read on connection c1→n1 jobs #7)", func(l *tale) {
			l.say("n1", "stream/short", append(conn, str("what", "read"))...)
		}},
		{"stream-hang", "", func(l *tale) { l.say("c1", "stream/refuse", conn...) }},
		{"kill", "", func(l *tale) { l.also("n1", "node/kill") }},
		{"from-the-future", "", func(l *tale) { l.say("n1", "net/drop", drop("cut")...) }},
		{"loss", "", func(l *tale) { // it is over
			l.say("", "fault/end", str("fault", "f1"))
			l.say("n1", "net/drop", drop("loss")...)
		}},
	} {
		l := &tale{}
		l.say("n1", "node/boot")
		l.fault("f1", c.kind, "n1 n2 n3")
		c.follows(l)
		want := fmt.Sprintf("The fault that hit: %s on n1, n2, n3 at 0.001s", c.kind)
		if c.want != "" {
			want += " " + c.want
		}
		if got, _, _ := strings.Cut(l.story("n1", "m")[1], " Without one, "); got != want+"." {
			t.Errorf("%s: %s\nwant %s.", c.kind, got, want)
		}
	}
}

// A shrunk schedule may have no fault left, and the fates of single messages.
func TestStoryTellsFatesWithoutFaults(t *testing.T) {
	l := &tale{}
	l.say("n1", "node/boot")
	for id := range int64(2) {
		l.say("n1", "net/dup", kernel.Str("to", "n2"), kernel.Int("id", id), kernel.Str("type", "vote"))
	}
	l.say("n1", "net/drop", kernel.Str("from", "n1"), kernel.Str("to", "n3"), kernel.Int("id", 1), kernel.Str("reason", "loss"))
	l.say("n1", "net/drop", kernel.Str("from", "n1"), kernel.Str("to", "n3"), kernel.Int("id", 2), kernel.Str("reason", "node-down"))
	want := "No fault had hit. Without one, 2 messages were repeated, the last one vote #1 n1→n2 at 0.002s. Without one, 1 message was lost, the last one #1 n1→n3 at 0.003s."
	if got := l.story("n1", "m")[1]; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Of many faults those are named that did something to the nodes concerned, in
// the time concerned.
func TestStoryChoosesFaults(t *testing.T) {
	l := &tale{}
	for i := range 10 {
		l.fault(fmt.Sprint("e", i), "power-loss", "n2") // nobody speaks of n2
		l.also("n2", "disk/crash", kernel.Int("lost", 1))
	}
	l.fault("hit", "power-loss", "n1")
	l.also("n1", "disk/crash", kernel.Int("lost", 3))
	for i := range 10 {
		l.fault(fmt.Sprint("l", i), "latency", "")
	}
	l.say("n1", "leads")
	got := l.story("n1", "n1 is wrong")[1]
	if !strings.HasPrefix(got, "21 faults hit; those that are likely to matter: ") || !strings.Contains(got, "n1 lost 3 of 3") || strings.Count(got, " at ") != 4 {
		t.Error(got)
	}
}

// A power loss takes what is in memory, also when nothing on the disk was unsynced: it
// is among the faults that are likely to matter.
func TestStoryNamesCrashesThatLostNothing(t *testing.T) {
	l := &tale{}
	l.fault("crash", "power-loss", "n1")
	l.also("n1", "node/power-loss")
	for i := range 10 {
		l.fault(fmt.Sprint("s", i), "sync-fail", "n2") // nobody speaks of n2
		l.say("n2", "disk/sync", kernel.Str("file", "log"), kernel.Str("outcome", "failed"))
	}
	l.say("n1", "leads")
	if got := l.story("n1", "n1 is wrong")[1]; !strings.Contains(got, "power-loss on n1 at 0s") {
		t.Error(got)
	}
}

// The steps that are told are those that the message has words of, on the nodes
// that it names.
func TestStoryChoosesSteps(t *testing.T) {
	l := &tale{}
	vote := func(node string, term int64, whom string) {
		l.say(node, "votes", kernel.Int("term", term), kernel.Str("for", whom))
	}
	vote("n1", 2, "n3")
	for i := range int64(20) {
		vote("n4", 3+i, "n4")
	}
	vote("n1", 2, "n2")
	vote("n4", 40, "n4")
	l.say("n2", "leads", kernel.Int("term", 2))
	got := strings.Join(l.story("n2", "n2 leads in term 2, and so did n3"), "\n")
	for _, want := range []string{"Before the end: n1 votes term=2 for=n3 at 0s; then ", "then n1 votes term=2 for=n2 at 0.021s", "The last event, 24 at 0.023s: n2 leads term=2."} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
}

// An operation is found by its number, by how it prints, and by whose value it
// was first; whom the client has asked is told.
func TestStoryFindsOperations(t *testing.T) {
	op := func(id int, process, function, input, output string, event uint64, targets ...string) history.Operation {
		o := history.Operation{ID: id, Process: process, Function: function, Input: input, Output: output, Status: history.OK,
			Invoke: history.Point{Event: event}, Return: history.Point{Time: time.Duration(id) * time.Second, Event: event}}
		for _, target := range targets {
			o.Attempts = append(o.Attempts, history.Attempt{Target: target})
		}
		return o
	}
	ops := []history.Operation{
		op(0, "c1", "put", "a", "", 1, "n1", "n2"), op(1, "c1", "put", "b=v1", "", 1, "n1"), op(2, "c2", "get", "b", "v1", 2, "n3"), op(3, "c3", "get", "a", "", 3),
	}
	for message, want := range map[string]string{
		"op 0 was lost":                       "It seems to be about op 0, c1 put(a) ok [0s, 0s], asked 2 times, last of n2.",
		"c3 get(a) ok [0s, 3s] should see it": "It seems to be about op 3, c3 get(a) ok [0s, 3s].",
		"v1 is lost":                          "It seems to be about op 1, c1 put(b=v1) ok [0s, 1s], asked of n1; and op 2, c2 get(b) ok: v1 [0s, 2s], asked of n3.",
		"T1: op 0, T2: op 3; v1 is not it":    "It seems to be about op 0, c1 put(a) ok [0s, 0s], asked 2 times, last of n2; and op 3, c3 get(a) ok [0s, 3s].",
		"there was nothing to be found of it": "Before the end nothing decisive is recorded.",
	} {
		l := &tale{}
		for range 5 {
			l.say("n1", "timer")
		}
		if got := l.story("", message, ops...)[2]; got != want {
			t.Errorf("%q: %s\nwant %s", message, got, want)
		}
	}
}

// The operation that a client of the failing event waits for is named.
func TestStoryNamesWhoWaits(t *testing.T) {
	l := &tale{}
	l.say("n1", "net/deliver", kernel.Str("from", "c1"), kernel.Int("id", 1))
	waits := history.Operation{ID: 0, Process: "c1", Function: "get", Input: "a", Status: history.Pending, Invoke: history.Point{Event: 1}}
	got := l.story("n1", "it answers too early", waits)[3]
	if want := "The last event, 1 at 0s: n1 ← c1 #1. It concerns op 0, c1 get(a) pending [0s, …]."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
