package faultline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// record returns the recording run of a failure. A run that hangs is recorded
// up to the event that hangs; one that comes out differently becomes a
// determinism failure.
func (c *campaign) record(t *testing.T, r recipe, x *execution) *execution {
	t.Helper()
	hung := x.hung != ""
	c.dirty = c.dirty || hung
	if hung && x.events <= 1 && !x.final {
		return x // it hangs before there is anything to record
	}
	r.level, r.measure, r.content = kernel.LevelFull, true, true
	switch {
	case x.final:
		r.limit = x.events
	case hung:
		r.limit = x.events - 1
	case x.failure.Kind == KindLimit:
		r.limit = min(x.events, limitTrace) // the beginning shows what multiplies
	}
	c.seedCrypto(t, r.seed)
	full := r.execute(c.end)
	switch {
	case full.hung != "" || x.failure.Kind == KindDeterminism || x.failure.Kind == KindLimit:
	case hung:
		x.failure.Time = full.result.Time
		if n := full.next; n.known && !x.final {
			x.failure.Time, x.failure.Node, full.result.Time = n.at, n.node, n.at
			if n.proc != "" {
				event := fmt.Sprintf("event %d ", x.events)
				x.failure.Message = strings.Replace(x.failure.Message, event, event+fmt.Sprintf("in the proc %q ", n.proc), 1)
			}
		}
	case x.failure.Kind == KindError && full.result.Hash == x.result.Hash:
		full.failure = x.failure
	case full.result.Hash != x.result.Hash && sameButForText(x, full):
		x.failure.Message += "\n(two runs of this seed differ in this text only: it holds an address, or something else that is not simulated)"
	case full.result.Hash != x.result.Hash:
		c.undetermined(t, r, x)
	}
	return full
}

// limitTrace is how many events of a run that needed too many are recorded.
const limitTrace = 100_000

// sameButForText reports whether two runs ended with the same failure at the
// same event, so that only its text can differ.
func sameButForText(a, b *execution) bool {
	f, g := a.failure, b.failure
	return f != nil && g != nil && f.Message != g.Message && f.Kind == g.Kind && f.Check == g.Check && f.Event == g.Event &&
		site(f) == site(g) && a.world.sim.RecordCount() == b.world.sim.RecordCount()
}

// missed names the entries of a schedule that did not come up again.
func missed(s *fault.Schedule, x *execution) []string {
	var missed []string
	for i, f := range x.world.injector.Faults() {
		if was := s.Faults[i].Outcome; was == fault.Fired && f.Outcome != fault.Fired {
			missed = append(missed, "fault "+f.ID)
		}
	}
	for _, c := range x.world.sim.UnmetChoices() {
		if _, mark := isPlain(c); mark || isShape(c) {
			continue // no entry of its own
		}
		missed = append(missed, fmt.Sprintf("choice %s number %d", c.Point, c.N))
	}
	return missed
}

// replayed says how many entries of a schedule came up again.
func replayed(s *fault.Schedule, x *execution) string {
	missed, total := missed(s, x), tallyOf(s).all()
	text := fmt.Sprintf("replayed %d of %d entries", total-len(missed), total)
	if len(missed) == 0 {
		return text
	}
	const most = 10
	shown := missed[:min(len(missed), most)]
	text += fmt.Sprintf("; %d met nothing: %s", len(missed), strings.Join(shown, ", "))
	if len(missed) > most {
		text += fmt.Sprintf(" and %d more", len(missed)-most)
	}
	return text
}
