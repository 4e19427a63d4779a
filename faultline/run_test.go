package faultline

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// outcome is what a scenario's process left.
type outcome struct {
	failed bool
	text   string
	root   string // of the artifacts
}

// runScenario runs a scenario in a process of its own.
func runScenario(t *testing.T, name string, env ...string) *outcome {
	t.Helper()
	return runScenarioArgs(t, name, nil, env...)
}

func runScenarioArgs(t *testing.T, name string, args []string, env ...string) *outcome {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{root: t.TempDir()}
	cmd := exec.Command(exe, append([]string{"-test.run=^TestScenario$", "-test.v"}, args...)...)
	for _, kv := range env { // go test starts a test in its package's directory
		if dir, ok := strings.CutPrefix(kv, "SCENARIO_DIR="); ok {
			cmd.Dir = dir
		}
	}
	cmd.Env = append(cleanEnv(), "SCENARIO="+name, "FAULTLINE_ARTIFACTS="+o.root)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	o.failed, o.text = err != nil, string(out)
	return o
}

// cleanEnv is the environment without faultline's own settings.
func cleanEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, envPrefix) {
			env = append(env, kv)
		}
	}
	return env
}

func (o *outcome) wants(t *testing.T, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(o.text, p) {
			t.Errorf("the output lacks %q:\n%s", p, o.text)
			return
		}
	}
}

