package faultline

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// TestScenario is no test of its own: other tests run it in a process of its
// own, as a user would run theirs, with SCENARIO naming one of the setups.
func TestScenario(t *testing.T) {
	name := os.Getenv("SCENARIO")
	if name == "" {
		return
	}
	s, ok := scenarios()[name]
	if !ok {
		t.Fatalf("no scenario %q", name)
	}
	if s.opt.Seeds == 0 {
		s.opt.Seeds = 2
	}
	if s.opt.Duration == 0 {
		s.opt.Duration = 2 * time.Second
	}
	t.Run(s.sub, func(t *testing.T) {
		if name == "reproduce" {
			Reproduce(t, &fault.Schedule{Test: "TestElse/it", Seed: 9, Duration: time.Second, Faults: []fault.Fault{
				{Kind: fault.Kill, At: 300 * time.Millisecond, For: 10 * time.Millisecond, Target: fault.Target{Nodes: []string{"n1"}}}}}, reproduced)
			return
		}
		Run(t, s.opt, func(w *World) { s.setup(t, w) })
		if name == "twice" {
			Run(t, s.opt, func(w *World) { s.setup(t, w) })
		}
	})
}

type scenario struct {
	opt   Options
	sub   string // name of the subtest that calls Run
	setup func(t *testing.T, w *World)
}

// echo answers each number with the next one; peers keep numbers going round.
type echo struct {
	kernel.Idle
	n     *Node
	peers []string
	timer *kernel.Timer
	seen  int
	hook  func(e *echo) // called for each message
}

func (e *echo) Start() {
	e.timer = e.n.NewTimer()
	e.timer.Reset(20 * time.Millisecond)
}

func (e *echo) Timer(t *kernel.Timer) {
	for _, p := range e.peers {
		if p != e.n.Name() {
			e.n.Send(p, e.seen)
		}
	}
	t.Reset(20 * time.Millisecond)
}

func (e *echo) Receive(from string, msg any) {
	e.seen++
	if e.hook != nil {
		e.hook(e)
	}
}

// cluster adds three echoes and a client, under all faults.
func cluster(w *World, hook func(e *echo)) []*Node {
	peers := []string{"n1", "n2", "n3"}
	servers := w.Servers(3, func(n *Node) kernel.Handler { return &echo{n: n, peers: peers, hook: hook} })
	w.Client("c1", func(c *Client) {
		for i := range 20 {
			op := c.Invoke("ping", i)
			c.Send(peers[c.Rand().IntN(3)], i)
			c.Sleep(50 * time.Millisecond)
			if i%3 == 0 {
				op.Unknown("timeout")
			} else {
				op.OK(i)
			}
		}
	})
	w.Faults(fault.Default())
	return servers
}

var packageState int // what a scenario leaves behind on purpose

// plain runs the cluster with a hook that is called for each message.
func plain(hook func(t *testing.T, w *World, e *echo)) func(*testing.T, *World) {
	return func(t *testing.T, w *World) { cluster(w, func(e *echo) { hook(t, w, e) }) }
}

// inHandler does f while a server handles its thirtieth message.
func inHandler(f func(t *testing.T)) func(*testing.T, *World) {
	return plain(func(t *testing.T, w *World, e *echo) {
		if e.seen == 30 {
			f(t)
		}
	})
}

// inProc does f in a client.
func inProc(f func(t *testing.T)) func(*testing.T, *World) {
	return func(t *testing.T, w *World) {
		cluster(w, nil)
		w.Client("bad", func(c *Client) {
			c.Sleep(300 * time.Millisecond)
			f(t)
		})
	}
}

// inCheck does f in an invariant, once a server has seen more than most.
func inCheck(most int, f func(t *testing.T, n *Node) error) func(*testing.T, *World) {
	return func(t *testing.T, w *World) {
		cluster(w, nil)
		w.Invariant("few messages", func(n *Node) error {
			if e, ok := programOf(n); ok && e.seen > most {
				return f(t, n)
			}
			return nil
		})
	}
}

// with runs the cluster and something else.
func with(f func(t *testing.T, w *World)) func(*testing.T, *World) {
	return func(t *testing.T, w *World) {
		cluster(w, nil)
		f(t, w)
	}
}

func scenarios() map[string]scenario {
	all := map[string]scenario{}
	for _, part := range []map[string]scenario{panicScenarios(), hangScenarios(), checkScenarios(), stateScenarios()} {
		maps.Copy(all, part)
	}
	return all
}

