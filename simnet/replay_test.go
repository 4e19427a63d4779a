package simnet

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// gossip is a run in which every kind of choice is made: messages depend on
// those received before, links are lossy and cut for a while.
func gossip(t *testing.T, kc kernel.Config) *cluster {
	t.Helper()
	l := Link{Loss: 30_000, Duplicate: 30_000, Delay: 30_000, LongDelay: 50 * ms}
	c := newCluster(t, kc, Config{Link: l}, "a", "b", "c", "d")
	names := []string{"a", "b", "c", "d"}
	c.on = func(to, from string, msg any) {
		if n := msg.(int); n > 0 {
			c.send(to, names[(int(to[0])+n)%4], n-1)
		}
	}
	for i := range 30 {
		c.at(1+i, func() { c.send(names[i%4], names[(i+1)%4], 12) })
	}
	c.at(10, func() { c.net.Degrade([]Pair{Outbound("b")}, Change{Loss: 100_000, Latency: ms}) })
	var cut *Effect
	c.at(20, func() { cut = c.net.Cut(Both("c", "d")...) })
	c.at(25, func() { c.node("d").Kill(); c.node("d").Start() })
	c.at(40, func() { cut.Undo() })
	c.run()
	return c
}

func TestReplayGivesTheSameHash(t *testing.T) {
	for seed := range uint64(20) {
		a := gossip(t, kernel.Config{Seed: seed, Level: kernel.LevelFull})
		given := slices.Clone(a.sim.Choices())
		if len(given) < 5 {
			t.Fatalf("seed %d made only %d choices", seed, len(given))
		}
		b := gossip(t, kernel.Config{Seed: seed, Level: kernel.LevelFull, Replay: given})
		if a.sim.Hash() != b.sim.Hash() {
			t.Fatalf("seed %d: the replay differs: %s", seed, firstDifference(a.text(), b.text()))
		}
		if a.net.Stats() != b.net.Stats() || !slices.Equal(given, b.sim.Choices()) || len(b.sim.UnmetChoices()) > 0 {
			t.Errorf("seed %d: statistics or choices differ; unmet: %v", seed, b.sim.UnmetChoices())
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %q and %q", i+1, x[i], y[i])
		}
	}
	return "one is longer"
}

// stream sends numbered messages over several links on a fixed plan, so that
// a choice can change nothing but its own message. It returns the times at
// which each arrived.
func stream(t *testing.T, kc kernel.Config, skip string) (*cluster, map[string][]string) {
	t.Helper()
	c := newCluster(t, kc, Config{Link: Link{Loss: 50_000, Duplicate: 50_000, Delay: 50_000}}, "a", "b", "c")
	arrivals := map[string][]string{}
	c.on = func(to, from string, msg any) {
		key := fmt.Sprintf("%s>%s/%v", from, to, msg)
		arrivals[key] = append(arrivals[key], c.sim.Now().String())
	}
	for i := 1; i <= 60; i++ {
		for _, l := range []string{"a>b", "b>a", "a>c"} {
			if skip != fmt.Sprintf("%s/%d", l, i) {
				c.at(i, func() { c.send(l[:1], l[2:], i) })
			}
		}
	}
	c.run()
	return c, arrivals
}

func TestRemovingAChoiceShiftsNoOther(t *testing.T) {
	c, whole := stream(t, kernel.Config{Seed: 4, Level: kernel.LevelFull}, "")
	made := c.sim.Choices()
	if len(made) < 15 {
		t.Fatalf("only %d choices", len(made))
	}
	for i, ch := range made {
		kc := kernel.Config{Seed: 4, Replay: slices.Delete(slices.Clone(made), i, i+1)}
		_, less := stream(t, kc, "")
		link := strings.Split(ch.Point, "/")[1]
		wantOnly(t, ch.Point, whole, less, fmt.Sprintf("%s/%d", link, ch.N))
	}
}

// wantOnly checks that two runs differ in the arrivals of one message only.
func wantOnly(t *testing.T, what string, a, b map[string][]string, key string) {
	t.Helper()
	differ := false
	for k := range a {
		if !slices.Equal(a[k], b[k]) {
			differ = true
			if k != key {
				t.Errorf("without %s of %s, %s arrives at %v instead of %v", what, key, k, b[k], a[k])
			}
		}
	}
	for k := range b {
		if a[k] == nil {
			differ = true
			if k != key {
				t.Errorf("without %s of %s, %s arrives at %v instead of never", what, key, k, b[k])
			}
		}
	}
	if !differ {
		t.Errorf("without %s of %s nothing changed", what, key)
	}
}

// A message that is not sent leaves all others as they were, but those of its own
// link that are sent soon after it, which are named by their places there.
func TestRemovingAMessageLeavesTheOthers(t *testing.T) {
	_, whole := stream(t, kernel.Config{Seed: 4}, "")
	for at := 1; at <= 60; at++ {
		skipped := fmt.Sprintf("a>b/%d", at)
		_, less := stream(t, kernel.Config{Seed: 4}, skipped)
		soon := 0
		for i := at; i <= 60 && kernel.Soon*(time.Duration(at)*ms/kernel.Soon+1) > time.Duration(i)*ms; i++ {
			soon++
		}
		changed := 0
		for k, v := range whole {
			if slices.Equal(v, less[k]) || k == skipped {
				continue
			}
			changed++
			if n, err := strconv.Atoi(strings.TrimPrefix(k, "a>b/")); err != nil || n < at || n >= at+soon {
				t.Errorf("without %s, %s arrives at %v instead of %v", skipped, k, less[k], v)
			}
		}
		if changed >= soon && soon > 3 {
			t.Errorf("without %s, all %d that are soon after it are others", skipped, changed)
		}
	}
}