// dir returns the artifact directory that the output names.
func (o *outcome) dir(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *artifact: (.*)$`).FindStringSubmatch(o.text)
	if m == nil || !strings.HasPrefix(m[1], o.root) {
		t.Fatalf("the output names no artifact below %s:\n%s", o.root, o.text)
	}
	return m[1]
}

// report reads the artifact that the output names.
func (o *outcome) report(t *testing.T) *artifact.Report {
	t.Helper()
	a, err := artifact.Read(o.dir(t))
	if err != nil {
		t.Fatal(err)
	}
	return a.Report
}

// Everything that can go wrong in code under test is reported with the seed,
// the stack where there is one, a replay command and an artifact.
func TestFailuresAreReported(t *testing.T) {
	for _, c := range []struct {
		scenario, kind, check, headline, stack string
	}{
		{"invariant", "invariant", "few messages", `invariant "few messages" failed at `, ""},
		{"panic-handler", "panic", "panic", "panic at ", "faultline.(*echo).Receive("},
		{"panic-proc", "panic", "panic", "panic at ", "faultline.panicScenarios"},
		{"panic-invariant", "panic", "few messages", `panic in check "few messages" at `, "faultline.panicScenarios"},
		{"panic-final", "panic", "end", `panic in check "end" at `, "faultline.panicScenarios"},
		{"panic-setup", "panic", "setup", `panic in check "setup" at 0s, event 0`, "faultline.panicScenarios"},
		{"fatal-handler", "fatal", "fatal", "fatal at ", "faultline.(*echo).Receive("},
		{"fatal-proc", "fatal", "fatal", "fatal at ", "faultline.panicScenarios"},
		{"fatal-invariant", "fatal", "few messages", "fatal at ", "faultline.panicScenarios"},
		{"fatal-setup", "fatal", "setup", "fatal at 0s, event 0", "faultline.panicScenarios"},
		{"loop", "timeout", "timeout", "timeout at ", "faultline.spin"},
		{"loop-setup", "timeout", "timeout", "timeout at 0s", "faultline.spin"},
		{"channel", "timeout", "timeout", "timeout at ", "faultline.hangScenarios"},
		{"final", "final", "end", `final "end" failed at 2s`, ""},
		{"eventually", "liveness", "a leader", `liveness "a leader" failed at 1.8s`, ""},
		{"limit", "limit", "limit", "limit at ", ""},
		{"user", "user", "my check", `user "my check" failed at `, ""},
		{"unknown-node", "misuse", "misuse", "misuse at ", ""},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			o := runScenario(t, c.scenario)
			if !o.failed {
				t.Fatalf("it passed:\n%s", o.text)
			}
			o.wants(t, "faultline: "+c.headline, "seed:     0x", "replay:   cd ", "FAULTLINE_SEED=0x", " -count=1 -run ", c.stack)
			r := o.report(t)
			if r.Failure == nil || r.Failure.Kind != c.kind || r.Failure.Check != c.check {
				t.Fatalf("report.json says %+v, want kind %q, check %q", r.Failure, c.kind, c.check)
			}
			if s, err := loadSchedule(filepath.Join(o.dir(t), "schedule.json")); err == nil {
				partial := c.kind == "timeout" || c.kind == "limit"
				if s.Expect == nil || (s.Expect.Hash == "") != partial {
					t.Errorf("schedule.json expects %+v; a hash belongs to recordings that reach the failure, and to no others", s.Expect)
				}
			}
			if c.stack != "" && !strings.Contains(r.Failure.Stack, c.stack) {
				t.Errorf("the stack in report.json lacks %q:\n%s", c.stack, r.Failure.Stack)
			}
			if strings.Count(o.text, "--- FAIL: TestScenario") == 0 || strings.Contains(o.text, "panic: ") {
				t.Errorf("go test did not end in an orderly way:\n%s", o.text)
			}
			if n := len(regexp.MustCompile(`(?m)^=== RUN .*/seed=`).FindAllString(o.text, -1)); n != 1 {
				t.Errorf("%d seeds were run, want 1: the first that fails ends the sweep", n)
			}
		})
	}
}

// A failing seed fails in the same way when it is replayed by its seed, by its
// schedule, and by its artifact directory.
func TestReplays(t *testing.T) {
	first := runScenario(t, "invariant")
	want := first.report(t)
	dir := first.dir(t)
	for name, env := range map[string]string{
		"seed":     "FAULTLINE_SEED=" + want.Seed.String(),
		"schedule": "FAULTLINE_SCHEDULE=" + filepath.Join(dir, "schedule.json"),
		"artifact": "FAULTLINE_REPLAY=" + dir,
	} {
		t.Run(name, func(t *testing.T) {
			o := runScenario(t, "invariant", env)
			got := o.report(t)
			if got.Failure.Time != want.Failure.Time || got.Failure.Event != want.Failure.Event || got.Failure.Check != want.Failure.Check || got.TraceHash != want.TraceHash {
				t.Errorf("replayed to %v event %d, hash %s; it was %v event %d, hash %s", got.Failure.Time, got.Failure.Event, got.TraceHash,
					want.Failure.Time, want.Failure.Event, want.TraceHash)
			}
			if name != "seed" {
				o.wants(t, "faultline: replayed ")
				if strings.Contains(o.text, "met nothing") || strings.Contains(o.text, "has changed since") {
					t.Errorf("something changed in an unedited replay:\n%s", o.text)
				}
			}
		})
	}
}

// The printed command works as it stands in a fresh shell.
func TestReplayCommandInAShell(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test binary anew")
	}
	first := runScenario(t, "invariant")
	want := first.report(t)
	line := regexp.MustCompile(`(?m)^ *replay: +(.*)$`).FindStringSubmatch(first.text)
	if line == nil || line[1] != want.Replay.Command {
		t.Fatalf("printed %q, report.json has %q", line, want.Replay.Command)
	}
	cmd := exec.Command("sh", "-c", line[1])
	root := t.TempDir()
	cmd.Dir, cmd.Env = t.TempDir(), append(cleanEnv(), "SCENARIO=invariant", "FAULTLINE_ARTIFACTS="+root)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the replay passed:\n%s", out)
	}
	got := (&outcome{text: string(out), root: root}).report(t)
	if got.TraceHash != want.TraceHash || got.Failure.Event != want.Failure.Event {
		t.Errorf("replayed to event %d, hash %s; want %d, %s\n%s", got.Failure.Event, got.TraceHash, want.Failure.Event, want.TraceHash, out)
	}
}

func TestNondeterminismIsFound(t *testing.T) {
	o := runScenario(t, "map-order", "FAULTLINE_CHECK_DETERMINISM=1")
	o.wants(t, "faultline: determinism at ", "two runs of this seed part at record ", "k=", "on node n", "a range over a map")
	if r := o.report(t); r.Failure.Kind != "determinism" {
		t.Errorf("report.json says %+v", r.Failure)
	}
	o = runScenario(t, "t-error-map-order")
	o.wants(t, "faultline: determinism at ", "the run failed (error ", "planted error")
	o = runScenario(t, "package-state", "FAULTLINE_CHECK_DETERMINISM=1")
	o.wants(t, "faultline: determinism at ", "state that\n", "count n=")
	if o := runScenario(t, "pass", "FAULTLINE_CHECK_DETERMINISM=1"); o.failed {
		t.Errorf("a deterministic system failed:\n%s", o.text)
	}
	o = runScenario(t, "package-state") // the first seed is run twice without being asked
	o.wants(t, "faultline: determinism at ")
	if o := runScenario(t, "package-state", "FAULTLINE_CHECK_DETERMINISM=0"); o.failed {
		t.Errorf("the check ran although it is off:\n%s", o.text)
	}
	if o := runScenario(t, "package-state", "FAULTLINE_SEED=7"); o.failed {
		t.Errorf("a single seed was run twice:\n%s", o.text)
	}
}

func TestSweep(t *testing.T) {
	o := runScenario(t, "pass", "FAULTLINE_SEEDS=3")
	if o.failed {
		t.Fatal(o.text)
	}
	o.wants(t, "faultline: 3 runs, 0 failed; 6s of virtual time", "operations: ", "faults: ", "FAULTLINE_SEEDS=3")
	o = runScenario(t, "sometimes")
	o.wants(t, `coverage "never": never true in 2 seeds`, `never true in these seeds: "never"`)
	if strings.Contains(o.text, `"soon"`) || !o.failed {
		t.Error(o.text)
	}
	runScenario(t, "idle").wants(t, "WARNING: no operation succeeded")
}

func TestWrongSetupRunsNothing(t *testing.T) {
	o := runScenario(t, "wrong-setup")
	o.wants(t, "faultline: the setup is wrong, nothing was run: 3 setup errors:",
		`two nodes are called "n1"; names must be unique`, `two checks are called "x"; names must be unique`,
		`Eventually "late" within 1h0m0s ends after the run: the quiet phase lasts 500ms; make Options.Duration or QuietFor longer`)
}

func TestBadEnvironmentRunsNothing(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"format": "faultline/schedule", "version": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const head = `{"format": "faultline/schedule", "version": 1, "seed": "0x1", "duration": "1s", "faults": [], `
	wrong, late := filepath.Join(dir, "wrong.json"), filepath.Join(dir, "late.json")
	for path, text := range map[string]string{
		wrong: head + `"choices": [{"point": "net/n1>n2/drop", "n": 3, "value": 7}]}`, late: head + `"quiet": "2s", "choices": []}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for env, want := range map[string]string{
		"FAULTLINE_SEED=zebra":              `FAULTLINE_SEED="zebra" is not valid`,
		"FAULTLINE_SCHEDULE=" + dir + "/no": "faultline: FAULTLINE_SCHEDULE: stat " + dir + "/no: no such file or directory; name a schedule.json, such as an artifact has",
		"FAULTLINE_SCHEDULE=" + os.DevNull:  "faultline: FAULTLINE_SCHEDULE: " + os.DevNull + " is not a regular file; name a schedule.json",
		"FAULTLINE_SCHEDULE=" + wrong:       "wrong.json: choices[0] (net/n1>n2/drop, n 3): the value is 7; use 1 to 1",
		"FAULTLINE_SCHEDULE=" + late:        "late.json: quiet is 2s, after the end of the run at 1s",
		"FAULTLINE_SCHEDULE=" + dir:         "is a directory; name the schedule.json in it, or set FAULTLINE_REPLAY to the directory",
		"FAULTLINE_SCHEDULE=" + broken:      "broken.json",
		"FAULTLINE_REPLAY=" + dir:           "faultline: FAULTLINE_REPLAY: ",
	} {
		o := runScenario(t, "pass", env)
		if !o.failed || strings.Contains(o.text, "/seed=") {
			t.Errorf("%s: seeds were run:\n%s", env, o.text)
		}
		o.wants(t, want)
	}
	o := runScenario(t, "pass", "FAULTLINE_SEDE=1")
	o.wants(t, "faultline: warning: FAULTLINE_SEDE is not known and has no effect; did you mean FAULTLINE_SEED?")
	if o.failed {
		t.Error("an unknown name is a warning only")
	}
}

