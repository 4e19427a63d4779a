package simnet

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// burstOf sends count messages from a to b, one every gap, and returns when
// each arrived; copies that arrive later are added behind.
func burstOf(t *testing.T, seed uint64, l Link, count int, gap time.Duration) (*cluster, map[int][]time.Duration) {
	t.Helper()
	c := newCluster(t, kernel.Config{Seed: seed}, Config{Link: l}, "a", "b")
	took := map[int][]time.Duration{}
	c.on = func(_, _ string, msg any) {
		i := msg.(int)
		took[i] = append(took[i], c.sim.Now().Sub(0)-ms-time.Duration(i)*gap)
	}
	next := 0
	var tick func()
	tick = func() {
		c.send("a", "b", next)
		if next++; next < count {
			c.sim.After(gap, tick)
		}
	}
	c.at(1, tick)
	c.run()
	return c, took
}

// What happens to a message follows from the seed and its name alone, so it
// can be counted exactly, beside the run; and the counts are what the link's
// probabilities say, within five standard deviations.
func TestMillionMessagesObeyTheirLink(t *testing.T) {
	count := 1_000_000
	if testing.Short() {
		count = 50_000
	}
	l := Link{Latency: ms, Jitter: 3 * ms, Loss: 5000, Burst: 4, Duplicate: 20_000, Delay: 3000, LongDelay: 100 * ms,
		Late: 1000, LateBy: time.Second, Corrupt: 4000, CorruptBits: 3, Checksum: true}
	c := newCluster(t, kernel.Config{Seed: 7}, Config{Link: l, NoDigest: true}, "a", "b")
	c.on = func(string, string, any) { clear(c.got) }
	for i := range count / 100 {
		c.sim.After(time.Duration(i+1)*ms, func() {
			for range 100 {
				c.send("a", "b", 0)
			}
		})
	}
	c.run()
	got := c.net.Stats()

	point := func(what string) kernel.Stream { return kernel.NewStream(7, "net/a>b/"+what) }
	drop, burst, corrupt := point("drop"), point("drop").Derive("burst"), point("corrupt")
	dup, delay, late := point("dup"), point("delay"), point("late")
	var want Stats
	var namer kernel.Namer
	left := int64(0) // of bursts
	for i := range count {
		n := namer.Next(kernel.KeyOf("net/a>b")^kernel.KeyOf("int"), kernel.Time(i/100+1)*kernel.Time(ms))
		if left = max(left-1, 0); drop.PPM(n, l.Loss) {
			left = max(left, burst.Between(n, 1, 4))
		}
		switch {
		case left > 0:
			want.Dropped[DropLoss]++
		case corrupt.PPM(n, l.Corrupt):
			want.Dropped[DropChecksum]++
		default:
			for _, s := range []struct {
				hit   bool
				count *uint64
			}{{dup.PPM(n, l.Duplicate), &want.Duplicated}, {late.PPM(n, l.Late), &want.Duplicated}, {delay.PPM(n, l.Delay), &want.Delayed}} {
				if s.hit {
					*s.count++
				}
			}
		}
	}
	want.Sent, want.Corrupted = uint64(count), want.Dropped[DropChecksum]
	want.Delivered = want.Sent + want.Duplicated - want.Lost()
	if got != want {
		t.Errorf("the network counts %+v, the streams say %+v", got, want)
	}
	for _, s := range []struct {
		what  string
		got   uint64
		among uint64
		share float64 // as the link says
	}{
		{"lost", got.Dropped[DropLoss], want.Sent, 1 - (1-5e-3)*(1-5e-3*3/4)*(1-5e-3*2/4)*(1-5e-3*1/4)},
		{"corrupt", got.Dropped[DropChecksum], want.Sent - want.Dropped[DropLoss], 4e-3},
		{"delayed", got.Delayed, want.Delivered - want.Duplicated, 3e-3},
		{"copied", got.Duplicated, want.Delivered - want.Duplicated, 21e-3},
	} {
		n := float64(s.among)
		if off := math.Abs(float64(s.got) - n*s.share); off > 5*2*math.Sqrt(n*s.share) { // bursts come together: twice the deviation
			t.Errorf("%d %s of %d, want about %.0f", s.got, s.what, s.among, n*s.share)
		}
	}
}

