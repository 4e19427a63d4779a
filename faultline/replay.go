package faultline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
)

// planReplay makes the job that replays an artifact directory: its seed, its
// schedule and the options that shape a run, with a warning for what differs
// from when it was made.
func (c *campaign) planReplay(dir string) (jobs, error) {
	a, err := artifact.Read(dir)
	if err != nil {
		return jobs{}, fmt.Errorf("faultline: %sREPLAY: %w", envPrefix, err)
	}
	r := a.Report
	if r.Test != c.place.test {
		c.notMine(fmt.Sprintf("%s is an artifact of %s", dir, r.Test))
	}
	c.warnIfChanged("the version of faultline", r.Faultline, Version)
	c.warnIfChanged("the version of Go", minorOf(r.Go), minorOf(runtime.Version()))
	c.warnIfChanged("the test binary", short(r.Binary), short(binaryHash()))
	c.warnIfChanged("the package", r.Package, c.place.pkg)
	now := map[string]string{}
	for _, s := range c.opt.settings() {
		now[s.Name] = s.Value
	}
	for _, s := range r.Options {
		if is, known := now[s.Name]; known { // the rest is what the setup says of itself
			c.warnIfChanged("Options."+s.Name, s.Value, is)
		}
	}
	j := job{name: "replay=" + r.Seed.String(), seed: uint64(r.Seed), from: dir}
	if a.Schedule != nil {
		if err := a.Schedule.Validate(); err != nil {
			return jobs{}, fmt.Errorf("faultline: %sREPLAY: %s: %w", envPrefix, filepath.Join(dir, artifact.ScheduleFile), err)
		}
		j.replay, j.expect = a.Schedule, a.Schedule.Expect
	}
	return jobs{first: []job{j}}, nil
}

func (c *campaign) warnIfChanged(what, was, is string) {
	if was != is {
		c.t.Logf("faultline: warning: %s has changed since the artifact was made: it was %s and is %s; the run may differ", what, was, is)
	}
}

// binaryHash returns the SHA-256 of the running executable in hexadecimal, or
// nothing if it cannot be read.
func binaryHash() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// short cuts a hash to what people compare.
func short(hash string) string { return hash[:min(len(hash), 12)] }

// minorOf cuts a Go version such as go1.26.8 to its minor version.
func minorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}
