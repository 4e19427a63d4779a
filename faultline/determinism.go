package faultline

import (
	"fmt"
	"iter"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

const suspects = `likely suspects: a range over a map, time.Now or time.Sleep, math/rand or crypto/rand without a seed,
goroutines and channels of the code under test, a pointer or %p as a key or in a message, and state that
outlives a run (a package variable, a cache, a file)`

// twice says which of the seeds that pass are run again, to see that they come
// out as they did.
type twice uint8

const (
	firstSeed twice = iota // the first one: a test that is not deterministic mostly shows it in each
	everySeed
	noSeed
)

func (w twice) asks(j job) bool { return w == everySeed || w == firstSeed && j.lead }

// describeDifference says where two runs of one seed part, given two runs that
// kept their records, and what the first one was seen to differ from.
func describeDifference(first, a, b *execution) string {
	if a.world == nil || b.world == nil {
		return "one of two runs of this seed did not end; " + suspects
	}
	if diff := firstDifference(a.world.sim, b.world.sim); diff != "" {
		return diff + "\n" + suspects
	}
	at := checkpointDifference(first.world.sim, a.world.sim)
	return fmt.Sprintf("the first run of this seed differs from the second and third, which agree; it parts from them %s.\n"+
		"Something that the first run left behind changed the later ones; %s", at, suspects)
}

// firstDifference compares two full traces; empty means that they are equal.
func firstDifference(a, b *kernel.Sim) string {
	nextA, stopA := iter.Pull(a.Records())
	defer stopA()
	nextB, stopB := iter.Pull(b.Records())
	defer stopB()
	for {
		ra, okA := nextA()
		rb, okB := nextB()
		la, lb := recordLine(ra, okA), recordLine(rb, okB)
		if la != lb {
			r := ra
			if !okA {
				r = rb
			}
			return fmt.Sprintf("two runs of this seed part at record %d:\n\tone run:     %s\n\tthe other:   %s\n%s", r.Index, la, lb, whereabouts(r))
		}
		if !okA {
			return ""
		}
	}
}

// whereabouts names the node and the cause of a record.
func whereabouts(r kernel.Record) string {
	node := "no node"
	if r.Node != "" {
		node = fmt.Sprintf("node %s, boot %d", r.Node, r.Boot)
	}
	return fmt.Sprintf("in event %d at %v, on %s, caused by event %d", r.Event, r.Time, node, r.Cause)
}

// recordLine renders a record for people, in one line, as the hash has it.
func recordLine(r kernel.Record, ok bool) string {
	if !ok {
		return "(the trace has ended)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v event %d <- %d", r.Time, r.Event, r.Cause)
	if r.Node != "" {
		fmt.Fprintf(&b, " %s/%d", r.Node, r.Boot)
	}
	b.WriteString(" " + r.Kind)
	for _, a := range r.Attrs {
		if a.Key == "content" && strings.HasPrefix(r.Kind, "net/") {
			continue // it is kept beside the trace, in some runs
		}
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value())
	}
	return b.String()
}

// checkpointDifference says between which records the hashes of two runs part.
func checkpointDifference(a, b *kernel.Sim) string {
	other := map[uint64]uint64{}
	for _, c := range b.Checkpoints() {
		other[c.Records] = c.Digest
	}
	agreed := uint64(0)
	for _, c := range a.Checkpoints() {
		d, ok := other[c.Records]
		if ok && d != c.Digest {
			return fmt.Sprintf("between records %d and %d", agreed, c.Records)
		}
		if ok {
			agreed = c.Records
		}
	}
	return fmt.Sprintf("after record %d", agreed)
}