func TestShapes(t *testing.T) {
	const count = 20_000
	for _, row := range []struct {
		link        Link
		mean, most  time.Duration
		beyond      time.Duration
		shareBeyond float64
	}{
		{Link{Latency: 5 * ms}, 5 * ms, 5 * ms, 5 * ms, 0},
		{Link{Latency: ms, Jitter: 4 * ms}, 3 * ms, 5 * ms, 4 * ms, 0.25},
		{Link{Latency: ms, Jitter: 4 * ms, Shape: Exponential}, 5 * ms, 81 * ms, 9 * ms, math.Exp(-2)},
		{Link{Latency: ms, Jitter: 4 * ms, Shape: Bimodal, Tail: 50_000, TailLatency: 100 * ms}, 5500 * time.Microsecond, 105 * ms, 5 * ms, 0.049},
	} {
		_, took := burstOf(t, 3, row.link, count, 0)
		var sum, most time.Duration
		beyond := 0.0
		for _, d := range took {
			sum, most = sum+d[0], max(most, d[0])
			if d[0] > row.beyond {
				beyond++
			}
		}
		if mean := sum / count; math.Abs(float64(mean-row.mean)) > 0.03*float64(row.mean) {
			t.Errorf("%v: mean %v, want %v", row.link, mean, row.mean)
		}
		if most > row.most || math.Abs(beyond/count-row.shareBeyond) > 0.01 {
			t.Errorf("%v: at most %v, %v beyond %v; want %v and %v", row.link, most, beyond/count, row.beyond, row.most, row.shareBeyond)
		}
	}
}

func TestBurstsAreRuns(t *testing.T) {
	_, took := burstOf(t, 1, Link{Loss: 2000, Burst: 8}, 20_000, 0)
	longest, run, runs := 0, 0, 0
	for i := range 20_000 {
		if took[i] != nil {
			run = 0
			continue
		}
		if run++; run == 1 {
			runs++
		}
		longest = max(longest, run)
	}
	if longest < 6 || runs < 20 || runs > 60 {
		t.Errorf("%d bursts, the longest of %d messages", runs, longest)
	}
}

// Ten messages of 1,000 bytes need 10 ms each at 100 kB/s.
func TestBandwidth(t *testing.T) {
	for _, row := range []struct {
		queue int64
		last  time.Duration
		lost  uint64
	}{{0, 102 * ms, 0}, {5000, 52 * ms, 5}} {
		c := newCluster(t, kernel.Config{}, Config{Link: Link{Latency: ms, Bandwidth: 100_000, Queue: row.queue}}, "a", "b")
		var last time.Duration
		c.on = func(string, string, any) { last = c.sim.Now().Sub(0) }
		c.at(1, func() {
			for range 10 {
				c.send("a", "b", make([]byte, 1000-headers))
			}
		})
		c.run()
		if last != row.last || c.net.Stats().Dropped[DropQueue] != row.lost {
			t.Errorf("queue %d: the last one arrived at %v, %d were dropped; want %v and %d", row.queue, last, c.net.Stats().Dropped[DropQueue], row.last, row.lost)
		}
	}
	c, _ := burstOf(t, 1, Link{Latency: ms, Bandwidth: 40_000, Queue: 4000, Policy: EarlyDrop}, 200, 0)
	if n := c.net.Stats().Dropped[DropQueue]; n < 110 || n > 199 {
		t.Errorf("early drop drops %d of 200", n)
	}
}

