package timeline_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/timeline"
)

// recorded reads an artifact under testdata: of the key-value example with the
// planted bug AckBeforeSync, or of an etcd/raft cluster whose application
// forgets its sessions (NoSessions), as a test has left it but for the path in
// its replay command.
func recorded(t *testing.T, name string) *artifact.Artifact {
	t.Helper()
	a, err := artifact.Read(filepath.Join("testdata", "artifacts", name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Real artifacts are rendered anew and compared. The views may change whenever
// they read better so; UPDATE_GOLDEN=1 writes them.
func TestGoldenRecorded(t *testing.T) {
	for _, name := range []string{"kv", "raft"} {
		a := recorded(t, name)
		golden(t, "recorded-"+name+"-story.txt", []byte(strings.Join(timeline.Story(a), "\n")+"\n"))
		golden(t, filepath.Join("..", "artifacts", name, artifact.TextFile), a.Report.Text())
		text, err := timeline.Text(a, timeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "recorded-"+name+".txt", text)
		diagram, err := timeline.Mermaid(a, 0)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "recorded-"+name+".mmd", diagram)
	}
}

// The pictures of real artifacts are made twice alike, and hold what they must.
// They are not golden: their coordinates are floating-point numbers.
func TestRecordedPictures(t *testing.T) {
	for _, name := range []string{"kv", "raft"} {
		a := recorded(t, name)
		page := twice(t, func() ([]byte, error) { return timeline.Page(a, timeline.PageOptions{}) })
		for _, want := range []string{"Content-Security-Policy", a.Report.Failure.Check, "go test -count=1"} {
			if !bytes.Contains(page, []byte(want)) {
				t.Errorf("%s: timeline.html lacks %q", name, want)
			}
		}
		for what, svg := range map[string][]byte{
			"plots.svg":     twice(t, func() ([]byte, error) { return timeline.Plots(a) }),
			"spacetime.svg": twice(t, func() ([]byte, error) { return timeline.SpaceTime(a, 0) }),
		} {
			if !bytes.HasPrefix(svg, []byte("<svg")) || !bytes.HasSuffix(bytes.TrimSpace(svg), []byte("</svg>")) {
				t.Errorf("%s: %s is no whole picture", name, what)
			}
		}
		if trace := twice(t, func() ([]byte, error) { return timeline.Perfetto(a) }); !json.Valid(trace) {
			t.Errorf("%s: perfetto.json is no JSON", name)
		}
	}
}

func twice(t *testing.T, make func() ([]byte, error)) []byte {
	t.Helper()
	a, err := make()
	if err != nil {
		t.Fatal(err)
	}
	b, err := make()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("made twice, it differs")
	}
	return a
}
