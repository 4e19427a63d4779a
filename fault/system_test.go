package fault

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
)

// chatter is a small system to hit: every node sends to every other one each
// 10 ms, and each node appends to a file and syncs it.
type chatter struct {
	kernel.Idle
	n      *kernel.Node
	port   *simnet.Port
	vol    *simdisk.Volume
	peers  []string
	timer  *kernel.Timer
	log    *simdisk.File
	got    int
	failed int // syncs
	full   int // appends
}

func (c *chatter) Start() {
	c.timer = c.n.NewTimer()
	c.timer.Reset(10 * time.Millisecond)
	c.log, _ = c.vol.OpenFile("log", 0x42|0x400, 0o600) // create, read and write, append
	c.vol.SyncDir(".")
}

func (c *chatter) Receive(string, any) {
	c.got++
	c.n.Point("received")
}

func (c *chatter) Timer(t *kernel.Timer) {
	for _, p := range c.peers {
		if p != c.n.Name() {
			c.port.Send(p, c.got)
		}
	}
	if c.log != nil {
		if _, err := c.log.Append([]byte("entry")); err != nil {
			c.full++
		}
		c.log.SyncThen(func(err error) {
			if err != nil {
				c.failed++
			}
		})
	}
	t.Reset(10 * time.Millisecond)
}

// system is a run of chatters.
type system struct {
	sim   *kernel.Sim
	net   *simnet.Network
	disks *simdisk.Disks
	in    *Injector
	nodes []*kernel.Node
	ports []*simnet.Port
}

func newSystem(t testing.TB, cfg kernel.Config, count int) *system {
	t.Helper()
	return newSystemAnd(t, cfg, count, 0)
}

// newSystemAnd also has chatters that are no servers: c1, c2, ...
func newSystemAnd(t testing.TB, cfg kernel.Config, count, clients int) *system {
	t.Helper()
	s := &system{sim: kernel.New(cfg)}
	var err error
	if s.net, err = simnet.New(s.sim, simnet.Config{}); err != nil {
		t.Fatal(err)
	}
	if s.disks, err = simdisk.New(s.sim, simdisk.Config{}); err != nil {
		t.Fatal(err)
	}
	s.in = NewInjector(System{Sim: s.sim, Net: s.net, Disks: s.disks})
	var peers []string
	for i := range count {
		peers = append(peers, fmt.Sprintf("n%d", i+1))
	}
	for i := range clients {
		peers = append(peers, fmt.Sprintf("c%d", i+1))
	}
	for i, name := range peers {
		n := s.sim.AddNode(name, func(n *kernel.Node) kernel.Handler {
			return &chatter{n: n, port: s.ports[i], vol: s.disks.Volume(n), peers: peers}
		})
		p, err := s.net.Attach(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.disks.Attach(n); err != nil {
			t.Fatal(err)
		}
		s.ports, s.nodes = append(s.ports, p), append(s.nodes, n)
	}
	s.in.Group("servers", s.nodes[:count]...)
	s.in.Role("first", func(n *kernel.Node) bool { return n.Name() == "n1" })
	return s
}

// planSeed is a run of the default rules; the schedule that it returns holds
// all that happened.
func planSeed(t testing.TB, seed uint64, rules Rules) (*Schedule, string) {
	t.Helper()
	s := newSystemAnd(t, kernel.Config{Seed: seed, Level: kernel.LevelFull}, 3, 1)
	faults, _, err := Plan(s.sim.Stream("plan"), rules, 3*time.Second, s.in.Known())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.in.Arm(faults, Options{Quiet: 3 * time.Second, Budget: true}); err != nil {
		t.Fatal(err)
	}
	hash := s.run(t, 4*time.Second)
	return &Schedule{Seed: seed, Duration: 4 * time.Second, Quiet: 3 * time.Second, Faults: s.in.Faults(), Choices: s.sim.Choices()}, hash
}

// replay runs a schedule.
func replay(t testing.TB, sch *Schedule) (*system, string) {
	t.Helper()
	choices := append([]kernel.Choice{}, sch.Choices...)
	s := newSystemAnd(t, kernel.Config{Seed: sch.Seed, Level: kernel.LevelFull, Replay: choices}, 3, 1)
	if err := s.in.Arm(sch.Faults, Options{Quiet: sch.Quiet}); err != nil {
		t.Fatal(err)
	}
	return s, s.run(t, sch.Duration)
}

func (s *system) run(t testing.TB, d time.Duration) string {
	t.Helper()
	r := s.sim.RunFor(d)
	s.sim.Close()
	if s.sim.Err() != nil || s.sim.Failure() != nil {
		t.Fatal(s.sim.Err(), s.sim.Failure())
	}
	return hex.EncodeToString(r.Hash[:])
}

// busy draws many faults in a short time.
func busy() Rules {
	rules := Default()
	for i := range rules {
		rules[i].Every /= 6
		rules[i].For.Max /= 3
		rules[i].For.Max = max(rules[i].For.Max, rules[i].For.Min)
	}
	return rules
}
