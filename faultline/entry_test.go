package faultline

import (
	"testing"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Users name what the setup draws and the points of their code, also like something
// of ours.
func TestEntriesOfNamesLikeOurs(t *testing.T) {
	s := &fault.Schedule{Choices: []kernel.Choice{
		{Point: "setup/log/plain", Value: 3}, {Point: "code/n1/slow/plain", N: 1, Value: 1}, {Point: "setup/delay", Value: 800},
		{Point: workPrefix + "c1" + opSuffix, N: 2, Value: 5}, {Point: workPrefix + "c1" + plainSuffix, N: 2, Value: 1},
	}}
	all := entriesOf(s)
	if got := len(scheduleOf(s, all).Choices); len(all) != 5 || got != len(s.Choices) {
		t.Errorf("%d entries that make %d choices, want 5 and %d", len(all), got, len(s.Choices))
	}
	for _, e := range all {
		if e.choice != nil && e.choice.Point == "setup/delay" {
			if weaker := e.weaker(nil); len(weaker) != 2 || weaker[0].choice.Value != 400 || weaker[1].choice.Value != 799 {
				t.Errorf("a number that the setup draws gets weaker as %v", weaker)
			}
		}
	}
}