func panicScenarios() map[string]scenario {
	fatal := func(t *testing.T) { t.Fatal("planted fatal") }
	planted := func(*testing.T) { panic("planted panic") }
	return map[string]scenario{
		"panic-pointer": {setup: inHandler(func(*testing.T) {
			panic(fmt.Sprintf("planted %p", new(int)))
		})},
		"t-error":         {setup: inHandler(func(t *testing.T) { t.Error("planted error") })},
		"panic-handler":   {setup: inHandler(planted)},
		"panic-proc":      {setup: inProc(planted)},
		"panic-invariant": {setup: inCheck(30, func(*testing.T, *Node) error { panic("planted panic") })},
		"panic-final":     {setup: with(func(_ *testing.T, w *World) { w.Final("end", func() error { panic("planted panic") }) })},
		"final-nil":       {setup: with(func(_ *testing.T, w *World) { w.Final("end", func() error { return (*nilError)(nil) }) })},
		"panic-setup":     {setup: func(*testing.T, *World) { panic("planted panic") }},
		"fatal-handler":   {setup: inHandler(fatal)},
		"fatal-proc":      {setup: inProc(fatal)},
		"fatal-invariant": {setup: inCheck(30, func(t *testing.T, _ *Node) error { t.Fatal("planted fatal"); return nil })},
		"fatal-setup":     {setup: func(t *testing.T, _ *World) { t.Fatal("planted fatal") }},
	}
}

func hangScenarios() map[string]scenario {
	quick := Options{Timeout: 300 * time.Millisecond}
	return map[string]scenario{
		"loop":      {opt: quick, setup: inHandler(func(*testing.T) { spin() })},
		"slow-loop": {setup: inHandler(func(*testing.T) { spin() })},
		"channel":   {opt: quick, setup: inProc(func(*testing.T) { <-make(chan int) })},
		"channel-alone": {opt: quick, setup: func(_ *testing.T, w *World) {
			w.Client("c1", func(c *Client) {
				c.Sleep(time.Second)
				<-make(chan int)
			})
		}},
		"loop-setup": {opt: quick, setup: func(*testing.T, *World) { spin() }},
		"hang-final": {opt: quick, setup: with(func(_ *testing.T, w *World) { w.Final("end", func() error { spin(); return nil }) })},
		"limit":      {opt: Options{MaxEvents: 500}, setup: with(func(*testing.T, *World) {})},
	}
}

