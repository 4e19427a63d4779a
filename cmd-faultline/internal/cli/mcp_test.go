package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/cli"
)

// agent is a client of faultline mcp.
type agent struct {
	t       *testing.T
	session *sdk.ClientSession
}

// connect serves the command in this process, as an agent would start it.
func connect(t *testing.T, args ...string) *agent {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(append([]string{"mcp"}, args...), cli.Env{In: in, Out: out, Err: os.Stderr, Lookup: os.LookupEnv})
		out.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if code := <-ended; code != cli.ExitOK {
			t.Errorf("faultline mcp exits with %d when the client is gone", code)
		}
	})
	return &agent{t, session}
}

// ask calls a tool, which must not be an error, and returns its answer.
func (a *agent) ask(tool string, in map[string]any) string {
	a.t.Helper()
	r, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		a.t.Fatalf("%s: %s", tool, text)
	}
	return text
}

func (a *agent) wants(text string, parts ...string) {
	a.t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			a.t.Errorf("the answer lacks %q:\n%s", p, text)
		}
	}
}

// An agent goes from a failing seed of the example to its cause, shows with an
// edited schedule that it is the cause, and pins it: with the tools alone.
func TestAgentFromSeedToPin(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the example's tests")
	}
	module, artifacts := example(t), t.TempDir()
	find := exec.Command("go", "test", "-count=1", "-run", "^TestPlanted$/^AckBeforeSync$", "./examples/kv")
	find.Dir, find.Env = module, append(os.Environ(), "KV_PLANTED=1", "FAULTLINE_ARTIFACTS="+artifacts, "FAULTLINE_SHRINK=5s")
	if out, err := find.CombinedOutput(); err == nil {
		t.Fatalf("the planted bug was not found:\n%s", out)
	}
	t.Setenv("FAULTLINE_ARTIFACTS", artifacts)
	t.Chdir(module)
	a := connect(t, "--artifacts", artifacts)

	list := a.ask("list_failures", map[string]any{"test": "TestPlanted/*"})
	path := regexp.MustCompile(`"path":"([^"]+)"`).FindStringSubmatch(list)
	if path == nil {
		t.Fatalf("no failure is listed: %s", list)
	}
	dir := path[1]
	a.wants(a.ask("read_story", map[string]any{"dir": dir}), `invariant "acknowledged writes survive" failed`)
	a.wants(a.ask("explain", map[string]any{"dir": dir}), "1.", "acknowledged writes survive")
	a.wants(a.ask("query_trace", map[string]any{"dir": dir, "kinds": []string{"node/*"}, "last": 200}), `"kind":"node/power-loss"`)
	small := filepath.Join(dir, "schedule.min.json")
	faults := a.ask("show_schedule", map[string]any{"file": small})

	// The hypothesis: the machines that lose power lose what was acknowledged.
	a.wants(a.ask("replay", map[string]any{"dir": dir, "schedule": small}), "exit code 1", "acknowledged writes survive")
	losses := regexp.MustCompile(`power-loss|outage|crash-at|crash-recovery`).FindAllString(faults, -1)
	if losses == nil {
		t.Fatalf("no power is lost in %s", faults)
	}
	a.ask("edit_schedule", map[string]any{"file": small, "action": "drop", "faults": losses[:1], "output": "without.json"})
	if again := a.ask("replay", map[string]any{"dir": dir, "schedule": "without.json"}); strings.Contains(again, "exit code") {
		t.Errorf("without the power loss it still fails:\n%s", again)
	}

	pin := a.ask("pin", map[string]any{"dir": dir, "name": "by-agent"})
	file := regexp.MustCompile(`"file":\s*"([^"]+)"`).FindStringSubmatch(pin)
	if file == nil {
		t.Fatalf("no pin: %s", pin)
	}
	if _, err := os.Stat(file[1]); err != nil || !strings.HasPrefix(file[1], module) {
		t.Errorf("the pin is at %s: %v", file[1], err)
	}
}

// example copies the key-value example into a workspace of its own, so that
// pins do not go into the repository, and returns the folder of its module.
func example(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if os.IsNotExist(err) {
		t.Skip("not in the workspace")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`\./[\w-]+`).ReplaceAllStringFunc(string(work), func(name string) string {
		if name == "./docs" {
			return name
		}
		return filepath.Join(root, name)
	})
	for name, data := range map[string]string{"go.work": text, "go.work.sum": read(t, root, "go.work.sum"), "docs/go.mod": read(t, root, "docs/go.mod"), "docs/go.sum": read(t, root, "docs/go.sum")} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "docs", "examples", "kv"), os.DirFS(filepath.Join(root, "docs", "examples", "kv"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", filepath.Join(dir, "go.work"))
	return filepath.Join(dir, "docs")
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
