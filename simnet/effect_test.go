package simnet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// ask sends a message over every link and returns those links, in order, that
// let it through, as "ab ba".
func (c *cluster) ask(names ...string) string {
	var open []string
	before := c.net.Stats().Dropped[DropCut]
	for _, a := range names {
		for _, b := range names {
			if a == b {
				continue
			}
			c.send(a, b, "ask")
			if now := c.net.Stats().Dropped[DropCut]; now == before {
				open = append(open, a+b)
			} else {
				before = now
			}
		}
	}
	return strings.Join(open, " ")
}

func (c *cluster) wantOpen(when, want string, names ...string) {
	c.t.Helper()
	if got := c.ask(names...); got != want {
		c.t.Errorf("%s: open links are %q, want %q", when, got, want)
	}
}

func TestCutsOverlapAndHealApart(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b", "c")
	c.at(1, func() {
		all := "ab ac ba bc ca cb"
		one := c.net.Cut(Pair{"a", "b"})
		c.wantOpen("one way", "ac ba bc ca cb", "a", "b", "c")
		two, err := c.net.Isolate("a")
		if err != nil {
			t.Fatal(err)
		}
		c.wantOpen("isolated too", "bc cb", "a", "b", "c")
		two.Undo()
		c.wantOpen("isolation undone", "ac ba bc ca cb", "a", "b", "c")
		three, err := c.net.Partition([]string{"a"}, []string{"b"})
		if err != nil {
			t.Fatal(err)
		}
		one.Undo()
		c.wantOpen("partition of two, c is in no group", "ac bc ca cb", "a", "b", "c")
		three.Undo()
		three.Undo()
		c.wantOpen("all undone", all, "a", "b", "c")
		c.net.Cut(Outbound("a"))
		c.net.Cut(Inbound("c"))
		c.wantOpen("out and in", "ba ca cb", "a", "b", "c")
		c.net.Heal()
		c.wantOpen("healed", all, "a", "b", "c")
		if one.Met() != 3 || two.Met() != 4 || three.Met() != 2+0 {
			t.Errorf("effects met %d, %d and %d messages; want 3, 4 and 2", one.Met(), two.Met(), three.Met())
		}
	})
	c.run()
}

func TestPartitionGroups(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b", "c", "d")
	c.at(1, func() {
		bridge, err := c.net.Partition([]string{"a", "c"}, []string{"b", "c"})
		if err != nil {
			t.Fatal(err)
		}
		c.wantOpen("c is a bridge, d in no group", "ac ad bc bd ca cb cd da db dc", "a", "b", "c", "d")
		bridge.Undo()
		var single [][]string
		for _, name := range []string{"a", "b", "c", "d"} {
			single = append(single, []string{name})
		}
		for range 100 { // many groups
			single = append(single, nil)
		}
		if _, err := c.net.Partition(append(single[4:], single[:4]...)...); err != nil {
			t.Fatal(err)
		}
		c.wantOpen("everyone alone", "", "a", "b", "c", "d")
	})
	c.run()
}

func TestMessagesInFlightSurviveACut(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(10 * ms)}, "a", "b")
	c.at(1, func() { c.send("a", "b", "before") })
	var cut *Effect
	c.at(2, func() { cut = c.net.Cut(Both("a", "b")...) })
	c.at(3, func() { c.send("a", "b", "during") })
	c.at(4, func() { cut.Undo() })
	c.at(5, func() { c.send("a", "b", "after") })
	c.run()
	c.wantGot("b", "a:before", "a:after")
}

func TestDegradationsAddUp(t *testing.T) {
	c := newCluster(t, kernel.Config{Seed: 5}, Config{Link: fixed(ms)}, "a", "b")
	slow := c.net.Degrade([]Pair{{"a", "b"}}, Change{Latency: 10 * ms})
	lossy := c.net.Degrade([]Pair{{Any, Any}}, Change{Loss: 600_000})
	worse := c.net.Degrade([]Pair{{"a", "b"}}, Change{Loss: 600_000, Duplicate: 500_000, Latency: 20 * ms})
	never := c.net.Degrade([]Pair{{"b", "a"}}, Change{Duplicate: million})
	c.on = func(_, _ string, msg any) {
		if took := c.sim.Now().Sub(msg.(kernel.Time)); took != 11*ms {
			t.Errorf("a message took %v with only the slow effect left, want 11ms", took)
		}
	}
	c.at(1, func() {
		for range 10 {
			c.send("a", "b", c.sim.Now())
		}
	})
	c.at(2, func() {
		lossy.Undo()
		worse.Undo()
		for range 7 {
			c.send("a", "b", c.sim.Now())
		}
	})
	c.run()
	if got := c.net.Stats().Dropped[DropLoss]; got != 10 {
		t.Errorf("two losses of 60%% lost %d of 10 messages; together they are always", got)
	}
	if slow.Met() != 7 || lossy.Met() != 10 || worse.Met() != 10 || never.Met() != 0 {
		t.Errorf("effects met %d, %d, %d, %d messages; want 7, 10, 10, 0", slow.Met(), lossy.Met(), worse.Met(), never.Met())
	}
}

func TestLongDelayOfADegradation(t *testing.T) {
	c := newCluster(t, kernel.Config{Seed: 5}, Config{Link: Link{Latency: ms, LongDelay: 10 * ms}}, "a", "b")
	e := c.net.Degrade([]Pair{{"a", "b"}}, Change{Delay: million, LongDelay: 5000 * ms})
	late := 0
	c.on = func(_, _ string, msg any) {
		if c.sim.Now().Sub(msg.(kernel.Time)) > 1000*ms {
			late++
		}
	}
	c.at(1, func() {
		for range 1000 {
			c.send("a", "b", c.sim.Now())
		}
	})
	c.run()
	if late < 750 || late > 850 || e.Met() != 1000 {
		t.Errorf("%d of 1000 messages were over 1 s late and the effect met %d; want about 800 and 1000", late, e.Met())
	}
}

func TestLinksFollowTheirSettings(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(ms)}, "a", "b")
	c.on = func(to, _ string, msg any) {
		c.got[to] = append(c.got[to][:len(c.got[to])-1], fmt.Sprint(c.sim.Now().Sub(msg.(kernel.Time))))
	}
	both := func() { c.send("a", "b", c.sim.Now()); c.send("b", "a", c.sim.Now()) }
	set := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	c.at(100, both)
	c.at(200, func() { set(c.net.SetLink("a", "b", fixed(7*ms))); both() })
	c.at(300, func() { set(c.net.SetDefault(fixed(3 * ms))); both() })
	c.run()
	c.wantGot("b", "1ms", "7ms", "7ms")
	c.wantGot("a", "1ms", "1ms", "3ms")
}
