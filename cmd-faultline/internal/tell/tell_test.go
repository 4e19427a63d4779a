package tell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

func rec(node, kind string, attrs ...kernel.Attr) kernel.Record {
	return kernel.Record{Node: node, Boot: 2, Kind: kind, Attrs: attrs}
}

func TestSentences(t *testing.T) {
	str, num := kernel.Str, kernel.Int
	for _, c := range []struct {
		r    kernel.Record
		want string
	}{
		{rec("n1", "net/send", str("to", "n2"), num("id", 3), str("type", "ack")), "n1 sends ack #3 to n2"},
		{rec("n2", "net/deliver", str("from", "n1"), num("id", 3), str("kind", "vote"), kernel.Dur("took", time.Second)), "n2 receives vote #3 from n1, sent 1s before"},
		{rec("n1", "net/send", str("to", "n2"), num("id", 3), str("type", "ack"), str("content", "{Term:2}")), "n1 sends ack #3 to n2: {Term:2}"},
		{rec("n2", "net/deliver", str("from", "n1"), num("id", 3), str("type", "ack"), str("content", "{Term:2}")), "n2 receives ack #3 from n1: {Term:2}"},
		{rec("n2", "net/deliver", str("from", "n1"), num("id", 3), num("copy", 1), str("kind", "vote")), "n2 receives a copy of vote #3 from n1"},
		{rec("n1", "net/drop", str("from", "n1"), str("to", "n2"), str("reason", "cut")), "a message from n1 to n2 is lost (cut)"},
		{rec("n1", "net/odd", num("x", 1)), "n1: net/odd x=1"},
		{rec("n1", "node/boot"), "n1 starts (boot 2)"},
		{rec("n1", "node/power-loss"), "n1 loses power"},
		{rec("", "fault/fire", str("fault", "kill#1"), str("kind", "kill"), str("nodes", "n1"), kernel.Dur("for", time.Second)), "the fault kill#1 hits n1 for 1s"},
		{rec("", "fault/fire", str("fault", "blackout#1"), str("kind", "kill")), "the fault blackout#1 (kill)"},
		{rec("c1", "op/invoke", num("op", 4), str("function", "put"), str("input", "k=1")), "c1 calls put(k=1), operation 4"},
		{rec("c1", "op/return", num("op", 4), str("status", "ok"), str("output", "1")), "operation 4 of c1 ends: ok, 1"},
		{rec("n1", "disk/write", str("file", "log"), num("len", 9), num("off", 5), str("outcome", "io-error")), "n1 writes 9 bytes to log at 5, which fails: io-error"},
		{rec("n1", "disk/fate", num("op", 5), str("file", "log"), num("len", 9), str("outcome", "lost")), "what the power loss makes of operation 5 on log, 9 bytes: lost"},
		{rec("n1", "disk/fate", str("op", "rename"), str("file", "a"), str("to", "b"), str("outcome", "lost")), "what the power loss makes of operation rename on a to b: lost"},
		{rec("n1", "timer"), "a timer of n1 fires"},
		{rec("n1", "fail", str("kind", "final"), str("check", "x"), str("message", "m")), `final "x" fails: m`},
		{rec("n1", "elected", num("term", 3)), "n1: elected term=3"},
		{rec("", "mine"), "mine"},
		{rec("n\x1b[2J", "node/kill"), `n\x1b[2J is killed`},
	} {
		if got := Sentence(&c.r); got != c.want {
			t.Errorf("%s: got %q, want %q", c.r.Kind, got, c.want)
		}
	}
	long := rec("n1", "point", str("name", strings.Repeat("ä", 10_000)))
	if got := Sentence(&long); len(got) > 600 {
		t.Errorf("a long value gives %d bytes", len(got))
	}
}

// Every kind of faultline's own modules has a sentence, also without its
// attributes.
func TestSentencesBeginWithAWord(t *testing.T) {
	for _, kind := range strings.Fields(`net/send net/deliver net/drop net/dup net/delay net/cut net/degrade net/heal
		node/boot node/kill node/power-loss node/pause node/resume fault/fire fault/end fault/skip fault/quiet
		op/invoke op/attempt op/return disk/open disk/read disk/write disk/sync disk/sync-dir disk/rename disk/remove
		disk/truncate disk/fate disk/crash disk/corrupt timer proc point fail`) {
		r := rec("n1", kind)
		if got := Sentence(&r); got == "" || strings.Contains(got, kind) && strings.Contains(kind, "/") || strings.Contains(got, "%!") {
			t.Errorf("%s: got %q", kind, got)
		}
	}
}

func TestChainLeavesOutWhatOnlyRan(t *testing.T) {
	c := &timeline.Causes{
		Steps: []timeline.Step{
			{Event: 1, Records: []kernel.Record{rec("n1", "node/boot")}},
			{Event: 2, Time: 5, Records: []kernel.Record{rec("n1", "timer")}},
			{Event: 3, Time: 6, Records: []kernel.Record{rec("n2", "node/boot")}},
			{Event: 4, Time: 7, Records: []kernel.Record{rec("n1", "timer"), rec("n1", "point", kernel.Str("name", "a"))}, Left: 2},
			{Event: 5, Time: 8, Records: []kernel.Record{rec("n2", "proc", kernel.Str("name", "p"))}},
		},
		Edges: []timeline.Edge{{From: 1, To: 2}, {From: 2, To: 4}, {From: 3, To: 4, Order: true}, {From: 4, To: 5, Order: true}, {From: 9, To: 5}},
	}
	var got []string
	for _, s := range Chain(c) {
		got = append(got, s.String())
	}
	want := []string{
		"At 0s, n1 starts (boot 2).",
		"At 0.000000006s, n2 starts (boot 2).",
		"At 0.000000007s, because of 1 and after 2, 2 more records; n1 reaches the point a.",
		"At 0.000000008s, after 3, the proc p of n2 runs.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if got := Chain(&timeline.Causes{}); len(got) != 0 {
		t.Errorf("got %v of nothing", got)
	}
}
