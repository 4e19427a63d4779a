package faultline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
)

// maxSchedule is the size of the largest schedule file that is read.
const maxSchedule = 64 << 20

// loadSchedule reads a schedule file.
func loadSchedule(path string) (*fault.Schedule, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("faultline: schedule: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("faultline: schedule %s is a directory; name the schedule.json in it, or set %sREPLAY to the directory", path, envPrefix)
	case info.Size() > maxSchedule:
		return nil, fmt.Errorf("faultline: schedule %s has %d bytes; at most %d are read", path, info.Size(), maxSchedule)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("faultline: schedule: %w", err)
	}
	return fault.ParseSchedule(data, path)
}

// loadPins makes a job of each pinned failure of a test, in the order of the
// file names. A pin is a schedule file; one that has neither faults nor
// choices is a pinned seed.
func loadPins(test string) ([]job, error) {
	dir := artifact.PinDir(test)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("faultline: pinned failures: %w", err)
	}
	var jobs []job
	for _, e := range entries {
		name, isPin := strings.CutSuffix(e.Name(), ".json")
		if !isPin || e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		s, err := loadSchedule(path)
		if err != nil {
			return nil, err
		}
		j := job{name: "pin=" + name, seed: s.Seed, replay: s, from: path, pinned: true, expect: s.Expect}
		if len(s.Faults) == 0 && len(s.Choices) == 0 {
			j.replay = nil
		}
		jobs = append(jobs, j)
	}
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.name, b.name) })
	return jobs, nil
}
