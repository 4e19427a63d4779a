package faultline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// loadSchedule reads a schedule file.
func loadSchedule(path string) (*fault.Schedule, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory; name the schedule.json in it, or set %sREPLAY to the directory", path, envPrefix)
	case !info.Mode().IsRegular(): // a pipe could wait for ever, a device have no end
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > fault.MaxSchedule:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", path, info.Size(), fault.MaxSchedule)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, fault.MaxSchedule+1))
	if err != nil {
		return nil, err
	}
	s, err := fault.ParseSchedule(data, path)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// loadPins makes jobs of the pinned failures of a test, in the order of the
// file names: each .json file is a schedule, and each .seed file a list of
// seeds as FAULTLINE_SEED_LIST takes it.
func (p place) loadPins() ([]job, error) {
	dir := filepath.Join(p.dir, artifact.PinDir(p.test))
	entries, err := os.ReadDir(dir) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("faultline: pinned failures: %w", err)
	}
	var jobs []job
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch name := "pin=" + strings.TrimSuffix(e.Name(), filepath.Ext(path)); filepath.Ext(path) {
		case ".json":
			s, err := loadSchedule(path)
			if err != nil {
				return nil, fmt.Errorf("faultline: pinned failure: %w", err)
			}
			jobs = append(jobs, job{name: name, seed: s.Seed, replay: s, from: path, pinned: true, expect: s.Expect})
		case ".seed":
			seeds, err := parseSeedList("@" + path)
			if err != nil {
				return nil, fmt.Errorf("faultline: pinned seeds in %s: %w", path, err)
			}
			for _, seed := range seeds {
				jobs = append(jobs, job{name: name + "," + seedText(seed), seed: seed, pinned: true})
			}
		}
	}
	return jobs, nil
}

// asPinned reports whether a pin fails in the way that it was recorded with. One
// without a message is held to its check only.
func asPinned(e *fault.Expect, f *kernel.Failure) bool {
	return expects(e, f) || e.Site == "" && e.Kind == f.Kind && e.Check == f.Check
}

// otherThanPinned says that a pin fails otherwise than it expects. It is empty for one
// that fails as it did, and for runs of no pin.
func otherThanPinned(j job, f *kernel.Failure) string {
	e := j.expect
	if !j.pinned || e == nil || asPinned(e, f) {
		return ""
	}
	is := "this is not"
	if j.near { // it was looked for in the same check
		is = "this may not be"
	}
	return fmt.Sprintf("%s the failure that is pinned; whether that one is mended shows once this one is\n  %s expects %s\n  this is %s",
		is, filepath.Base(j.from), inShort(e.Kind, e.Check, e.Site), inShort(f.Kind, f.Check, site(f)))
}

// inShort tells a failure from others for people, with # for the values in its message.
func inShort(kind, check, site string) string {
	if check != kind {
		kind += fmt.Sprintf(" %q", check)
	}
	return kind + ": " + site
}

// pinFile returns the file in which a failure is to be pinned, named as the command
// faultline pin does: that of the pin that it comes from, or a new one. It is never
// one that is there for another failure.
func (p place) pinFile(j job, f *kernel.Failure) string {
	if j.pinned && j.replay != nil && (j.expect == nil || asPinned(j.expect, f)) {
		return j.from
	}
	dir, name := filepath.Join(p.dir, artifact.PinDir(p.test)), artifact.PinName(f.Check, j.seed)
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+".json")
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n))
		}
		s, err := loadSchedule(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && expects(s.Expect, f) {
			return path
		}
	}
}