// A run that would outlive go test's own deadline is reported before that
// kills the process, and a sweep that cannot end in time is no pass.
func TestDeadlineIsReported(t *testing.T) {
	o := runDeadline(t, "slow-loop", "6s")
	o.wants(t, "faultline: timeout at ", "the test's own deadline (go test -timeout) is near, and the run was at event ", "faultline.spin", "FAULTLINE_SEED=0x")
	o = runDeadline(t, "pass", "6s", "FAULTLINE_SEEDS=100000000")
	o.wants(t, "of 100000000 seeds were run: the test's deadline is near; raise go test -timeout, or lower FAULTLINE_SEEDS")
}

func runDeadline(t *testing.T, name, timeout string, env ...string) *outcome {
	t.Helper()
	o := runScenarioArgs(t, name, []string{"-test.timeout=" + timeout}, env...)
	if !o.failed || strings.Contains(o.text, "panic: test timed out") {
		t.Errorf("go test's own deadline came first:\n%s", o.text)
	}
	return o
}

// Pinned failures run before the seeds; one that fails is reported with a
// command that replays the pin, one that no longer fails says so.
func TestPins(t *testing.T) {
	first := runScenario(t, "invariant-late")
	want := first.report(t)
	dir := pinIn(t, first, "schedule.json")
	pins := filepath.Join(dir, artifact.PinDir("TestScenario/#00"))
	o := runScenarioArgs(t, "invariant-late", nil, "SCENARIO_DIR="+dir)
	o.wants(t, "/pin=it", `invariant "few messages" failed`, "FAULTLINE_SCHEDULE=", "it.json")
	if got := o.report(t); got.TraceHash != want.TraceHash {
		t.Errorf("the pin has hash %s, the run had %s", got.TraceHash, want.TraceHash)
	}
	if err := os.WriteFile(filepath.Join(pins, "old.seed"), []byte("# kept\n7 0x8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o = runScenarioArgs(t, "invariant-mended", nil, "SCENARIO_DIR="+dir)
	if o.failed {
		t.Error(o.text)
	}
	o.wants(t, "/pin=it", `passes now; it was recorded with: invariant "few messages" at `, "/pin=old,0x0000000000000008", "5 runs (3 of pinned failures), 0 failed")
}

// pinIn pins a schedule of a run as "it" below a new directory.
func pinIn(t *testing.T, o *outcome, schedule string) (dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.dir(t), schedule))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	pins := filepath.Join(dir, artifact.PinDir("TestScenario/#00"))
	if err := os.MkdirAll(pins, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pins, "it.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestResultsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	runScenario(t, "pass", "FAULTLINE_RESULTS="+file)
	runScenario(t, "invariant", "FAULTLINE_RESULTS="+file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"result":"pass"`) || !strings.Contains(lines[2], `"result":"fail","kind":"invariant","check":"few messages","site":"node # has seen more than #"`) {
		t.Errorf("results:\n%s", data)
	}
}

// A file that cannot be appended to is an error before any seed is run.
func TestFilesToAppendTo(t *testing.T) {
	for _, name := range []string{"RESULTS", "COVERAGE"} {
		o := runScenario(t, "pass", "FAULTLINE_"+name+"="+filepath.Join(t.TempDir(), "none", "file"))
		o.wants(t, "faultline: FAULTLINE_"+name+": open ", "; name a file that can be appended to")
		if !o.failed || strings.Contains(o.text, "seed=") {
			t.Errorf("seeds were run:\n%s", o.text)
		}
	}
}

// FAULTLINE_TRACE=full leaves an artifact of passing seeds, which never takes
// the place of a failure.
func TestPassingArtifacts(t *testing.T) {
	root := t.TempDir()
	runScenario(t, "pass", "FAULTLINE_TRACE=full", "FAULTLINE_ARTIFACTS="+root)
	dirs, err := filepath.Glob(filepath.Join(root, "*", "*", "0x*", "report.json"))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("%d artifacts, want 2 (%v)", len(dirs), err)
	}
}

// A schedule that does not fit the system is refused before anything runs, and
// one that fits in part says what met nothing.
func TestEditedSchedules(t *testing.T) {
	first := runScenario(t, "invariant-late")
	data, err := os.ReadFile(filepath.Join(first.dir(t), "schedule.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	file := filepath.Join(t.TempDir(), "edited.json")
	replay := func(edited string) *outcome {
		t.Helper()
		if edited == text {
			t.Fatal("the edit changed nothing")
		}
		if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		return runScenario(t, "invariant-late", "FAULTLINE_SCHEDULE="+file)
	}

	o := replay(strings.ReplaceAll(text, `["n1"]`, `["n9"]`))
	o.wants(t, "faultline: the setup is wrong, nothing was run: fault: fault ", `: unknown node "n9"; the nodes are [n1 n2 n3 c1]`)
	o = replay(strings.Replace(text, `"kind":"partition"`, `"kind":"meteor"`, 1))
	o.wants(t, "edited.json:", `"meteor"`)
	o = replay(text[:len(text)/2])
	o.wants(t, "edited.json:")
	o = replay(strings.Replace(text, `"version": 1`, `"version": 2`, 1))
	o.wants(t, "edited.json:", "version")

	choices := regexp.MustCompile(`(?m)^ *\{"point":.*\},?$`).FindAllString(text, -1)
	if len(choices) < 3 {
		t.Fatalf("the schedule has %d choices, the test needs some", len(choices))
	}
	last := choices[len(choices)-1] // without it no message before the failure is another
	odd := regexp.MustCompile(`"n":[0-9]+`).ReplaceAllString(last, `"n":999999`)
	odd = regexp.MustCompile(`,"of":"[^"]*"`).ReplaceAllString(odd, "")
	o = replay(strings.Replace(text, last, odd, 1))
	o.wants(t, "faultline: replayed ", "1 met nothing: choice net/", "number 999999")
	if !o.failed {
		t.Error("the edited schedule passed, although the edit is harmless")
	}
}

// A failing schedule is made small, and the small one fails in the same way
// when it is replayed.
func TestShrinks(t *testing.T) {
	o := runScenario(t, "crash-and-loss")
	o.wants(t, "shrunk:   ", " -> 1 fault, 1 choice in ", "kill on n2", " is lost\n", "what happened in the shrunk run, where invariant ")
	dir := o.dir(t)
	r := o.report(t)
	if s := r.Shrunk; s == nil || len(s.Story) == 0 || len(s.Takes) < 3 || !strings.Contains(strings.Join(s.Takes, "\n"), "kill on n2") {
		t.Errorf("report.json says of the shrunk run %+v", s)
	}
	if g := r.Groups; len(g) != 2 || g[0].Name != "servers" || !slices.Equal(g[0].Nodes, []string{"n1", "n2", "n3"}) || g[1].Name != "clients" || !slices.Equal(g[1].Nodes, []string{"c1"}) {
		t.Errorf("report.json says that the groups are %+v", g)
	}
	for _, name := range []string{"report.min.txt", "timeline.min.txt", "causes.min.mmd", "schedule.min.json", "report.min.json", "trace.min.jsonl", "history.min.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"trace.jsonl", "trace.min.jsonl"} { // the runs that people read say what was in messages
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), `"content":"`) {
			t.Errorf("%s shows no content of a message (%v)", name, err)
		}
	}
	small, err := loadSchedule(filepath.Join(dir, "schedule.min.json"))
	if err != nil {
		t.Fatal(err)
	}
	again := runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK=off", "FAULTLINE_SCHEDULE="+filepath.Join(dir, "schedule.min.json"))
	again.wants(t, "replayed 2 of 2 entries", `invariant "no loss after a crash" failed`)
	if r := again.report(t); r.TraceHash != small.Expect.Hash || r.Failure.Event != small.Expect.Event {
		t.Errorf("the small schedule led to event %d, hash %s; it says event %d, hash %s", r.Failure.Event, r.TraceHash, small.Expect.Event, small.Expect.Hash)
	}
	if strings.Contains(again.text, "shrunk:") {
		t.Error("FAULTLINE_SHRINK=off has no effect")
	}
	// The whole run is still what the seed replays.
	if r := o.report(t); r.Failure.Check != "no loss after a crash" || len(small.Faults) != 1 {
		t.Errorf("report.json says %+v", r.Failure)
	}
}

