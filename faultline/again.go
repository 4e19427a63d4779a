package faultline

import (
	"fmt"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// shrunkBefore says where what is replayed is small already, so that it is not
// shrunk again unless FAULTLINE_SHRINK asks for it. It is empty for a failure that
// has not been shrunk.
func (c *campaign) shrunkBefore(j job, f *kernel.Failure) string {
	again := fmt.Sprintf("%sSHRINK=%v shrinks it again", envPrefix, defaultShrink)
	switch {
	case c.env.shrink != 0 || j.near:
		return ""
	case j.replay != nil && j.replay.Shrunk && expects(j.replay.Expect, f):
		return "this schedule is what shrinking has left; " + again
	}
	small := c.smallOf(j)
	if small == "" {
		return ""
	}
	s, err := loadSchedule(small)
	if err != nil || !expects(s.Expect, f) {
		return ""
	}
	return fmt.Sprintf("before, to %v in %s; %s", tallyOf(s), small, again)
}

// smallOf returns where the shrunk schedule of a replay is, if there is one: beside
// the schedule, in the artifact, or in that of the seed.
func (c *campaign) smallOf(j job) string {
	switch {
	case j.pinned:
		return ""
	case c.env.replay != "":
		return filepath.Join(j.from, artifact.MinimalFile)
	case j.replay != nil && filepath.Base(j.from) == artifact.ScheduleFile:
		return filepath.Join(filepath.Dir(j.from), artifact.MinimalFile)
	case c.env.seed != nil && c.opt.Artifacts != "off":
		key := artifact.Key{Package: c.place.pkg, Test: c.place.test, Seed: j.seed}
		return filepath.Join(c.artifactRoot(), key.Dir(), artifact.MinimalFile)
	}
	return ""
}

// expects reports whether a schedule was recorded with a failure like f.
func expects(e *fault.Expect, f *kernel.Failure) bool {
	return e != nil && e.Kind == f.Kind && e.Check == f.Check && e.Site == site(f)
}
