package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// want fails the test when got is not what is wanted.
func want[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s is %v, want %v", what, got, wanted)
	}
}

// mustContain fails the test when text lacks a part.
func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("missing %q in:\n%s", p, text)
		}
	}
}

// line renders a record the way the scenarios show it.
func line(r Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8v e%d<-%d", r.Time, r.Event, r.Cause)
	if r.Node != "" {
		fmt.Fprintf(&b, " %s/%d", r.Node, r.Boot)
	} else {
		b.WriteString(" -")
	}
	b.WriteString(" " + r.Kind)
	for _, a := range r.Attrs {
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value())
	}
	return b.String()
}

// lines renders a run's trace.
func lines(s *Sim) []string {
	var out []string
	for r := range s.Records() {
		out = append(out, line(r))
	}
	return out
}

// compareGolden compares text with a file of testdata/golden, or writes it when
// UPDATE_GOLDEN=1 is set.
func compareGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; UPDATE_GOLDEN=1 writes it", err)
	}
	// Checkouts on Windows may have changed the line ends.
	if old := strings.ReplaceAll(string(b), "\r\n", "\n"); old != text {
		t.Errorf("%s differs; UPDATE_GOLDEN=1 rewrites it.\nwas:\n%s\nis:\n%s", path, old, text)
	}
}

// goexit runs f on a goroutine of its own, so that a Goexit in it ends that.
func goexit(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// mustStop fails the test when a run did not end for the given reason.
func mustStop(t *testing.T, r Result, why Stop) {
	t.Helper()
	want(t, "reason", r.Reason, why)
}

const sec = time.Second
