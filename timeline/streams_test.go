package timeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// Each record of a connection names it, and says what became of it and of its bytes.
func TestConnectionsInWords(t *testing.T) {
	number := func(key string, n int64) kernel.Attr { return kernel.Attr{Key: key, Type: kernel.AttrUint, Num: n} }
	name := []kernel.Attr{kernel.Str("from", "c1"), kernel.Str("to", "s1"), number("id", 7), kernel.Str("service", "jobs")}
	end := func(unread, unacked int64, by string) []kernel.Attr {
		return []kernel.Attr{number("unread", unread), number("unacked", unacked), kernel.Str("by", by)}
	}
	took := []kernel.Attr{kernel.Dur("took", 4*time.Millisecond)}
	for _, row := range []struct {
		what  string
		attrs []kernel.Attr
		want  string
	}{
		{"open", took, "OPEN after 4ms"},
		{"accept", nil, "accepted"},
		{"refuse", took, "REFUSED after 4ms"},
		{"close-write", nil, "has no more to write"},
		{"close", end(0, 5, "program"), "CLOSED by program, 5 bytes not acknowledged"},
		{"reset", end(1, 0, "peer"), "RESET by peer, 1 byte unread"},
		{"timeout", end(2, 3, "")[:2], "TIMED OUT, 2 bytes unread, 3 bytes not acknowledged"},
		{"lost", end(0, 0, "power loss"), "LOST by power loss"},
		{"short", []kernel.Attr{kernel.Str("what", "read"), number("moved", 3), number("of", 9)}, "read cut short: 3 of 9 bytes"},
		{"deadline", []kernel.Attr{kernel.Str("what", "read")}, "deadline passed: read"},
	} {
		r := &kernel.Record{Kind: "stream/" + row.what, Node: "s1", Attrs: append(name[:len(name):len(name)], row.attrs...)}
		if got, want := timeline.Describe(r), "connection c1→s1 jobs #7 "+row.want; got != want {
			t.Errorf("%s: %q, want %q", row.what, got, want)
		}
	}
	r := &kernel.Record{Kind: "stream/trouble", Node: "s1", Attrs: []kernel.Attr{kernel.Str("what", "hang")}}
	if got := timeline.Describe(r); got != "connections: hang" {
		t.Errorf("trouble: %q", got)
	}
}

// The text shows how connections failed, also what did not lead to the failure, and
// leaves out those that were only opened and closed.
func TestTextShowsFailedConnections(t *testing.T) {
	l := &tale{}
	for _, what := range []string{"open", "accept", "close", "refuse", "reset", "timeout", "lost"} {
		l.say("n2", "stream/"+what, kernel.Str("from", "c1"), kernel.Str("to", "n2"))
	}
	l.say("n1", "fail", kernel.Str("kind", "invariant"))
	r := &artifact.Report{Result: artifact.Failed, Test: "T", Failure: &artifact.Failure{Kind: "invariant", Event: 8, Node: "n1"}}
	text, err := timeline.Text(artifact.InMemory(r, nil, nil, slices.Values(l.records)), timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"OPEN": false, "accepted": false, "CLOSED": false, "REFUSED": true, "RESET": true, "TIMED OUT": true, "LOST": true} {
		if strings.Contains(string(text), word) != want {
			t.Errorf("%s is shown: %v, want %v\n%s", word, !want, want, text)
		}
	}
}
