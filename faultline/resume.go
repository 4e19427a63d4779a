package faultline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// resumed is an artifact whose shrinking goes on.
type resumed struct {
	dir       string
	variant   string          // of its run
	signature string          // of the failure
	command   string          // that replays it
	small     *fault.Schedule // found before, nil if there is none
	why       *artifact.Why   // what is known of it, may be nil
}

// planShrink makes the job that goes on shrinking the schedule of an artifact.
// Nothing else of the test is run.
func (c *campaign) planShrink(dir string) (jobs, error) {
	a, err := artifact.Read(dir)
	if err != nil {
		return jobs{}, fmt.Errorf("faultline: %sSHRINK_DIR: %w", envPrefix, err)
	}
	r := a.Report
	if r.Test != c.place.test {
		c.notMine(fmt.Sprintf("%s is an artifact of %s", dir, r.Test))
	}
	if a.Schedule == nil || r.Failure == nil {
		return jobs{}, fmt.Errorf("faultline: %sSHRINK_DIR: %s has no failure with a schedule, so there is nothing to shrink", envPrefix, dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return jobs{}, err
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	if key := (artifact.Key{Package: r.Package, Test: r.Test, Seed: uint64(r.Seed), Variant: r.Variant}); filepath.Join(root, key.Dir()) != dir {
		return jobs{}, fmt.Errorf("faultline: %sSHRINK_DIR: %s is not where its test leaves it; move it to <any directory>/%s", envPrefix, dir, key.Dir())
	}
	c.opt.Artifacts = root
	j := job{name: "shrink=" + r.Seed.String(), seed: uint64(r.Seed), replay: a.Schedule, from: dir, expect: a.Schedule.Expect,
		resume: &resumed{dir: dir, variant: r.Variant, signature: r.Signature, command: r.Replay.Command, why: r.Why}}
	if slices.ContainsFunc(r.Files, func(f artifact.File) bool { return f.Name == artifact.MinimalFile }) {
		j.resume.small, err = loadSchedule(filepath.Join(dir, artifact.MinimalFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return jobs{}, fmt.Errorf("faultline: %sSHRINK_DIR: %w", envPrefix, err)
		}
	}
	return jobs{first: []job{j}}, nil
}

// goOn shrinks what is left of an artifact's schedule. The artifact is replaced
// when there is a result, and not before.
func (c *campaign) goOn(t *testing.T, j job, r recipe, full *execution, f *kernel.Failure) {
	t.Helper()
	if got := signature(f); got != j.resume.signature {
		t.Errorf("faultline: the run does not fail as it was recorded: now it is %q, it was %q", got, j.resume.signature)
		return
	}
	memory := readMemory(j.resume.dir, signature(f))
	defer memory.keepIn(j.resume.dir)()
	small, note := c.shrinkFailure(t, r, full, f, headStart{memory: memory, earlier: j.resume.small})
	if small == nil {
		if note == "" {
			note = "there is nothing to gain"
		}
		memory.say(note)
		t.Error("faultline: shrunk: " + note)
		return
	}
	memory.say(small.text())
	if was := j.resume.small; was != nil && sameEntries(small.after, was) && !knowsMore(small.why, j.resume.why) {
		t.Log("faultline: " + small.text() + "          no less than before; the artifact stays as it is\n")
		return
	}
	left := c.leaveArtifact(t, j, full, f, small)
	if left.err != nil {
		t.Errorf("faultline: the artifact cannot be written: %v", left.err)
		return
	}
	t.Log("faultline: " + small.text())
}

// knowsMore reports whether more runs were made for why than for what was known.
func knowsMore(why, was *artifact.Why) bool {
	answers := func(w *artifact.Why) int {
		if w == nil {
			return 0
		}
		return len(w.Reasons) + len(w.Moments)
	}
	return answers(why) > answers(was)
}

// sameEntries reports whether two schedules take the same of a run.
func sameEntries(a, b *fault.Schedule) bool {
	return a.Seed == b.Seed && slices.EqualFunc(entriesOf(a), entriesOf(b), func(x, y entry) bool { return x.key() == y.key() })
}
