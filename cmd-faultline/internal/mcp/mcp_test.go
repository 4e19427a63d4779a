package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixture is a server over a command that only notes what it was asked.
type fixture struct {
	root, module, outside string
	calls                 [][]string
	print                 string // what the command prints
	code                  int
	client                *sdk.ClientSession
}

func serve(t *testing.T, limit int) *fixture {
	t.Helper()
	f := &fixture{root: real(t, t.TempDir()), module: real(t, t.TempDir()), outside: real(t, t.TempDir())}
	for _, dir := range []string{filepath.Join(f.root, "a", "1"), filepath.Join(f.outside, "secret")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(f.outside, filepath.Join(f.root, "link")); err != nil {
		t.Fatal(err)
	}
	server, err := New(Config{
		Version: "test", Artifacts: f.root, Module: f.module, MaxBytes: limit, Timeout: time.Second,
		Run: func(ctx context.Context, args []string, out, err io.Writer) int {
			f.calls = append(f.calls, args)
			if f.print == "wait" {
				<-ctx.Done()
				return 2
			}
			fmt.Fprint(out, f.print)
			return f.code
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	near, far := sdk.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	f.client, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.client.Close() })
	return f
}

func real(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// call calls a tool and returns its text, and whether it is an error.
func (f *fixture) call(t *testing.T, name string, in map[string]any) (string, bool) {
	t.Helper()
	r, err := f.client.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return err.Error(), true
	}
	var text strings.Builder
	for _, c := range r.Content {
		text.WriteString(c.(*sdk.TextContent).Text)
	}
	return text.String(), r.IsError
}

// Each tool becomes the command that a person would type.
func TestTools(t *testing.T) {
	f := serve(t, 1<<20)
	dir := filepath.Join(f.root, "a", "1")
	for _, c := range []struct {
		tool string
		in   map[string]any
		want []string
	}{
		{"list_failures", nil, []string{"list", "--failed", "--json", "--limit=20", "--", f.root}},
		{"list_failures", map[string]any{"test": "Test*", "limit": 3}, []string{"list", "--failed", "--json", "--test=Test*", "--limit=3", "--", f.root}},
		{"read_story", map[string]any{"dir": "a/1"}, []string{"show", "--", dir}},
		{"explain", map[string]any{"dir": dir, "event": 7, "steps": 9}, []string{"explain", "--event=7", "--steps=9", "--", dir}},
		{"query_trace", map[string]any{"dir": dir, "nodes": []string{"n1", "-x"}, "kinds": []string{"net/*"}, "from": "1s", "events": []int{3, 4}, "grep": "lost"},
			[]string{"trace", "--json", "--node=n1", "--node=-x", "--kind=net/*", "--from=1s", "--event=3", "--event=4", "--grep=lost", "--last=100", "--", dir}},
		{"query_trace", map[string]any{"dir": dir, "count": true}, []string{"trace", "--json", "--count", "--", dir}},
		{"diff", map[string]any{"a": dir, "b": f.module, "after": 5}, []string{"diff", "--after=5", "--", dir, f.module}},
		{"show_schedule", map[string]any{"file": dir, "choices": true}, []string{"schedule", "list", "--choices", "--", dir}},
		{"edit_schedule", map[string]any{"file": dir, "action": "drop", "faults": []string{"kill#1", "--in-place"}, "output": "a/1/new.json"},
			[]string{"schedule", "drop", "--output=" + filepath.Join(dir, "new.json"), "--", dir, "kill#1", "--in-place"}},
		{"replay", map[string]any{"dir": dir}, []string{"replay", "--within=" + f.module, "--", dir}},
		{"replay", map[string]any{"dir": dir, "schedule": "a/1"}, []string{"replay", "--within=" + f.module, "--schedule=" + dir, "--", dir}},
		{"shrink", map[string]any{"dir": dir, "budget": "5s"}, []string{"shrink", "--within=" + f.module, "--quiet", "--budget=5s", "--", dir}},
		{"pin", map[string]any{"dir": dir, "name": "x"}, []string{"pin", "--json", "--within=" + f.module, "--name=x", "--", dir}},
	} {
		f.calls = nil
		if text, failed := f.call(t, c.tool, c.in); failed {
			t.Errorf("%s %v: %s", c.tool, c.in, text)
			continue
		}
		if len(f.calls) != 1 || !slices.Equal(f.calls[0], c.want) {
			t.Errorf("%s %v ran\n%q, want\n%q", c.tool, c.in, f.calls, c.want)
		}
	}
}

// What a tool is told to read or write elsewhere is refused before anything
// runs: absolute paths, dots, and links that lead out.
func TestConfined(t *testing.T) {
	f := serve(t, 1<<20)
	inside := filepath.Join(f.root, "a", "1")
	for _, path := range []string{f.outside, "../" + filepath.Base(f.outside), "link", "link/secret", "/etc", "a/../link", ""} {
		for tool, in := range map[string]map[string]any{
			"read_story":    {"dir": path},
			"explain":       {"dir": path},
			"query_trace":   {"dir": path},
			"diff":          {"a": inside, "b": path},
			"show_schedule": {"file": path},
			"edit_schedule": {"file": path, "action": "drop", "output": "a/new.json"},
			"replay":        {"dir": inside, "schedule": path + "/."},
			"shrink":        {"dir": path},
			"pin":           {"dir": path},
		} {
			if path == "" && tool == "replay" {
				continue // no schedule: the seed
			}
			if text, failed := f.call(t, tool, in); !failed {
				t.Errorf("%s with %q: %s", tool, path, text)
			}
		}
	}
	secret := filepath.Join(f.outside, "s.json")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(inside, "schedule.json")); err != nil {
		t.Fatal(err)
	}
	for tool, in := range map[string]map[string]any{
		"show_schedule": {"file": inside},
		"edit_schedule": {"file": inside, "action": "drop", "output": "a/new.json"},
		"replay":        {"dir": inside, "schedule": inside},
	} {
		if text, failed := f.call(t, tool, in); !failed {
			t.Errorf("%s with a schedule that leads out: %s", tool, text)
		}
	}
	for _, output := range []string{f.outside + "/x.json", "link/x.json", "../x.json", "", "a/", ".hidden", filepath.Join(f.module, "x.json")} {
		if text, failed := f.call(t, "edit_schedule", map[string]any{"file": inside, "action": "drop", "output": output}); !failed {
			t.Errorf("output %q: %s", output, text)
		}
	}
	if text, failed := f.call(t, "edit_schedule", map[string]any{"file": inside, "action": "remove", "output": "a/x.json"}); !failed || !strings.Contains(text, "use drop, keep or shift") {
		t.Errorf("an unknown action: %s", text)
	}
	if len(f.calls) > 0 {
		t.Errorf("it ran %q", f.calls)
	}
}

// An answer is no longer than the limit, is cut at a line, and says how much is
// missing. Exit code 1 is an answer, 2 an error.
func TestAnswers(t *testing.T) {
	f := serve(t, 100)
	f.print = strings.Repeat("a line of 22 characters\n", 100)
	text, failed := f.call(t, "list_failures", nil)
	if failed || len(text) > 300 || !strings.HasPrefix(text, "a line") || !strings.Contains(text, "characters\n[2304 bytes more are left out") {
		t.Errorf("a long answer: %v %q", failed, text)
	}
	f.print, f.code = "no\n", 1
	if text, failed := f.call(t, "list_failures", nil); failed || !strings.Contains(text, "no\n") || !strings.Contains(text, "exit code 1") {
		t.Errorf("exit code 1: %v %q", failed, text)
	}
	f.code = 2
	if text, failed := f.call(t, "list_failures", nil); !failed || !strings.Contains(text, "exit code 2") {
		t.Errorf("exit code 2: %v %q", failed, text)
	}
	f.print = "wait"
	if text, failed := f.call(t, "list_failures", nil); !failed || !strings.Contains(text, "ended after 1s") {
		t.Errorf("a command that does not end: %v %q", failed, text)
	}
}

// A root that is not there is an error before anything is served.
func TestNoRoot(t *testing.T) {
	_, err := New(Config{Artifacts: filepath.Join(t.TempDir(), "none"), Module: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "the artifact root") {
		t.Errorf("got %v", err)
	}
}
