package faultline

import (
	"path/filepath"
	"strings"
	"testing"
)

// outdated deals with a pin whose schedule does not fit the setup, because a node
// that it names is called otherwise now, say. It is left out and named at the end, so
// that the other pins and the seeds run. A setup that is wrong without the pin too is
// left to the caller.
func (c *campaign) outdated(t *testing.T, j job, r recipe, wrong error) {
	t.Helper()
	if !j.pinned || r.replay == nil {
		return
	}
	r.replay, r.limit = nil, 1
	c.seedCrypto(t, r.seed)
	alone := r.execute(c.end)
	if alone.world == nil {
		c.dirty = true
		return
	}
	if alone.setup != nil {
		return
	}
	c.stale = append(c.stale, filepath.Base(j.from)+": "+wrong.Error())
	t.Skipf("faultline: %s is stale, it was not run: it does not fit the setup any more: %v", j.from, wrong)
}

// sayStale fails the test for pins that do not fit the setup any more: they would
// find nothing for ever.
func (c *campaign) sayStale() {
	c.t.Helper()
	if n := len(c.stale); n > 0 {
		c.t.Errorf("faultline: %s %s not run; write what the setup has now into the file, pin the failure anew, or remove the file\n\t%s",
			plural(n, "stale pin"), wasOrWere(n), strings.Join(c.stale, "\n\t"))
	}
}
