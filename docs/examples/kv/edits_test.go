package kv

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// edit is a change of the example that has nothing to do with its bugs: in each
// file, what is replaced by what.
type edit struct {
	name    string
	changes []change
}

type change struct{ file, old, new string }

// edits are what a living code base sees between the day on which a failure is
// pinned and the day on which the pin is needed.
func edits() []edit {
	return []edit{
		{"nothing", nil},
		{"a new kind of message", []change{
			{"message.go", "// voteReply answers", "type ping struct{}\n\n// voteReply answers"},
			{"replicate.go", "func (s *Server) heartbeat() {\n", "func (s *Server) heartbeat() {\n\tfor _, peer := range s.peers {\n\t\ts.node.Send(peer, ping{})\n\t}\n"},
		}},
		{"an extra timer", []change{
			{"server.go", "\ts.beat = n.NewTimerFunc(s.heartbeat)\n", "\ts.beat = n.NewTimerFunc(s.heartbeat)\n" +
				"\tvar stats *kernel.Timer\n\tstats = n.NewTimerFunc(func() { n.Log(\"stats\"); stats.Reset(37 * time.Millisecond) })\n\tstats.Reset(37 * time.Millisecond)\n"},
		}},
		{"one more client", []change{
			{"kv_test.go", `[]string{"c1", "c2", "c3"}`, `[]string{"c1", "c2", "c3", "c4"}`},
		}},
		{"a renamed function", []change{
			{"election.go", "countVotes", "tally"},
			{"replicate.go", "hasOnDisk", "acknowledges"},
		}},
		{"reordered initialisation", []change{
			{"kv_test.go", `names := []string{"n1", "n2", "n3"}`, `names := []string{"n3", "n1", "n2"}`},
			{"kv_test.go", `[]string{"c1", "c2", "c3"}`, `[]string{"c3", "c2", "c1"}`},
			{"server.go", "\ts.expire = n.NewTimerFunc(s.campaign)\n\ts.beat = n.NewTimerFunc(s.heartbeat)\n", "\ts.beat = n.NewTimerFunc(s.heartbeat)\n\ts.expire = n.NewTimerFunc(s.campaign)\n"},
		}},
	}
}

// TestPinsSurviveEdits pins the failure of each planted bug and demands that of
// these pins at least four in five still fail, in the same check, after each
// unrelated edit. It builds the edited example anew, so it is asked for by
// KV_EDITS=1.
func TestPinsSurviveEdits(t *testing.T) {
	if os.Getenv("KV_EDITS") == "" {
		t.Skip("builds the example six times; KV_EDITS=1 runs it")
	}
	work := t.TempDir()
	original := build(t, work, edits()[0])
	pins := pinAll(t, original, work)
	all, kept := 0, 0
	for _, e := range edits() {
		binary := original
		if e.changes != nil {
			binary = build(t, work, e)
		}
		n, near := 0, 0
		var lost []string
		for _, p := range plants() {
			check, ok := pins[p.name]
			if !ok {
				continue
			}
			out := run(t, binary, work, p.name, "-test.run=^TestPlanted$/^"+p.name+"$/^pin=")
			switch {
			case !failed(out, check):
				lost = append(lost, p.name)
				continue
			case strings.Contains(out, "the pin does not lead to its failure any more"):
				near++
			}
			n++
		}
		t.Logf("%-26s %d of %d pins fail as before, %d of them near by; lost: %v", e.name, n, len(pins), near, lost)
		if e.changes == nil && n != len(pins) {
			t.Errorf("without an edit only %d of %d pins fail", n, len(pins))
		}
		if e.changes != nil {
			all, kept = all+len(pins), kept+n
		}
	}
	t.Logf("after an edit %d of %d pins fail as before", kept, all)
	if all < 40 || kept*5 < all*4 {
		t.Errorf("%d of %d pins survive, want four in five of at least 40", kept, all)
	}
}

