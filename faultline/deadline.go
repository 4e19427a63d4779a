package faultline

import (
	"fmt"
	"testing"
	"time"
)

// giveUp returns when runs must be given up so that they can still be reported
// before go test kills the process; the zero time if it does not.
func giveUp(t *testing.T) time.Time {
	d, ok := t.Deadline()
	if !ok {
		return time.Time{}
	}
	return d.Add(-min(time.Until(d)/5, 5*time.Second))
}

// outOfTime reports whether the next seed may not end before the deadline.
func (c *campaign) outOfTime() bool {
	return !c.end.IsZero() && time.Now().Add(2*c.sum.longest).After(c.end)
}

// cutShort says that the deadline has come after n jobs.
func (c *campaign) cutShort(n int) string {
	if c.endless() {
		return fmt.Sprintf("faultline: only %v of %sFOR=%v could be used, for %d runs: the test's deadline is near; raise go test -timeout, or lower %[2]sFOR",
			time.Since(c.begun).Round(time.Second), envPrefix, c.env.lasting, n)
	}
	return fmt.Sprintf("faultline: only %d of %s were run: the test's deadline is near; raise go test -timeout, or lower %sSEEDS", n, plural(c.jobs.len(), "seed"), envPrefix)
}

// timed reports whether FAULTLINE_FOR gives the sweep a time.
func (c *campaign) timed() bool { return c.env.lasting > 0 && c.env.shrinkDir == "" }

// endless reports whether nothing but that time ends it.
func (c *campaign) endless() bool { return c.timed() && c.env.seeds == 0 }

// fits reports that the time that FAULTLINE_FOR gives is over after the deadline
// of go test, so that the sweep could not end well.
func (c *campaign) fits() error {
	if !c.endless() || c.end.IsZero() || time.Now().Add(c.env.lasting).Before(c.end) {
		return nil
	}
	return fmt.Errorf("faultline: %sFOR=%v does not fit before the test's deadline: runs must be over in %v; raise go test -timeout (it is 10m by default and 0 lifts it), or lower %[1]sFOR",
		envPrefix, c.env.lasting, time.Until(c.end).Round(time.Second))
}

// enough reports whether the time for the sweep is over before job i. One seed is
// run at least, and pins are not counted as seeds.
func (c *campaign) enough(i int) bool {
	return c.timed() && i > len(c.jobs.first) && time.Since(c.begun) >= c.env.lasting
}

// sayHowMany says how far a sweep of a given time has come, as the numbers that
// make the same sweep again.
func (c *campaign) sayHowMany() {
	c.t.Helper()
	n := c.sum.runs - c.sum.pins
	if !c.timed() || n < 1 {
		return
	}
	first, every, _ := c.env.shardOf(mostSeeds)
	c.t.Logf("faultline: %s in %v (%sFOR=%v); %[3]sSEEDS=%[5]d runs the same ones", plural(n, "seed"),
		time.Since(c.begun).Round(10*time.Millisecond), envPrefix, c.env.lasting, first+(n-1)*every+1)
}
