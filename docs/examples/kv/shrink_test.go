package kv

import (
	"path/filepath"
	"testing"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/faultline/shrinktable"
)

// TestShrinkTable shrinks a failing seed of each planted bug and writes the rows
// of docs/reference/shrinking.md. That the faults by hand bring each bug out is
// what TestScripts shows.
func TestShrinkTable(t *testing.T) {
	var cases []shrinktable.Case
	for _, p := range plants() {
		opt, rules := p.setting()
		cases = append(cases, shrinktable.Case{
			Name: p.name, Options: opt, Check: p.check, ByHand: scripts()[p.name],
			Setup: func(w *faultline.World, random bool) {
				if random {
					setup(p.bugs, rules)(w)
				} else {
					setup(p.bugs, nil)(w)
				}
			},
		})
	}
	shrinktable.Table{Page: filepath.Join("..", "..", "reference", "shrinking.md"), Name: "kv"}.Measure(t, cases...)
}
