package txn

import (
	"path/filepath"
	"testing"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/faultline/shrinktable"
)

// TestShrinkTable shrinks a failing seed of each planted bug and writes the rows
// of docs/reference/shrinking.md.
func TestShrinkTable(t *testing.T) {
	shrinktable.Table{Page: filepath.Join("..", "..", "reference", "shrinking.md"), Name: "txn"}.Measure(t, shrinkCases()...)
}

// TestByHand shows that transactions bring each bug out without any fault.
func TestByHand(t *testing.T) {
	for _, c := range shrinkCases() {
		t.Run(c.Name, c.ProveByHand)
	}
}

func shrinkCases() []shrinktable.Case {
	var cases []shrinktable.Case
	for _, p := range plants() {
		cases = append(cases, shrinktable.Case{
			Name: p.name, Options: options(), Check: "isolation",
			Setup: func(w *faultline.World, random bool) {
				system(p.bugs, p.judge())(w)
				if random {
					w.Faults(faults())
				}
			},
		})
	}
	return cases
}
