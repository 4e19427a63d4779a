package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

func withinFlag(c *cobra.Command, within *string) {
	c.Flags().StringVar(within, "within", "", "`DIR`: run go test itself, not the recorded text, and only for a package in DIR")
}

// testCommand returns what runs the test of an artifact again, and how it is
// written. That is the text which the artifact records, as long as neither a
// schedule nor a directory that must hold the package is given: then it is a go
// test that is made up here, and nothing that the artifact says is run.
func (s *session) testCommand(a *artifact.Artifact, dir, schedule, within string) (*exec.Cmd, string, error) {
	if schedule == "" && within == "" {
		return s.shellCommand(a, dir)
	}
	pkg, err := packageDir(a.Report, "")
	if err == nil && within != "" {
		pkg, err = inside(within, pkg)
	}
	if err != nil {
		return nil, "", err
	}
	name, value := "FAULTLINE_SEED", a.Report.Seed.String()
	if schedule != "" {
		full, err := filepath.Abs(schedule)
		if info, statErr := os.Stat(full); statErr == nil && info.IsDir() {
			full = filepath.Join(full, artifact.ScheduleFile)
		}
		if err == nil {
			_, err = readSchedule(full)
		}
		if err != nil {
			return nil, "", err
		}
		name, value = "FAULTLINE_SCHEDULE", full
	}
	pattern := runPattern(a.Report.Test)
	args := []string{"test", "-count=1", "-run", pattern}
	if end, ok := s.context().Deadline(); ok { // the test ends by itself, not only go
		args = append(args, "-timeout", max(time.Until(end).Truncate(time.Second), time.Second).String())
	}
	run := exec.CommandContext(s.context(), "go", append(args, ".")...)
	run.WaitDelay = 5 * time.Second
	run.Dir, run.Env = pkg, append(withoutSeeds(os.Environ()), name+"="+value)
	text := fmt.Sprintf("cd %s && %s=%s go test -count=1 -run %s .", shellWord(pkg), name, shellWord(value), shellWord(pattern))
	return run, text, nil
}

// shellCommand returns the command that an artifact records, to be run in the
// shell. It must show all of itself.
func (s *session) shellCommand(a *artifact.Artifact, dir string) (*exec.Cmd, string, error) {
	command := a.Report.Replay.Command
	switch {
	case command == "":
		return nil, "", fmt.Errorf("%s has no command to run; set FAULTLINE_REPLAY to it and run go test", dir)
	case artifact.Visible(command) != command:
		return nil, "", fmt.Errorf("the command of %s has hidden characters and is not run: %s", dir, command)
	}
	run := exec.CommandContext(s.context(), "sh", "-c", command)
	if run.Err != nil {
		return nil, "", fmt.Errorf("there is no shell 'sh' to run it in; run it yourself: %s", command)
	}
	run.Dir = a.Report.Replay.Dir
	return run, command, nil
}

// context is done when what the command runs must end.
func (s *session) context() context.Context {
	if s.Context == nil {
		return context.Background()
	}
	return s.Context
}

// runPattern returns the pattern of go test -run for a test and nothing else.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// withoutSeeds takes away the variables that say which seeds are run.
func withoutSeeds(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "FAULTLINE_SEED", "FAULTLINE_SEEDS", "FAULTLINE_FOR", "FAULTLINE_SEED_LIST", "FAULTLINE_BASE_SEED", "FAULTLINE_EXPLORE", "FAULTLINE_SCHEDULE", "FAULTLINE_REPLAY",
			"FAULTLINE_SHRINK_DIR", "FAULTLINE_COVERAGE_MERGE":
			return true
		}
		return false
	})
}

// inside returns the real place of a directory that must be within another one.
func inside(within, dir string) (string, error) {
	outer, err := filepath.Abs(within)
	if err == nil {
		outer, err = filepath.EvalSymlinks(outer)
	}
	if err != nil {
		return "", fmt.Errorf("--within: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(outer, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("the package is in %s, which is not within %s", real, outer)
	}
	return real, nil
}

// leadsOutside reports that a directory, which need not be there yet, would come
// to be outside of another one, because of a symbolic link on the way.
func leadsOutside(within, dir string) error {
	for {
		_, err := os.Lstat(dir)
		if err == nil {
			_, err = inside(within, dir)
			return err
		}
		parent := filepath.Dir(dir)
		if !os.IsNotExist(err) || parent == dir {
			return err
		}
		dir = parent
	}
}

// shellWord quotes a text for the shell where it needs it.
func shellWord(text string) string {
	home := strings.HasPrefix(text, "~") || strings.Contains(text, ":~") || strings.Contains(text, "=~")
	if text != "" && !home && !strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=+:,@%~", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
