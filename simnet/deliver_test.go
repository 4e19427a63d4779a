package simnet

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func TestFIFONeverReorders(t *testing.T) {
	for _, fifo := range []bool{true, false} {
		l := Link{Latency: ms, Jitter: 20 * ms, FIFO: fifo, Loss: 50_000, Duplicate: 100_000, Delay: 50_000, LongDelay: 200 * ms}
		c := newCluster(t, kernel.Config{Seed: 3}, Config{Link: l}, "a", "b")
		last, disorder := -1, 0
		c.on = func(_, _ string, msg any) {
			if msg.(int) < last {
				disorder++
			}
			last = max(last, msg.(int))
		}
		for i := range 500 {
			c.at(1+i, func() {
				for j := range 4 {
					c.send("a", "b", 4*i+j)
				}
			})
		}
		c.run()
		if fifo && disorder > 0 {
			t.Errorf("a FIFO link delivered %d messages before earlier ones", disorder)
		}
		if !fifo && disorder < 500 {
			t.Errorf("a link with 20 ms of jitter reordered only %d of 2000 messages", disorder)
		}
	}
}

// A link that becomes FIFO must not let new messages overtake those on it.
func TestFIFOBeginsBehindWhatIsInFlight(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(100 * ms)}, "a", "b")
	c.at(1, func() { c.send("a", "b", 1) })
	c.at(2, func() {
		if err := c.net.SetLink("a", "b", Link{Latency: ms, FIFO: true}); err != nil {
			t.Error(err)
		}
		c.send("a", "b", 2)
	})
	c.run()
	c.wantGot("b", "a:1", "a:2")
}

func TestLatencyStaysWithinItsBounds(t *testing.T) {
	c := newCluster(t, kernel.Config{Seed: 9}, Config{}, "a", "b")
	low, high := time.Hour, time.Duration(0)
	c.on = func(_, _ string, msg any) {
		took := c.sim.Now().Sub(msg.(kernel.Time))
		low, high = min(low, took), max(high, took)
	}
	for i := range 5000 {
		c.at(i+1, func() { c.send("a", "b", c.sim.Now()) })
	}
	c.run()
	if low < ms || low > ms+10*time.Microsecond || high > 5*ms || high < 5*ms-10*time.Microsecond {
		t.Errorf("default links took from %v to %v; want nearly all of 1ms to 5ms", low, high)
	}
}

func TestChancesAreAsOftenAsAsked(t *testing.T) {
	const sent = 50_000
	l := Link{Latency: ms, Loss: 100_000, Duplicate: 200_000, Delay: 50_000}
	c := newCluster(t, kernel.Config{Seed: 1, Level: kernel.LevelFull}, Config{Link: l}, "a", "b")
	c.at(1, func() {
		for i := range sent {
			c.send("a", "b", i)
		}
	})
	c.run()
	s := c.net.Stats()
	near := func(what string, got, want uint64) {
		if got < want*95/100 || got > want*105/100 {
			t.Errorf("%s: %d, want about %d", what, got, want)
		}
	}
	near("lost", s.Dropped[DropLoss], sent/10)
	near("duplicated", s.Duplicated, sent*9/10/5)
	near("delayed", s.Delayed, sent*9/10/20)
	counts := map[string]uint64{}
	for _, ch := range c.sim.Choices() {
		counts[ch.Point]++
	}
	if counts["net/a>b/drop"] != s.Dropped[DropLoss] || counts["net/a>b/dup"] != s.Duplicated || counts["net/a>b/delay"] != s.Delayed {
		t.Errorf("choices %v do not match the counts %+v", counts, s)
	}
}

