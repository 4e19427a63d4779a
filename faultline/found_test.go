package faultline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

// What was found small before stays if a search, for want of time, finds nothing
// smaller.
func TestKeepsWhatWasFoundBefore(t *testing.T) {
	r, x := failing(t, shop(sevens))
	first, note := shrinkOf(r, x)
	if first == nil {
		t.Fatal(note)
	}
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure,
		budget: func() time.Duration { return 0 }, headStart: headStart{kept: first.after}}
	again, note := s.shrink()
	if again == nil || tallyOf(again.after) != tallyOf(first.after) {
		t.Errorf("left are %v, before it were %v (%s)", tallyOf(again.after), tallyOf(first.after), note)
	}
}

// So it is from one test run to the next, and for a search that is gone on with.
func TestArtifactKeepsTheSmallestSchedule(t *testing.T) {
	dir := runScenario(t, "crash-and-loss").dir(t)
	root := filepath.Dir(filepath.Dir(filepath.Dir(dir))) // of package, test and seed
	files := func() (all string) {
		for _, name := range []string{artifact.MinimalFile, "report.min.txt", "decided.svg"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		return all
	}
	before := files()
	small, err := os.ReadFile(filepath.Join(dir, artifact.MinimalFile))
	if err != nil {
		t.Fatal(err)
	}
	o := runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK_DIR="+dir, "FAULTLINE_SHRINK=1ms")
	o.wants(t, "no less than before; the artifact stays as it is")
	if files() != before {
		t.Error("a search that has found nothing new has changed the artifact")
	}
	runScenario(t, "crash-and-loss", "FAULTLINE_ARTIFACTS="+root, "FAULTLINE_SHRINK=1ms")
	if now, err := os.ReadFile(filepath.Join(dir, artifact.MinimalFile)); err != nil || leftIn(t, now) != leftIn(t, small) {
		t.Errorf("a short search has left %v in place of %v (%v)", leftIn(t, now), leftIn(t, small), err)
	}
}

func leftIn(t *testing.T, data []byte) string {
	t.Helper()
	s, err := fault.ParseSchedule(data, "schedule")
	if err != nil {
		t.Fatal(err)
	}
	return tallyOf(s).String()
}

// Other failures are told apart by what they say, not by their check alone.
func TestOtherFindings(t *testing.T) {
	s := &shrinker{failure: &kernel.Failure{Kind: KindFinal, Check: "kept", Message: "item 7 is lost"}, seen: map[string]bool{}}
	fails := func(message string) shrink.Verdict {
		return s.verdict(&execution{failure: &kernel.Failure{Kind: KindFinal, Check: "kept", Message: message}})
	}
	if fails("item 9 is lost") != shrink.Same || fails("the index is broken\nat 3") != shrink.Other ||
		fails("the list is longer than "+strings.Repeat("very ", 50)+"long") != shrink.Other || fails("the index is broken") != shrink.Other {
		t.Error("what is the same failure, and what another")
	}
	if len(s.others) != 2 || !strings.HasSuffix(s.others[0], ": the index is broken") || !strings.HasSuffix(s.others[1], "…") {
		t.Errorf("others: %q", s.others)
	}
}

// A run that ends in the same failure on another way each time is given up: what is
// left of its schedule would not replay it.
func TestReplaysWhatIsLeft(t *testing.T) {
	runs := 0
	r := shopRecipe(t, func(w *World) {
		w.Server("n1", func(n *Node) kernel.Handler {
			if n.Boot() > 1 {
				n.Log("again", kernel.Int("runs", int64(runs)))
				w.Fail("once", "it has started again")
			}
			return kernel.Idle{}
		})
		runs++
		w.Faults(fault.Rules{{Name: "kill", Kind: fault.Kill, Every: time.Second,
			For: fault.Span{Min: time.Millisecond, Max: 20 * time.Millisecond}, Target: fault.Target{Group: "servers"}}})
	}, 1)
	x := r.execute(time.Time{})
	if small, note := shrinkOf(r, x); small != nil || !strings.Contains(note, "given up") {
		t.Errorf("left is %v; %s", small, note)
	}
}

// Without a schedule there is nothing to replay or to shrink.
func TestNoSchedule(t *testing.T) {
	if _, err := Replay(Options{}, nil, shop(sevens)); err == nil {
		t.Error("nothing was replayed")
	}
	if _, err := Shrink(t, Options{}, nil, shop(sevens)); err == nil {
		t.Error("nothing was shrunk")
	}
}

// A search whose time was over does not claim to have come to its end, whatever it
// returns; what knows more of why is worth another artifact.
func TestKeptEndIsNoEndOfTheSearch(t *testing.T) {
	r, x := failing(t, shop(sevens))
	first, note := shrinkOf(r, x)
	if first == nil {
		t.Fatal(note)
	}
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure,
		budget: func() time.Duration { return 0 }, headStart: headStart{kept: first.after}}
	if again, note := s.shrink(); again == nil || again.complete {
		t.Errorf("it is said to be complete (%s)", note)
	}
	less, more := &artifact.Why{Reasons: make([]artifact.Reason, 1)}, &artifact.Why{Reasons: make([]artifact.Reason, 2)}
	if !knowsMore(more, less) || !knowsMore(less, nil) || knowsMore(less, more) || knowsMore(less, less) || knowsMore(nil, nil) {
		t.Error("what knows more of why")
	}
}
