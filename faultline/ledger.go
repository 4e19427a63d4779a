package faultline

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Ledger knows what the system has acknowledged, and on how many disks each
// item can still be read. With unrestricted faults an item may be lost because
// no disk has it any more: the ledger tells that from a bug.
type Ledger struct {
	world    *World
	nodes    []*Node
	readable func(disk fs.FS, item string) bool
	acked    map[string]kernel.Time
}

// Verdict is what an answer about an acknowledged item means.
type Verdict uint8

// The verdicts.
const (
	// Kept: the item was there, or was never acknowledged.
	Kept Verdict = iota
	// Unavoidable: the item is lost, and no disk has it any more.
	Unavoidable
	// Refused: the system did not answer, and too few disks have the item for a
	// majority to know of it.
	Refused
	// Lost: the answer was wrong, or refused without need, while disks have the
	// item. It is a bug.
	Lost
)

// String returns the verdict as a word.
func (v Verdict) String() string {
	if v > Lost {
		return "unknown"
	}
	return [...]string{"kept", "unavoidable", "refused", "lost"}[v]
}

// Answer is what the system says about an item.
type Answer uint8

// The answers.
const (
	There   Answer = iota // it is there
	Missing               // it is not
	Nothing               // the system does not say: an error, or no answer in time
)

// Ledger returns a ledger of items that the disks of these nodes keep. readable
// reports whether an item can be read from what a disk holds durably, as
// recovery would; it must only look.
func (w *World) Ledger(readable func(disk fs.FS, item string) bool, nodes ...*Node) *Ledger {
	if readable == nil || len(nodes) == 0 {
		w.sim.Misuse(fmt.Errorf("faultline: Ledger needs a function that reads items, and at least one node"))
	}
	return &Ledger{world: w, nodes: nodes, readable: readable, acked: map[string]kernel.Time{}}
}

// Acknowledge notes that the system has promised to keep an item. Doing it again
// changes nothing.
func (l *Ledger) Acknowledge(item string) {
	if _, ok := l.acked[item]; !ok {
		l.acked[item] = l.world.sim.Now()
	}
}

// Copies returns the names of the nodes on whose disks the item can be read.
func (l *Ledger) Copies(item string) []string {
	var out []string
	for _, n := range l.nodes {
		if l.readable(n.Disk().Durable(), item) {
			out = append(out, n.Name())
		}
	}
	return out
}

// Judge says what an answer about an item means.
func (l *Ledger) Judge(item string, a Answer) Verdict {
	_, acked := l.acked[item]
	copies := len(l.Copies(item))
	switch {
	case !acked || a == There:
		return Kept
	case copies == 0:
		return Unavoidable
	case a == Nothing && copies <= len(l.nodes)/2:
		return Refused
	}
	return Lost
}

// Check is Judge for a check: its error says which disks have an item that is
// lost by a bug, and is nil otherwise.
func (l *Ledger) Check(item string, a Answer) error {
	if l.Judge(item, a) != Lost {
		return nil
	}
	copies := l.Copies(item)
	said := "the system says that it is not there"
	if a == Nothing {
		said = "the system does not answer"
	}
	return fmt.Errorf("%s was acknowledged at %v, and %s, although %d of %d disks have it: %s",
		item, time.Duration(l.acked[item]), said, len(copies), len(l.nodes), strings.Join(copies, ", "))
}