func checkScenarios() map[string]scenario {
	few := func(t *testing.T, n *Node) error { return fmt.Errorf("node %s has seen more than 30", n.Name()) }
	long := Options{Duration: 8 * time.Second}
	return map[string]scenario{
		"twice":            {setup: with(func(*testing.T, *World) {})},
		"pass":             {setup: with(func(*testing.T, *World) {})},
		"invariant":        {sub: "a (b)/c's", setup: inCheck(30, few)},
		"invariant-late":   {opt: long, setup: inCheck(300, few)},
		"invariant-mended": {opt: long, setup: inCheck(300, func(*testing.T, *Node) error { return nil })},
		"long-message":     {setup: inCheck(30, func(*testing.T, *Node) error { return errors.New(strings.Repeat("long ", 1<<20)) })},
		"stopped": {setup: with(func(_ *testing.T, w *World) {
			w.Final("end", func() error { return errors.New("planted end") })
			w.Sim().At(kernel.Time(time.Second), w.Sim().Stop)
		})},
		"closed": {setup: with(func(_ *testing.T, w *World) {
			w.Final("end", func() error { return errors.New("planted end") })
			w.Sim().Close()
		})},
		"t-error-going": {opt: Options{Duration: time.Second, Seeds: 4, KeepGoing: true}, setup: inHandler(func(t *testing.T) { t.Error("planted error") })},
		"keep-going":    {opt: Options{Duration: 4 * time.Second, Seeds: 5, KeepGoing: true}, setup: inCheck(60, few)},
		"final":         {setup: with(func(_ *testing.T, w *World) { w.Final("end", func() error { return errors.New("planted end") }) })},
		"judge":         {setup: with(func(_ *testing.T, w *World) { w.Judge("history", plantedJudge{}) })},
		"judge-lenient": {setup: with(func(_ *testing.T, w *World) { w.Judge("history", lenientJudge{}) })},
		"judge-nil":     {setup: with(func(_ *testing.T, w *World) { w.Judge("history", nil) })},
		"eventually": {setup: with(func(_ *testing.T, w *World) {
			w.Eventually("a leader", 300*time.Millisecond, func() error { return errors.New("no leader yet") })
		})},
		"sometimes": {opt: Options{RequireSometimes: true}, setup: with(func(_ *testing.T, w *World) {
			w.Sometimes("never", func() bool { return false })
			w.Sometimes("soon", func() bool { return true })
		})},
		"properties": {opt: Options{RequireSometimes: true, Seeds: 4}, setup: with(propertiesOf)},
		"always": {setup: with(func(_ *testing.T, w *World) {
			check := w.Always("small")
			w.Sim().At(kernel.Time(time.Second), func() { check(false, "%d is too large", 7) })
		})},
		"unreachable": {setup: with(func(_ *testing.T, w *World) {
			never := w.Unreachable("nowhere")
			w.Sim().At(kernel.Time(time.Second), func() { never("got there with %d", 7) })
		})},
		// It takes one crash and one lost message, no more.
		"crash-and-loss": {opt: Options{Duration: 12 * time.Second}, setup: with(crashAndLoss)},
		// The same, and each run takes a while.
		"slow-crash-and-loss": {opt: Options{Duration: 3 * time.Second}, setup: with(func(t *testing.T, w *World) {
			time.Sleep(25 * time.Millisecond)
			crashAndLoss(t, w)
		})},
		"reproduce":                 {},
		"nth-message":               {opt: Options{Duration: 4 * time.Second}, setup: nthMessage(0, 0, "the fourth is not there")},
		"nth-message-more":          {opt: Options{Duration: 4 * time.Second}, setup: nthMessage(2, 0, "the fourth is not there")},
		"nth-message-edited":        {opt: Options{Duration: 4 * time.Second}, setup: nthMessage(2, 50*time.Millisecond, "the fourth is not there")},
		"nth-message-other":         {opt: Options{Duration: 4 * time.Second}, setup: nthMessage(0, 0, "nobody knows where the fourth is")},
		"nth-message-edited-mended": {opt: Options{Duration: 4 * time.Second}, setup: nthMessage(2, 50*time.Millisecond, "")},
		"nth-message-mended":        {opt: Options{Duration: 4 * time.Second}, setup: nthMessage(0, 0, "")},
		"killed":                    {setup: killed(0, false)},
		"killed-late":               {setup: killed(100*time.Millisecond, false)},
		"killed-mended":             {setup: killed(0, true)},
		"user":                      {setup: plain(func(_ *testing.T, w *World, _ *echo) { w.Fail("my check", "planted %d", 7) })},
		"unknown-proc": {setup: with(func(_ *testing.T, w *World) {
			w.Client("bad", func(c *Client) { c.Sleep(300 * time.Millisecond); c.Send("n9", 1) })
		})},
		"unknown-node": {setup: plain(func(_ *testing.T, _ *World, e *echo) { e.n.Send("n9", 1) })},
		"wrong-setup": {setup: func(_ *testing.T, w *World) {
			w.Servers(2, func(n *Node) kernel.Handler { return &echo{n: n} })
			w.Server("n1", func(n *Node) kernel.Handler { return &echo{n: n} })
			w.Final("x", func() error { return nil })
			w.Invariant("x", func(*Node) error { return nil })
			w.Eventually("late", time.Hour, func() error { return nil })
		}},
		"pass-sub": {sub: "other", setup: with(func(*testing.T, *World) {})},
		"setup-calls": {setup: func(_ *testing.T, w *World) {
			n := w.Server("n1", func(n *Node) kernel.Handler { return &echo{n: n} })
			n.Send("n1", 1)
			n.AfterFunc(time.Second, func() {})
			n.Go("p", func(*kernel.Proc) {})
		}},
		"late-calls": {setup: plain(func(_ *testing.T, w *World, _ *echo) { w.Faults(fault.Default()) })},
		"idle": {setup: func(_ *testing.T, w *World) {
			w.Client("c", func(c *Client) { c.Invoke("get", 1).Unknown("never asked") })
		}},
	}
}