// build makes the test binary of the example with an edit, and with further
// test files, and returns its path.
func build(t *testing.T, work string, e edit, further ...string) string {
	t.Helper()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	edited := map[string]string{}
	for _, c := range e.changes {
		files := []string{c.file}
		if e.name == "a renamed function" { // everywhere
			files, _ = filepath.Glob("*.go")
		}
		done := false
		for _, file := range files {
			text, ok := edited[file]
			if !ok {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				text = string(data)
			}
			if file != "edits_test.go" && strings.Contains(text, c.old) {
				edited[file], done = strings.ReplaceAll(text, c.old, c.new), true
			}
		}
		if !done {
			t.Fatalf("%s: %q is not in %s any more", e.name, c.old, c.file)
		}
	}
	name := filepath.Join(work, artifact.SafeName(e.name))
	for i, text := range further {
		edited[fmt.Sprintf("further%d_test.go", i)] = text
	}
	for file, text := range edited {
		path := name + "." + file
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		whole, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		overlay.Replace[whole] = path
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".json", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-overlay="+name+".json", "-o", name+".test", ".").CombinedOutput(); err != nil {
		t.Fatalf("%s does not build: %v\n%s", e.name, err, out)
	}
	return name + ".test"
}

// pinAll finds each planted bug and pins the shrunk schedule, in the
// directory work. It returns the check that each pin fails.
func pinAll(t *testing.T, binary, work string) map[string]string {
	t.Helper()
	pins := map[string]string{}
	for _, p := range plants() {
		root := t.TempDir()
		run(t, binary, work, p.name, "-test.run=^TestPlanted$/^"+p.name+"$", "FAULTLINE_SHRINK=5s", "FAULTLINE_ARTIFACTS="+root)
		dirs, _ := filepath.Glob(filepath.Join(root, "*", "*", "0x*"))
		if len(dirs) != 1 {
			t.Fatalf("%s left %d artifacts", p.name, len(dirs))
		}
		a, err := artifact.Read(dirs[0])
		if err != nil {
			t.Fatal(err)
		}
		data, err := a.File(artifact.MinimalFile)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(work, artifact.PinDir("TestPlanted/"+p.name))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "bug.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		pins[p.name] = a.Report.Failure.Check
	}
	return pins
}

// run runs a test binary in a directory, with settings, and returns its output.
func run(t *testing.T, binary, dir, bug, pattern string, env ...string) string {
	t.Helper()
	cmd := exec.Command(binary, pattern)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KV_PLANTED=first", "FAULTLINE_SEEDS=20", "FAULTLINE_ARTIFACTS=off", "FAULTLINE_SHRINK=3s")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err == nil && len(env) > 0 {
		t.Fatal(fmt.Sprintf("the planted bug %s was not found:\n%s", bug, out))
	}
	return string(out)
}

// TestReproFailsOnItsOwn writes a test of a planted bug with the faultline
// command, and runs it.
func TestReproFailsOnItsOwn(t *testing.T) {
	if os.Getenv("KV_EDITS") == "" {
		t.Skip("builds the command and the example; KV_EDITS=1 runs it")
	}
	work := t.TempDir()
	command := filepath.Join(work, "faultline")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/hmdsefi/faultline/cmd-faultline/faultline").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run(t, self, ".", "AckBeforeSync", "-test.run=^TestPlanted$/^AckBeforeSync$", "FAULTLINE_SHRINK=5s", "FAULTLINE_ARTIFACTS="+work)
	dirs, _ := filepath.Glob(filepath.Join(work, "*", "*", "0x*"))
	if len(dirs) != 1 {
		t.Fatalf("%d artifacts", len(dirs))
	}
	source, err := exec.Command(command, "repro", "--dir", ".", "-o", "-", dirs[0]).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	t.Logf("%s", source)
	// Beside the example for this build only.
	binary := build(t, work, edit{"the written test", []change{{"doc.go", "package kv\n", "package kv\n"}}}, string(source))
	cmd := exec.Command(binary, "-test.run=^TestReproAcknowledgedWritesSurvive$")
	cmd.Env = append(os.Environ(), "FAULTLINE_ARTIFACTS=off")
	out, err := cmd.CombinedOutput()
	met := regexp.MustCompile(`replayed (\d+) of (\d+) entries`).FindStringSubmatch(string(out))
	if err == nil || !failed(string(out), survive) || met == nil || met[1] != met[2] {
		t.Errorf("it does not fail as it should (%v):\n%s", err, out)
	}
}
