package query

import (
	"fmt"
	"iter"
	"sort"

	"github.com/hmdsefi/faultline/kernel"
)

// Records is a trace as [artifact.Artifact.Records] gives it.
type Records = iter.Seq2[kernel.Record, error]

// Causes returns the chain of events that ended in an event: the one that
// scheduled it, the one that scheduled that, and so on, and itself.
func Causes(records Records, event uint64) (map[uint64]bool, error) {
	type link struct{ event, cause uint64 }
	var links []link // in the order of the events
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		if r.Event > event {
			break
		}
		if n := len(links); n == 0 || links[n-1].event != r.Event {
			links = append(links, link{r.Event, r.Cause})
		}
	}
	if n := len(links); n == 0 || links[n-1].event != event {
		return nil, unknown(event)
	}
	chain := map[uint64]bool{}
	for at := event; at > 0 && !chain[at]; {
		chain[at] = true
		i := sort.Search(len(links), func(i int) bool { return links[i].event >= at })
		if i == len(links) || links[i].event != at {
			break // an event without a record
		}
		at = links[i].cause
	}
	return chain, nil
}

// Effects returns the events that an event led to by scheduling them, directly
// or through others, and itself.
func Effects(records Records, event uint64) (map[uint64]bool, error) {
	led := map[uint64]bool{}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		if r.Event == event || r.Cause > 0 && led[r.Cause] {
			led[r.Event] = true
		}
	}
	if !led[event] {
		return nil, unknown(event)
	}
	return led, nil
}

func unknown(event uint64) error {
	return fmt.Errorf("no record is of event %d; take one from the event column", event)
}