func TestNothingOverflowsAtTheBounds(t *testing.T) {
	l := Link{Latency: MaxDelay, Jitter: MaxDelay, Shape: Bimodal, Tail: million, TailLatency: MaxDelay, Duplicate: million,
		Delay: million, LongDelay: MaxDelay, Late: million, LateBy: MaxDelay, Bandwidth: 1, Queue: maxBytes}
	for _, shape := range []Shape{Uniform, Exponential, Bimodal} {
		l.Shape = shape
		c := newCluster(t, kernel.Config{}, Config{Link: l}, "a", "b")
		effect := c.net.Degrade([]Pair{{Any, Any}}, Change{Latency: MaxDelay, Tail: million, TailLatency: MaxDelay, Late: million, LateBy: MaxDelay, Bandwidth: maxBytes, Queue: 1})
		c.at(1, func() {
			for i := range 50 {
				c.send("a", "b", make([]byte, i))
			}
			effect.Undo()
			c.send("a", "b", sized(math.MaxInt))
			c.send("a", "b", sized(math.MinInt))
		})
		c.run()
		if got := c.net.Stats(); got.Delivered == 0 || c.sim.Failure() != nil {
			t.Errorf("%v: %+v, %v", shape, got, c.sim.Failure())
		}
	}
	if got := timeFor(maxBytes, 1); got != MaxDelay {
		t.Errorf("timeFor at its bounds is %v", got)
	}
	if got := bytesIn(math.MaxInt64, maxBytes); got != maxBytes {
		t.Errorf("bytesIn at its bounds is %v", got)
	}
}

type sized int

func (s sized) Size() int { return int(s) }

type letter struct {
	Text   string
	number int64
	Flags  []bool
	Inner  any
	Next   *letter
	note   string `simnet:"-"`
}

func TestCorruptionFlipsBitsInACopy(t *testing.T) {
	for seed := range uint64(60) {
		sent := &letter{Text: "hello", number: 1, Flags: []bool{true, false}, Inner: letter{Text: "in"}, Next: &letter{number: 2}, note: "n"}
		before := fmt.Sprintf("%+v %+v", *sent, *sent.Next)
		c := newCluster(t, kernel.Config{Seed: seed, Level: kernel.LevelFull}, Config{Link: Link{Latency: ms, Corrupt: million, CorruptBits: 1 + int(seed)%MaxBits}}, "a", "b")
		var got *letter
		c.on = func(_, _ string, msg any) { got = msg.(*letter) }
		c.at(1, func() { c.send("a", "b", sent) })
		c.run()
		if fmt.Sprintf("%+v %+v", *sent, *sent.Next) != before {
			t.Fatal("the sender's own message has changed")
		}
		flipped := 0
		for r := range c.sim.Records() {
			if a, ok := r.Get("bits"); ok {
				fmt.Sscan(a.Value(), &flipped)
			}
		}
		if got == nil || flipped == 0 || reflect.DeepEqual(got, sent) && flipped%2 == 1 || c.net.Stats().Corrupted != 1 {
			t.Fatalf("seed %d: %d bits flipped, %+v arrived", seed, flipped, got)
		}
		if got.note != "n" {
			t.Errorf("what is no content was changed: %q", got.note)
		}
	}
}

func TestChecksumDrops(t *testing.T) {
	c, took := burstOf(t, 1, Link{Corrupt: million, Checksum: true}, 10, 0)
	if len(took) > 0 || c.net.Stats().Dropped[DropChecksum] != 10 {
		t.Errorf("%d arrived, %+v", len(took), c.net.Stats())
	}
}

func TestClogDeliversAllLater(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(ms)}, "a", "b")
	var clogs []*Effect
	c.at(5, func() { c.send("a", "b", "in flight"); clogs = append(clogs, c.net.Clog(Pair{"a", "b"})) })
	c.at(8, func() {
		c.send("a", "b", "waits")
		c.send("b", "a", "other way")
		clogs = append(clogs, c.net.Clog(Inbound("b")), c.net.Clog(Inbound("a")))
	})
	c.at(10, func() { c.send("a", "b", "waits too"); clogs[0].Undo() })
	c.at(20, func() { c.wantGot("b", "a:in flight"); clogs[1].Undo(); clogs[2].Undo() })
	c.at(22, func() { slices.Sort(c.got["b"]); c.wantGot("b", "a:in flight", "a:waits", "a:waits too") })
	c.run()
	c.wantGot("a", "b:other way")
	if clogs[0].Met() != 2 || clogs[1].Met() != 1 || clogs[2].Met() != 0 {
		t.Errorf("the clogs met %d, %d and %d messages", clogs[0].Met(), clogs[1].Met(), clogs[2].Met())
	}
}

