package timeline_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// render makes everything that the package makes of an artifact.
func render(t *testing.T, a *artifact.Artifact) (text, mermaid string) {
	t.Helper()
	for _, o := range []timeline.Options{{}, {All: true}, {Width: 1}, {Width: 300}} {
		b, err := timeline.Text(a, o)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	m, err := timeline.Mermaid(a, 0)
	if err != nil {
		t.Fatal(err)
	}
	text += strings.Join(timeline.Story(a), "\n")
	return text, string(m)
}

func TestNoTextMovesTheCursor(t *testing.T) {
	for _, name := range []string{"\x1b[2J", "\u202eevil", "a\nb", "\u2066x", "\x00", "\xff\xfe", "\u009b31m", "tab\there"} {
		text, mermaid := render(t, lostWriteNamed(name, name+"2", name+"3", "c\x07"))
		for _, s := range []string{text, mermaid} {
			for _, r := range s {
				if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Fatalf("%q leaves %U in\n%q", name, r, s)
				}
			}
		}
	}
}

// mermaidLine is the part of Mermaid's grammar that causes.mmd uses.
var mermaidLine = regexp.MustCompile(`^(%% .*|flowchart TD|    e\d+\["[^"\\<>&;` + "`" + `]*(<br/>|#\d+;|[^"\\<>&;` + "`" + `])*"\]|    e\d+ (-->|-\.->) e\d+|    classDef \w+ [\w#:,]+|    class e\d+ \w+|    none\["There is no trace to draw\."\])$`)

func TestMermaidIsWellFormed(t *testing.T) {
	for _, name := range []string{"n1", `n"]`, "a-->b", "<script>", "%%", "`md`", "#quot;", "end", "a|b", "{x}", "日本", "&amp;", "\\"} {
		_, mermaid := render(t, lostWriteNamed(name, name+"2", name+"3", "c1"))
		boxes := map[string]bool{}
		for line := range strings.Lines(mermaid) {
			line = strings.TrimSuffix(line, "\n")
			if !mermaidLine.MatchString(line) {
				t.Errorf("%q makes the line %s", name, line)
			}
			f := strings.Fields(line)
			if id, _, ok := strings.Cut(f[0], "["); ok {
				boxes[id] = true
			} else if len(f) == 3 && strings.HasSuffix(f[1], "->") && (!boxes[f[0]] || !boxes[f[2]]) {
				t.Errorf("%s connects a box that is not there", line)
			}
		}
	}
}

func TestWidthIsKept(t *testing.T) {
	for _, width := range []int{60, 90, 120, 200} {
		text, err := timeline.Text(lostWriteNamed("a-server-with-a-long-name", "n2", "n3", "c1"), timeline.Options{Width: width, All: true})
		if err != nil {
			t.Fatal(err)
		}
		table, _, _ := strings.Cut(string(text), "\noperations")
		for line := range strings.Lines(table) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width && !strings.HasPrefix(line, "TestKV") {
				t.Errorf("width %d: %d characters in %q", width, n, line)
			}
		}
	}
}

func TestStoryHasFiveLines(t *testing.T) {
	long := lostWrite()
	long.Report.Failure.Message = strings.Repeat("very long\n", 1000)
	empty := artifact.InMemory(&artifact.Report{Result: artifact.Passed, Test: "T"}, nil, nil, nil)
	broken := artifact.InMemory(lostWrite().Report, nil, nil, nil)
	for name, a := range map[string]*artifact.Artifact{"full": lostWrite(), "long": long, "empty": empty, "broken": broken} {
		story := timeline.Story(a)
		if len(story) != 5 {
			t.Errorf("%s: %d lines", name, len(story))
		}
		for _, line := range story {
			if line == "" || strings.Contains(line, "\n") || len([]rune(line)) > 800 {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	render(t, empty)
}

func TestUnknownKindsAreShownAsTheyAre(t *testing.T) {
	r := &artifact.Report{Result: artifact.Passed, Test: "T"}
	records := []kernel.Record{{Event: 1, Node: "n1", Boot: 1, Kind: "raft/vote", Attrs: []kernel.Attr{kernel.Int("term", 3), kernel.Str("for", "n2")}}}
	text, err := timeline.Text(artifact.InMemory(r, nil, nil, slices.Values(records)), timeline.Options{})
	if err != nil || !strings.Contains(string(text), "raft/vote term=3 for=n2") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestErrorsOfTheTraceAreReturned(t *testing.T) {
	root := t.TempDir()
	w, err := artifact.Create(root, artifact.Key{Package: "p", Test: "T", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.Trace(iter.Seq[kernel.Record](func(yield func(kernel.Record) bool) { yield(kernel.Record{Event: 1, Kind: "x"}) }))
	w.Report(&artifact.Report{Result: artifact.Passed, Package: "p", Test: "T", Seed: 1})
	dir, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trace.jsonl"), []byte("broken\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := artifact.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, textErr := timeline.Text(a, timeline.Options{})
	_, mermaidErr := timeline.Mermaid(a, 0)
	if textErr == nil || mermaidErr == nil || errors.Is(textErr, os.ErrNotExist) {
		t.Errorf("%v, %v", textErr, mermaidErr)
	}
	if story := timeline.Story(a); len(story) != 5 {
		t.Errorf("%q", story)
	}
}

func BenchmarkText(b *testing.B) {
	var records []kernel.Record
	for n := range uint64(100_000) {
		records = append(records, kernel.Record{Index: n, Time: kernel.Time(n), Event: n + 1, Cause: n, Node: []string{"n1", "n2", "n3"}[n%3], Boot: 1, Kind: "net/deliver"})
	}
	a := artifact.InMemory(&artifact.Report{Result: artifact.Passed}, nil, nil, slices.Values(records))
	for b.Loop() {
		if _, err := timeline.Text(a, timeline.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