// crashAndLoss adds the crashes, the losses and the check.
func crashAndLoss(_ *testing.T, w *World) {
	w.Link("n1", "n3", simnet.Link{Loss: 20_000})
	w.Invariant("no loss after a crash", func(n *Node) error {
		if n != nil && n.Name() == "n2" && n.Boot() > 1 && w.Net().Stats().Dropped[simnet.DropLoss] > 0 {
			return fmt.Errorf("n2 is in boot %d and a message was lost", n.Boot())
		}
		return nil
	})
	w.Faults(fault.Rules{{Name: "crashes", Kind: fault.Kill, Every: 500 * time.Millisecond,
		For: fault.Span{Min: 50 * time.Millisecond, Max: 400 * time.Millisecond}, Target: fault.Target{Group: "servers"}}})
}

// reproduced has two subtests, of which a schedule is for one.
func reproduced(t *testing.T) {
	switch os.Getenv("REPRODUCED") {
	case "skips":
		t.Skip("set KV_ADDR")
	case "runs nothing":
		return
	}
	for _, name := range []string{"other", "it"} {
		t.Run(name, func(t *testing.T) {
			Run(t, Options{}, func(w *World) {
				cluster(w, nil)
				w.Invariant("no kill", func(n *Node) error {
					if n != nil && n.Boot() > 1 {
						return fmt.Errorf("%s is in boot %d", n.Name(), n.Boot())
					}
					return nil
				})
			})
		})
	}
}

// nthMessage fails when a message that says 4 is lost. Edited, two messages of
// another kind go before it. Without words for the failure it is mended.
func nthMessage(more int, later time.Duration, failure string) func(*testing.T, *World) {
	return func(_ *testing.T, w *World) {
		lost := func() bool { return w.Net().Stats().Dropped[simnet.DropLoss] > 0 }
		seen := map[int]bool{}
		hears := w.Server("n1", func(n *Node) kernel.Handler { return hear(func(v int) { seen[v] = true }) })
		w.Node("n2", func(n *Node) kernel.Handler {
			return kernel.Main(func(p *kernel.Proc) {
				for i := range 8 {
					if i == 2 {
						for extra := range more {
							n.Send("n1", 100+extra)
						}
						p.Sleep(later)
					}
					n.Send("n1", i+1)
					p.Sleep(100 * time.Millisecond)
				}
			})(n.Node)
		})
		w.Link("n2", "n1", simnet.Link{Loss: 300_000})
		w.Invariant("the fourth", func(n *Node) error {
			if failure != "" && n == hears && lost() && seen[5] && !seen[4] {
				return errors.New(failure)
			}
			return nil
		})
	}
}

// killed is a server that loses something if it is killed while n2 is at work, which
// begins after half a second, or that much later.
func killed(later time.Duration, mended bool) func(*testing.T, *World) {
	return func(_ *testing.T, w *World) {
		works, lost := false, false
		w.Server("n1", func(*Node) kernel.Handler {
			lost = lost || works && !mended
			return hear(func(int) {})
		})
		w.Node("n2", func(n *Node) kernel.Handler {
			return kernel.Main(func(p *kernel.Proc) {
				p.Sleep(500*time.Millisecond + later)
				works = true
				p.Sleep(20 * time.Millisecond)
				works = false
			})(n.Node)
		})
		w.Final("nothing is lost", func() error {
			if lost {
				return errors.New("n1 was killed while n2 was at work")
			}
			return nil
		})
	}
}

// hear is a program that only listens.
type hears struct {
	kernel.Idle
	to func(int)
}

func hear(f func(int)) kernel.Handler { return &hears{to: f} }

func (h *hears) Receive(_ string, msg any) { h.to(msg.(int)) }

// stateScenarios break the law of determinism.
func stateScenarios() map[string]scenario {
	return map[string]scenario{
		"package-state": {setup: plain(func(_ *testing.T, _ *World, e *echo) {
			packageState++
			e.n.Log("count", kernel.Int("n", int64(packageState)))
		})},
		"t-error-map-order": {setup: plain(func(t *testing.T, _ *World, e *echo) {
			for k := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8} {
				e.n.Log("key", kernel.Str("k", k))
				break
			}
			t.Error("planted error")
		})},
		"map-order": {setup: plain(func(_ *testing.T, _ *World, e *echo) {
			for k := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8} {
				e.n.Log("key", kernel.Str("k", k))
				break
			}
		})},
	}
}

// nilError is an error that cannot say what is wrong.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func programOf(n *Node) (*echo, bool) {
	if n == nil {
		return nil, false
	}
	return Program[*echo](n)
}

func spin() {
	for {
	}
}
