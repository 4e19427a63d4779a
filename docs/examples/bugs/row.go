package bugs

import (
	"fmt"
	"testing"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/faultline/shrinktable"
)

// searched is how many seeds the figures of the table are taken from.
const searched = 200

// Head is the head of the table of cases, as Markdown.
const Head = "| bug | report | needs | check | script | default faults | mended |\n" +
	"|---|---|---|---|---|---|---|\n"

// Row measures a case and returns its row of the table: whether the script finds
// the bug, how often random faults do and with which seed first, and that the
// mended system stands the random faults of the seeds 1 to n.
func (c Case) Row(t *testing.T, n int) string {
	t.Helper()
	byScript := 0
	for seed := range uint64(scriptSeeds) {
		if c.found(c.once(t, seed, c.scripted(false))) {
			byScript++
		}
	}
	random := c.seeds(t)
	if err := c.stands(t, n); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %d of %d | %s | passes %d |", c.About(), byScript, scriptSeeds, random, n)
}

// Shrinks is the case for the table of what shrinking comes to.
func (c Case) Shrinks() shrinktable.Case {
	return shrinktable.Case{Name: c.Name, Options: c.Options, Check: c.Check, ByHand: c.Script,
		Setup: func(w *faultline.World, random bool) {
			c.Setup(w, false)
			if random {
				w.Faults(fault.Default())
			}
		}}
}

// About is the part of a row that is not measured.
func (c Case) About() string {
	return fmt.Sprintf("| [%s](%s) | %s | %s | %s |", c.Name, c.Name, c.Report, c.Needs, c.Check)
}

// seeds says how many of the first seeds find the bug, and which is the first.
func (c Case) seeds(t *testing.T) string {
	t.Helper()
	first, found := c.search(t, searched, false)
	if found == 0 {
		return fmt.Sprintf("0 of %d", searched)
	}
	return fmt.Sprintf("%d of %d, first %d", found, searched, first)
}

// stands runs the mended system with random faults and the seeds 1 to n, up to
// the first that fails.
func (c Case) stands(t *testing.T, n int) error {
	t.Helper()
	for i := 1; i <= n; i++ {
		if out := c.once(t, uint64(i), c.random(true)); out.Failure != nil {
			return fmt.Errorf("%s: seed %d of the mended system: %w", c.Name, i, out.Failure)
		}
	}
	return nil
}