func TestAim(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(ms)}, "a", "b")
	var drop, hold *Effect
	c.at(1, func() {
		drop, _ = c.net.Aim([]Pair{Outbound("a")}, Aim{Message: "str*", Skip: 1, Count: 2})
		hold, _ = c.net.Aim([]Pair{Outbound("a")}, Aim{Message: "int", Hold: 10 * ms})
		for i := range 5 {
			c.send("a", "b", fmt.Sprint("s", i))
		}
		c.send("a", "b", 7)
		c.send("a", "b", 8)
	})
	c.run()
	got := c.got["b"]
	last := got[len(got)-1]
	slices.Sort(got)
	if fmt.Sprint(got) != "[a:7 a:8 a:s0 a:s3 a:s4]" || last != "a:s4" && last != "a:7" || drop.Met() != 2 || hold.Met() != 1 {
		t.Errorf("b received %v, the last one %s; drops %d, holds %d", got, last, drop.Met(), hold.Met())
	}
	if _, err := c.net.Aim(nil, Aim{Message: "["}); err == nil {
		t.Error("a broken pattern was accepted")
	}
}

func TestLateCopyReachesTheNextIncarnation(t *testing.T) {
	reached := 0
	for seed := range uint64(20) {
		c := newCluster(t, kernel.Config{Seed: seed}, Config{Link: Link{Latency: ms, Late: million, LateBy: 100 * ms}}, "a", "b")
		boots := map[int]bool{}
		c.on = func(name, _ string, _ any) { boots[c.node(name).Boot()] = true }
		c.at(1, func() { c.send("a", "b", 1) })
		c.at(10, func() { c.node("b").Kill(); c.node("b").Start() })
		c.run()
		if boots[1] && boots[2] {
			reached++
		}
	}
	if reached < 14 {
		t.Errorf("the message reached both incarnations in %d of 20 seeds", reached)
	}
}

func TestWatchersCanCrashOnEitherSide(t *testing.T) {
	for _, row := range []struct {
		node string
		op   Operation
		when Moment
		want string // what b received
		back string // what a received
	}{
		{"a", Sending, Before, "", ""},
		{"b", Receiving, Before, "", ""},
		{"b", Receiving, After, "a:ping", "b:pong"},
		{"b", Sending, Before, "a:ping", ""},
		{"b", Sending, After, "a:ping", "b:pong"},
		{"a", Sending, After, "a:ping", ""},
		{"a", Receiving, Before, "a:ping", ""},
	} {
		c := newCluster(t, kernel.Config{}, Config{Link: fixed(ms)}, "a", "b")
		c.net.Watch(func(n *kernel.Node, op Operation, when Moment, m Message) {
			if n.Name() == row.node && op == row.op && when == row.when && m.Name == "string" {
				n.Kill()
			}
		})
		c.on = func(name, from string, msg any) {
			if msg == "ping" {
				c.send(name, from, "pong")
			}
		}
		c.at(1, func() { c.send("a", "b", "ping") })
		c.run()
		c.wantGot("b", wanted(row.want)...)
		c.wantGot("a", wanted(row.back)...)
	}
}