// Choices that are given find their messages by name, also when a message is not sent
// that was before them on their link.
func TestGivenChoicesFindTheirMessages(t *testing.T) {
	c, _ := stream(t, kernel.Config{Seed: 4, Level: kernel.LevelFull}, "")
	made := slices.Clone(c.sim.Choices())
	less, _ := stream(t, kernel.Config{Seed: 4, Level: kernel.LevelFull, Replay: made}, "a>b/1")
	found, moved := 0, 0
	for _, was := range made {
		if was.Of == 0 {
			t.Fatalf("%+v has no name", was)
		}
		if was.Time <= kernel.Time(kernel.Soon) {
			continue // it can be that message's, or one that is named after it
		}
		is := slices.IndexFunc(less.sim.Choices(), func(c kernel.Choice) bool { return c.Point == was.Point && c.Of == was.Of })
		if is < 0 || less.sim.Choices()[is].Time != was.Time || less.sim.Choices()[is].Value != was.Value {
			t.Errorf("%+v is not found", was)
			continue
		}
		if found++; less.sim.Choices()[is].N != was.N {
			moved++
		}
	}
	if found < 10 || moved < 3 {
		t.Errorf("%d choices are found, %d of them at other numbers", found, moved)
	}
	for i := range made {
		made[i].Of = 0
	}
	if by, _ := stream(t, kernel.Config{Seed: 4, Level: kernel.LevelFull, Replay: made}, "a>b/1"); slices.Equal(less.sim.Choices(), by.sim.Choices()) {
		t.Error("by their numbers they are found at the same messages")
	}
}

func TestUnmetChoicesAreReported(t *testing.T) {
	given := []kernel.Choice{
		{Point: "net/a>b/drop", N: 1, Value: 1},
		{Point: "net/a>b/drop", N: 999_999, Value: 1},
		{Point: "net/a>x/drop", N: 1, Value: 1},
	}
	c := gossip(t, kernel.Config{Replay: given})
	if got := c.sim.UnmetChoices(); !slices.Equal(got, given[1:]) {
		t.Errorf("unmet choices are %v, want %v", got, given[1:])
	}
	if got := c.net.Stats(); got.Dropped[DropLoss] != 1 || got.Duplicated != 0 || got.Delayed != 0 {
		t.Errorf("a replay of one drop has %+v", got)
	}
}

func TestGivenChoicesOfEachKind(t *testing.T) {
	given := []kernel.Choice{
		{Point: "net/a>b/drop", N: 1, Value: 1},
		{Point: "net/a>b/dup", N: 2, Value: 3},
		{Point: "net/a>b/delay", N: 3, Value: int64(40 * ms)},
	}
	c := newCluster(t, kernel.Config{Replay: given}, Config{Link: fixed(10 * ms)}, "a", "b")
	e := c.net.Degrade([]Pair{{"a", "b"}}, Change{Loss: 1, Duplicate: 1})
	c.on = func(to, _ string, msg any) { c.got["at"] = append(c.got["at"], fmt.Sprint(msg, "@", c.sim.Now())) }
	c.at(1, func() {
		for i := 1; i <= 4; i++ {
			c.send("a", "b", i)
		}
	})
	c.run()
	slices.Sort(c.got["at"])
	c.wantGot("at", "2@0.011s", "2@0.011s", "2@0.011s", "2@0.011s", "3@0.051s", "4@0.011s")
	if e.Met() != 2 {
		t.Errorf("the degradation met %d messages, want the dropped and the duplicated one", e.Met())
	}
}

func TestImpossibleChoices(t *testing.T) {
	for what, want := range map[string]string{
		"drop":  "simnet: the choice given for message 1 at net/a>b/drop is -1; it must be between 1 and 1",
		"dup":   "simnet: the choice given for message 1 at net/a>b/dup is -1; it must be between 1 and 15",
		"delay": "simnet: the choice given for message 1 at net/a>b/delay is -1; it must be between 1 and 31536000000000000",
	} {
		given := []kernel.Choice{{Point: "net/a>b/" + what, N: 1, Value: -1}}
		c := newCluster(t, kernel.Config{Replay: given}, Config{}, "a", "b")
		c.at(1, func() { c.send("a", "b", 1) })
		c.run()
		if f := c.sim.Failure(); f == nil || f.Message != want {
			t.Errorf("%s: failure is %v, want %s", what, f, want)
		}
	}
}

func TestDeterminism(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 50
	}
	want := gossip(t, kernel.Config{Seed: 77}).sim.Hash()
	for range runs {
		if got := gossip(t, kernel.Config{Seed: 77}).sim.Hash(); got != want {
			t.Fatalf("hash is %x, was %x", got, want)
		}
	}
	if full := gossip(t, kernel.Config{Seed: 77, Level: kernel.LevelFull}).sim.Hash(); full != want {
		t.Errorf("at LevelFull the hash is %x, else %x", full, want)
	}
	if other := gossip(t, kernel.Config{Seed: 78}).sim.Hash(); other == want || other == sha256.Sum256(nil) {
		t.Error("another seed has the same hash")
	}
}
