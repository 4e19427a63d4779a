package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// What is printed does in a shell what is run without one, whatever is in the
// paths.
func TestPrintedCommandsWorkInAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	bin := t.TempDir()
	const report = "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$FAULTLINE_SCHEDULE\" \"$FAULTLINE_SEED\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(report), 0o755); err != nil {
		t.Fatal(err)
	}
	schedule, err := os.ReadFile(filepath.Join("testdata", "artifacts", "lost", "schedule.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "example.org+kv", "TestKV~5", "~", "a b", "it's $HOME `x` \"y\"", "a=~b;c"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "x.json")
		if err := os.WriteFile(file, schedule, 0o644); err != nil {
			t.Fatal(err)
		}
		a := &artifact.Artifact{Report: &artifact.Report{Package: "-", Test: "TestKV/it's", Seed: 7, Replay: artifact.Replay{Dir: dir}}}
		for _, given := range []string{file, ""} {
			s := &session{}
			run, text, err := s.testCommand(a, dir, given, dir)
			if err != nil {
				t.Fatal(err)
			}
			outer := exec.Command(shell, "-c", text)
			outer.Env = []string{"PATH=" + bin, "HOME=/nowhere"}
			out, err := outer.CombinedOutput()
			got := strings.Split(strings.TrimSpace(string(out)), "\n")
			want := []string{run.Dir, given, "0x0000000000000007"}
			if given != "" {
				want[2] = ""
			}
			want = append(want, run.Args[1:]...)
			if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s\ngives %q (%v), want %q", text, got, err, want)
			}
		}
		out, err := exec.Command(shell, "-c", "printf %s "+shellWord(name)).Output()
		if err != nil || string(out) != name {
			t.Errorf("%s is %q for the shell, %v", shellWord(name), out, err)
		}
	}
}