func wanted(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// A replay of given choices does what the probabilities did.
func TestRareChoicesReplay(t *testing.T) {
	l := Link{Loss: 50_000, Burst: 5, Late: 100_000, LateBy: 50 * ms, Corrupt: 100_000, CorruptBits: 9}
	run := func(kc kernel.Config) (*cluster, kernel.Result) {
		c := newCluster(t, kc, Config{Link: l}, "a", "b")
		for i := range 200 {
			c.at(i, func() { c.send("a", "b", []byte("some message")) })
		}
		return c, c.run()
	}
	first, a := run(kernel.Config{Seed: 5, Level: kernel.LevelFull})
	second, b := run(kernel.Config{Seed: 5, Level: kernel.LevelFull, Replay: append([]kernel.Choice{}, first.sim.Choices()...)})
	if a.Hash != b.Hash || len(second.sim.UnmetChoices()) > 0 || len(first.sim.Choices()) < 30 {
		t.Errorf("%d choices, %d of them unmet; hashes equal: %v", len(first.sim.Choices()), len(second.sim.UnmetChoices()), a.Hash == b.Hash)
	}
}

func TestGeography(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(3 * ms)}, "e1", "e2", "w1", "x")
	g := Geo([]Region{{"east", []string{"e1", "e2"}}, {"west", []string{"w1"}}}, Distance{"east", "west", 80 * ms})
	g.Inside, g.Between = fixed(ms), fixed(10*ms)
	if err := c.net.SetGeography(g); err != nil {
		t.Fatal(err)
	}
	if err := c.net.SetExtra("e2", "x", 20*ms); err != nil {
		t.Fatal(err)
	}
	took := map[string]time.Duration{}
	c.on = func(to, from string, _ any) { took[from+to] = c.sim.Now().Sub(0) - ms }
	c.at(1, func() {
		for _, p := range []Pair{{"e1", "e2"}, {"e1", "w1"}, {"w1", "e1"}, {"e1", "x"}, {"e2", "x"}} {
			c.send(p.From, p.To, 1)
		}
	})
	c.run()
	if fmt.Sprint(took) != "map[e1e2:1ms e1w1:80ms e1x:3ms e2x:23ms w1e1:80ms]" {
		t.Errorf("took %v", took)
	}
	for want, g := range map[string]Geography{
		`no node "q" is attached`:            {Regions: []Region{{"r", []string{"q"}}}},
		`node "x" is in two regions`:         {Regions: []Region{{"r", []string{"x"}}, {"s", []string{"x"}}}},
		`two regions are called "r"`:         {Regions: []Region{{"r", nil}, {"r", nil}}},
		`names a region that is not there`:   {Regions: []Region{{"r", nil}}, Distances: []Distance{{"r", "s", 0}}},
		`Inside: Burst is 65; it must be be`: {Inside: Link{Burst: 65}},
	} {
		if err := c.net.SetGeography(g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestPresets(t *testing.T) {
	for _, l := range []Link{LAN(), WAN(), Lossy()} {
		if err := l.validate("preset"); err != nil {
			t.Error(err)
		}
		c, took := burstOf(t, 1, l, 2000, ms)
		if l.Loss == 0 && len(took) != 2000 || l.Loss > 0 && c.net.Stats().Lost() == 0 && l.Burst > 1 {
			t.Errorf("%v: %d arrived", l, len(took))
		}
	}
}

// Every bit of every sort of value can flip, alone, and flips back.
func TestEachBitFlips(t *testing.T) {
	type all struct {
		B    bool
		I8   int8
		U16  uint16
		I32  int32
		U64  uint64
		F32  float32
		F64  float64
		C64  complex64
		C128 complex128
		S    string
		L    [2][]byte
		P    *int
		M    map[string]int
	}
	n := 5
	sent := all{true, -1, 2, -3, 4, 5, -6, 7, 8i, "nine", [2][]byte{{10}, {11, 12}}, &n, map[string]int{"m": 13}}
	const bits = 1 + 8 + 16 + 32 + 64 + 32 + 64 + 64 + 128 + 4*8 + 3*8 + 64
	show := func(v all) string {
		return fmt.Sprintf("%b %v %v %v %v %x %x %x %x %x %x %v %v", v.I8, v.B, v.U16, v.I32, v.U64,
			math.Float32bits(v.F32), math.Float64bits(v.F64),
			[]uint32{math.Float32bits(real(v.C64)), math.Float32bits(imag(v.C64))},
			[]uint64{math.Float64bits(real(v.C128)), math.Float64bits(imag(v.C128))}, v.S, v.L, *v.P, v.M)
	}
	seen := map[string]bool{show(sent): true}
	for bit := range uint64(bits) {
		c := copier{done: map[spot]reflect.Value{}}
		twin := c.copy(reflect.ValueOf(sent))
		if c.bits != bits-64+uint64(reflect.TypeFor[int]().Bits()) {
			t.Fatalf("%d bits can flip", c.bits)
		}
		if bit >= c.bits {
			break
		}
		c.flip(bit)
		text := show(twin.Interface().(all))
		if seen[text] {
			t.Fatalf("bit %d: %s", bit, text)
		}
		seen[text] = true
		c.flip(bit)
		if back := twin.Interface().(all); !reflect.DeepEqual(back, sent) {
			t.Fatalf("bit %d does not flip back: %+v", bit, back)
		}
	}
}