// A sweep that keeps going tells repeats of a failure from new ones, and makes
// only the first small.
func TestKeepGoing(t *testing.T) {
	o := runScenario(t, "keep-going")
	o.wants(t, "faultline: 5 runs, 5 failed", `finding in 5 of 5: invariant "few messages" failed at `, "(first: seed=0x")
	if n := strings.Count(o.text, "shrunk:   "); n > 1 {
		t.Errorf("%d failures were made small, want the first only", n)
	}
	if n := strings.Count(o.text, "artifact: "); n != 5 {
		t.Errorf("%d artifacts, want 5", n)
	}
}

// What the code under test does to t outside of the run's sight, and what a
// user can get wrong, is told apart from a pass.
func TestNothingPassesInSilence(t *testing.T) {
	o := runScenario(t, "t-error")
	o.wants(t, "faultline: error at ", "called t.Error or t.Fail", "replay:   cd ", "planted error")
	if r := o.report(t); r.Failure == nil || r.Failure.Kind != "error" {
		t.Errorf("report.json says %+v", r.Failure)
	}
	runScenario(t, "stopped").wants(t, "faultline: misuse at 1s", "the run was stopped or closed at 1s of its ")
	runScenario(t, "closed").wants(t, "faultline: misuse at 0s", "the run was stopped or closed at 0s of its ")
	runScenario(t, "final-nil").wants(t, `faultline: panic in check "end" at `, "nil pointer", "replay:   cd ")
	runScenario(t, "t-error-going").wants(t, "faultline: error at ", "3 seeds were not run, because the test is marked as failed")
	if o := runScenario(t, "long-message"); len(o.text) > 1<<20 {
		t.Errorf("a message of 5 MB makes an output of %d bytes", len(o.text))
	} else {
		o.wants(t, "… (5242880 bytes in all)")
	}
	runScenario(t, "panic-pointer").wants(t, "faultline: panic at ", "differ in this text only")
	runScenario(t, "hang-final").wants(t, "faultline: timeout at ", `the final check "end" has not ended after `, "faultline.spin")
	runScenario(t, "setup-calls").wants(t, "nothing was run: 3 setup errors:", "before the run")
	runScenario(t, "late-calls").wants(t, "faultline: misuse at ", "World.Faults was called after the run had begun")
	runScenario(t, "twice").wants(t, "Run was called twice in one test")

	first := runScenario(t, "invariant-late")
	schedule := filepath.Join(first.dir(t), "schedule.json")
	o = runScenarioArgs(t, "pass-sub", []string{"-test.run=^TestScenario$/^other$"}, "FAULTLINE_SCHEDULE="+schedule)
	if o.wants(t, "nothing was replayed: "); !o.failed {
		t.Error("a test that was asked for by name and is not the schedule's has passed")
	}
}
