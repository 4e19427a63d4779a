// Package bugs holds bugs of public systems as small tests, one in each folder:
// a few dozen lines of a node with the mistake and, by one field, without it; a
// script of faults that brings the mistake out every time; and random faults
// that find it.
//
// Each folder can be read alone. Its package text says what happened in the
// real system, in our own words and as far as the report tells, and where the
// report is. The systems are scaled down to what the mistake needs, and times
// are virtual. All of the mistakes named here have been dealt with by the
// projects long ago.
//
//	go test ./docs/examples/bugs/...                           # finds all of them
//	BUGGY=1 go test -run '/buggy' ./docs/examples/bugs/wal-dir-fsync   # shows what finding it looks like
//	FAULTLINE_SEEDS=5000 go test -run '/mended' ./docs/examples/bugs/wal-dir-fsync
//
// A [Case] is what a folder has to say about its bug, and how it is tested.
// The few words that the examples share are a request and its answer ([Call],
// [PutEach], [Lost]), a value in a file ([Save], [Load]), a log of records ([Log],
// [Records]), and what comes after a crash ([ServeAgain], [AfterRecovery]).
package bugs

import (
	"os"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
)

// Case is a bug as a test.
type Case struct {
	Name   string // the mistake: the name of the folder
	Report string // whose it was, with the address of the public report, as Markdown
	Needs  string // what has to happen for it to be seen, in a few words
	Check  string // the check that it breaks

	Options faultline.Options // of its runs
	// Setup builds the system, with the mistake or mended, and its checks. It
	// adds no faults.
	Setup func(w *faultline.World, mended bool)

	// Script are the faults that bring it out every time.
	Script []fault.Fault
	// Story are words that the story of the script's failure must have: the
	// node, the fault, and the operation.
	Story []string

	// Within is the number of seeds that are enough for fault.Default to find it.
	Within int
}

// scriptSeeds is how many seeds a script is tried with: it must work with all.
const scriptSeeds = 3

// Test tests a case, in parts:
//
//   - calm: without faults the bug does no harm.
//   - script: the script brings the bug out, whatever the seed, and the mended
//     system stands it.
//   - random: the random faults find the bug.
//   - mended: the mended system stands the random faults.
//   - buggy, when BUGGY is set or something is replayed: fails as a user's test
//     would.
func (c Case) Test(t *testing.T) {
	t.Run("calm", func(t *testing.T) {
		for seed := range uint64(scriptSeeds) {
			if out := c.once(t, seed, func(w *faultline.World) { c.Setup(w, false) }); out.Failure != nil {
				t.Errorf("seed %d: the buggy system fails without any fault: %v", seed, out.Failure)
			}
		}
	})
	t.Run("script", func(t *testing.T) {
		for seed := range uint64(scriptSeeds) {
			c.findsByScript(t, seed)
		}
	})
	t.Run("random", func(t *testing.T) {
		if first, _ := c.search(t, c.Within, true); first == 0 {
			t.Errorf("no seed from 1 to %d fails the check %q", c.Within, c.Check)
		}
	})
	t.Run("mended", func(t *testing.T) { faultline.Run(t, c.Options, c.random(true)) })
	t.Run("buggy", func(t *testing.T) {
		for _, name := range []string{"BUGGY", "FAULTLINE_SEED", "FAULTLINE_SCHEDULE", "FAULTLINE_REPLAY"} {
			if os.Getenv(name) != "" {
				opt := c.Options
				opt.Seeds = c.Within
				faultline.Run(t, opt, c.random(false))
				return
			}
		}
		t.Skip("fails by intention; BUGGY=1 runs it")
	})
}

// scripted is the system under the scripted faults.
func (c Case) scripted(mended bool) func(w *faultline.World) {
	return func(w *faultline.World) {
		c.Setup(w, mended)
		w.Script(c.Script...)
	}
}

// random is the system under the default faults.
func (c Case) random(mended bool) func(w *faultline.World) {
	return func(w *faultline.World) {
		c.Setup(w, mended)
		w.Faults(fault.Default())
	}
}

// findsByScript demands that the script makes the check fail, that the story of
// the failure names what matters, and that the mended system passes.
func (c Case) findsByScript(t *testing.T, seed uint64) {
	t.Helper()
	out := c.once(t, seed, c.scripted(false))
	if !c.found(out) {
		t.Fatalf("seed %d: the script does not bring the bug out: the run ended with %v", seed, out.Failure)
	}
	story, err := out.Story()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(story, "\n")
	for _, word := range append(c.Story, c.Check) {
		if !strings.Contains(text, word) {
			t.Errorf("seed %d: the story does not say %q:\n%s", seed, word, text)
		}
	}
	if seed == 0 {
		t.Log(text)
	}
	if out := c.once(t, seed, c.scripted(true)); out.Failure != nil {
		t.Errorf("seed %d: the mended system fails: %v", seed, out.Failure)
	}
}

// search runs the buggy system with random faults and the seeds 1 to n. It
// returns the first seed that fails the check, 0 if none does, and how many do;
// with stop it ends at the first.
func (c Case) search(t *testing.T, n int, stop bool) (first, found int) {
	t.Helper()
	for i := 1; i <= n; i++ {
		if !c.found(c.once(t, uint64(i), c.random(false))) {
			continue
		}
		if found++; first == 0 {
			first = i
		}
		if stop {
			break
		}
	}
	return first, found
}

func (c Case) once(t *testing.T, seed uint64, setup func(w *faultline.World)) faultline.Outcome {
	t.Helper()
	out, err := faultline.Once(c.Options, seed, setup)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c Case) found(out faultline.Outcome) bool {
	return out.Failure != nil && out.Failure.Check == c.Check
}