func TestAlwaysAndNever(t *testing.T) {
	c := newCluster(t, kernel.Config{Seed: 1}, Config{Link: Link{Latency: ms, Duplicate: million}}, "a", "b")
	if err := c.net.SetLink("b", "a", Link{Loss: million}); err != nil {
		t.Fatal(err)
	}
	c.at(1, func() {
		for i := range 100 {
			c.send("a", "b", i)
			c.send("b", "a", i)
		}
	})
	c.run()
	if len(c.got["b"]) != 200 || len(c.got["a"]) != 0 {
		t.Errorf("b received %d copies and a %d; want 200 and 0", len(c.got["b"]), len(c.got["a"]))
	}
}

func TestCrashesWithMessagesInFlight(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(10 * ms)}, "a", "b")
	c.at(1, func() { c.send("a", "b", "sender dies"); c.node("a").Kill() })
	c.at(2, func() { c.send("a", "b", "not sent at all") })
	c.at(20, func() { c.node("a").Start() })
	c.at(30, func() { c.send("a", "b", "receiver is down"); c.node("b").Kill() })
	c.at(50, func() { c.node("b").Start() })
	c.at(60, func() { c.send("a", "b", "old"); c.node("b").Kill(); c.node("b").Start() })
	c.run()
	c.wantGot("b", "a:sender dies", "a:old")
	if s := c.net.Stats(); s.Sent != 3 || s.Dropped[DropNodeDown] != 1 {
		t.Errorf("stats %+v, want 3 sent and 1 dropped because of node-down", s)
	}
}

func TestDropStale(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(10 * ms), DropStale: true}, "a", "b")
	c.at(1, func() { c.send("a", "b", "old"); c.node("b").PowerLoss(); c.node("b").Start() })
	c.at(2, func() { c.send("a", "b", "new") })
	c.run()
	c.wantGot("b", "a:new")
	if got := c.net.Stats().Dropped[DropStale]; got != 1 {
		t.Errorf("%d messages were dropped as stale, want 1", got)
	}
}

func TestPausedNodesGetTheirMessagesLater(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(10 * ms)}, "a", "b", "c")
	c.at(1, func() { c.node("b").Pause(); c.node("c").Pause() })
	for i := range 4 {
		c.at(10+i, func() { c.send("a", "b", i); c.send("a", "c", i) })
	}
	c.at(50, func() { c.wantGot("b"); c.node("b").Resume(); c.node("c").Kill() })
	c.run()
	c.wantGot("b", "a:0", "a:1", "a:2", "a:3")
	c.wantGot("c")
	if got := c.net.Stats().Dropped[DropNodeDown]; got != 4 {
		t.Errorf("%d messages to the paused and killed node were dropped, want 4", got)
	}
}

func TestLoopback(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: Link{Loss: million}}, "a", "b")
	c.at(1, func() {
		c.net.Cut(Pair{Any, Any})
		c.send("a", "a", "self")
		c.send("a", "b", "other")
	})
	c.at(50, func() {
		c.net.Cut(Pair{"a", "a"})
		c.send("a", "a", "cut by name")
	})
	c.run()
	c.wantGot("a", "a:self")
	c.wantGot("b")
}

func TestDeliveriesAreCausedByTheirSend(t *testing.T) {
	c := newCluster(t, kernel.Config{Level: kernel.LevelFull}, Config{Link: Link{Duplicate: million}}, "a", "b")
	c.on = func(to, from string, msg any) {
		if n := msg.(int); n < 5 {
			c.send(to, from, n+1)
		}
	}
	c.at(1, func() { c.send("a", "b", 1) })
	c.run()
	sent := map[string]uint64{}
	deliveries := 0
	for r := range c.sim.Records() {
		id, _ := r.Get("id")
		switch r.Kind {
		case "net/send":
			sent[r.Node+id.Value()] = r.Event
		case "net/deliver":
			deliveries++
			from, _ := r.Get("from")
			if want := sent[from.Value()+id.Value()]; r.Cause != want || want == 0 {
				t.Errorf("record %d: message %s from %s has cause %d, want %d", r.Index, id.Value(), from.Value(), r.Cause, want)
			}
		}
	}
	if deliveries != 2+4+8+16+32 {
		t.Errorf("%d deliveries, want 62", deliveries)
	}
}
