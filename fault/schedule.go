package fault

import (
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Version is the version of schedule.json that this package reads and writes.
const Version = 1

// Schedule is everything random that happened in a run, beyond what its seed
// says by default: the faults, and the choices that were not the default. A
// run that is given the unedited schedule of another has the same trace hash.
type Schedule struct {
	// Test is the full name of the test, Package its import path; both are for
	// the reader.
	Test, Package string
	// Seed is the seed of the run.
	Seed uint64
	// Duration is the virtual time that the run was to last.
	Duration time.Duration
	// Quiet is when the quiet phase began; 0 means that there was none.
	Quiet time.Duration
	// Shrunk says that this is what shrinking has left of a longer one.
	Shrunk bool
	// Faults are the planned faults, in the order of their times.
	Faults []Fault
	// Choices are the fates of messages and disk operations that were not the
	// default, in the order in which they were decided.
	Choices []kernel.Choice
	// Expect is the failure that the run ended with; nil when it passed.
	Expect *Expect
}

// The choices that stand for something else than a fate: operations of clients
// are work/<client>/op, how they draw work/<client>/plain, and what the whole
// run shares is below run/.
const (
	work, operation, plain, shared = "work/", "/op", "/plain", "run/"
)

// Count counts the entries of a schedule as people see them: faults, choices that
// are the fate of a message, of a disk operation or of the setup, and operations
// of clients. What the whole run shares is no entry.
func (s *Schedule) Count() (faults, choices, operations int) {
	for _, c := range s.Choices {
		_, client := strings.CutPrefix(c.Point, work)
		switch {
		case client && strings.HasSuffix(c.Point, operation):
			operations++
		case client && strings.HasSuffix(c.Point, plain), strings.HasPrefix(c.Point, shared):
		default:
			choices++
		}
	}
	return len(s.Faults), choices, operations
}

// Expect is the failure that a schedule leads to.
type Expect struct {
	Kind  string        // kind of failure
	Check string        // name of the check
	Site  string        // normalised place or message, see the signature of a failure
	Time  time.Duration // virtual time
	Event uint64        // number of the event
	Hash  string        // hash of the whole trace, in hexadecimal; empty if no recording reached the failure
}
