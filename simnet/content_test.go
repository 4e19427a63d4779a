package simnet

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

type (
	flat   struct{ Term, Last int }
	spoken struct{ p *int }
	broken struct{ p *int }
	nested struct {
		At   time.Time
		List []spoken
		By   map[string]flat
		Kids []nested
	}
	shut    struct{ at time.Time } // fmt cannot ask it for its text
	pointer struct{ P *int }
	anyone  struct{ V any }
)

func (spoken) String() string { return "spoken" }
func (broken) String() string { panic("no") }

func TestReadable(t *testing.T) {
	for _, c := range []struct {
		v    any
		want bool
	}{
		{flat{}, true}, {&flat{}, true}, {3, true}, {"x", true}, {[]byte{1}, true}, {map[string]flat{}, true},
		{spoken{}, true}, {&spoken{}, true}, {nested{}, true}, {fmt.Errorf("x"), true},
		{shut{}, false}, {pointer{}, false}, {anyone{}, false}, {new(int), false}, {[]*flat{}, false}, {func() {}, false}, {nil, false},
	} {
		if got := readable(reflect.TypeOf(c.v)); got != c.want {
			t.Errorf("%T: got %v, want %v", c.v, got, c.want)
		}
	}
}

// contents returns what the records of a run in which a sends these to b say
// of their content, and the hash.
func contents(t *testing.T, cfg Config, level kernel.Level, messages ...any) (got []string, hash [32]byte) {
	c := newCluster(t, kernel.Config{Level: level}, cfg, "a", "b")
	c.at(1, func() {
		for _, m := range messages {
			c.send("a", "b", m)
		}
	})
	c.sim.Run()
	for r := range c.sim.Records() {
		if at, ok := r.Get(contentKey); ok {
			got = append(got, r.Kind+" "+at.Text)
		}
	}
	return got, c.sim.Hash()
}

func TestContents(t *testing.T) {
	long := strings.Repeat("é", MaxContent)
	messages := []any{flat{2, 7}, &flat{2, 7}, spoken{}, broken{}, pointer{}, long}
	got, hash := contents(t, Config{Contents: true}, kernel.LevelFull, messages...)
	for _, want := range []string{"{Term:2 Last:7}", "&{Term:2 Last:7}", "spoken", "%!v(PANIC=String method: no)", strings.Repeat("é", MaxContent/2) + "…"} {
		for _, kind := range []string{"net/send ", "net/deliver "} {
			n := 0
			for _, s := range got {
				if s == kind+want {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d records are %q", n, kind+want)
			}
		}
	}
	if len(got) != 2*(len(messages)-1) {
		t.Errorf("%d contents: %q", len(got), got)
	}
	if none, plain := contents(t, Config{}, kernel.LevelFull, messages...); len(none) != 0 || plain != hash {
		t.Errorf("without: contents %q, the same hash: %v", none, plain == hash)
	}
	if _, plain := contents(t, Config{Contents: true}, kernel.LevelHash, messages...); plain != hash {
		t.Error("a run that keeps no records has another hash")
	}
}

// What arrives damaged is shown as it arrives.
func TestContentOfADamagedMessage(t *testing.T) {
	got, _ := contents(t, Config{Contents: true, Link: Link{Corrupt: million, CorruptBits: 1}}, kernel.LevelFull, flat{2, 7})
	if len(got) != 2 || got[0] != "net/send {Term:2 Last:7}" || !strings.HasPrefix(got[1], "net/deliver {Term:") || strings.HasSuffix(got[1], "{Term:2 Last:7}") {
		t.Errorf("%q", got)
	}
}
