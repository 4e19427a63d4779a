package kernel

import (
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The pairs BenchmarkPair/<row>/ours and /base measure the same work done by
// the kernel and by what one would write first, in one process. Only the ratio
// of their CPU time is worth comparing between machines.
func BenchmarkPair(b *testing.B) {
	pairs := []struct {
		name       string
		ours, base func(b *testing.B)
	}{
		{"queue-hold", func(b *testing.B) { holdOurs(b, 1000) }, func(b *testing.B) { holdBase(b, 1000) }},
		{"queue-hold-16", func(b *testing.B) { holdOurs(b, 16) }, func(b *testing.B) { holdBase(b, 16) }},
		{"queue-hold-100000", func(b *testing.B) { holdOurs(b, 100_000) }, func(b *testing.B) { holdBase(b, 100_000) }},
		{"timer-event", timersOurs, timersBase},
		{"proc-sleep", procsOurs, procsBase},
		{"ping-pong", pingPongOurs, pingPongBase},
		{"kernel-allocs", func(b *testing.B) { b.ReportAllocs(); timersOurs(b) }, func(b *testing.B) { b.ReportAllocs(); timersBase(b) }},
	}
	for _, p := range pairs {
		b.Run(p.name+"/ours", func(b *testing.B) { onCPU(b, p.ours) })
		b.Run(p.name+"/base", func(b *testing.B) { onCPU(b, p.base) })
	}
}

// onCPU also reports the CPU time of the whole process for each operation:
// goroutines that hand over to each other keep more than one core busy, which
// the time on the clock does not show.
func onCPU(b *testing.B, f func(b *testing.B)) {
	before := cpuTime()
	f(b)
	if used := cpuTime() - before; used > 0 {
		b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
	}
}

// increments are the steps of the hold model: a key taken is put back that
// much later, so the number pending stays the same.
func increments() []Time {
	r := rand.New(rand.NewPCG(1, 1))
	out := make([]Time, 1<<14)
	for i := range out {
		out[i] = Time(r.ExpFloat64() * 1e6)
	}
	return out
}

func holdOurs(b *testing.B, pending int) {
	inc := increments()
	var q queue
	for i := range pending {
		q.push(key{inc[i&(1<<14-1)], uint64(i)})
	}
	i := 0
	for b.Loop() {
		k, _ := q.peek()
		q.drop()
		k.time += inc[i&(1<<14-1)]
		q.push(k)
		i++
	}
}

func holdBase(b *testing.B, pending int) {
	inc := increments()
	h := &ptrHeap{}
	for i := range pending {
		heap.Push(h, &key{inc[i&(1<<14-1)], uint64(i)})
	}
	i := 0
	for b.Loop() {
		k := heap.Pop(h).(*key)
		heap.Push(h, &key{k.time + inc[i&(1<<14-1)], k.low}) // events are made, not reused
		i++
	}
}

// timersOurs fires 16 timers that arm themselves again, with trace and hash.
func timersOurs(b *testing.B) {
	s := New(Config{MaxEvents: 1 << 62})
	defer s.Close()
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	for i := range 16 {
		var tm *Timer
		tm = n.NewTimerFunc(func() { tm.Reset(time.Duration(1000 + i)) })
		tm.Reset(time.Duration(i))
	}
	end := uint64(b.N)
	b.ResetTimer()
	s.cfg.MaxEvents = s.event + end
	s.Run()
}

// timersBase does it with real timers in a synctest bubble.
func timersBase(b *testing.B) {
	var left atomic.Int64
	left.Store(int64(b.N))
	inBubble(b, func() {
		done := make(chan bool)
		var timers [16]*time.Timer
		for i := range timers {
			timers[i] = time.AfterFunc(time.Hour, func() {
				switch n := left.Add(-1); {
				case n == 0:
					close(done)
				case n > 0:
					timers[i].Reset(time.Duration(1000 + i))
				}
			})
		}
		for i, tm := range timers {
			tm.Reset(time.Duration(i))
		}
		<-done
		synctest.Wait()
	})
}

// inBubble runs f in a synctest bubble. A bubble belongs to a test, so this
// makes one. The benchmark's clock must not be touched inside: time is not
// real there.
func inBubble(b *testing.B, f func()) {
	match := func(string, string) (bool, error) { return true, nil }
	ran := false // RunTests obeys the flag -count
	tests := []testing.InternalTest{{Name: "bubble", F: func(t *testing.T) {
		if !ran {
			synctest.Test(t, func(*testing.T) { f() })
		}
		ran = true
	}}}
	b.ResetTimer()
	if !testing.RunTests(match, tests) {
		b.Fatal("the bubble failed")
	}
}

// procsOurs lets 16 procs sleep in turns.
func procsOurs(b *testing.B) {
	s := New(Config{MaxEvents: 1 << 62})
	defer s.Close()
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	for i := range 16 {
		n.Go("p", func(p *Proc) {
			for {
				p.Sleep(time.Duration(1000 + i))
			}
		})
	}
	s.RunFor(1)
	b.ResetTimer()
	s.cfg.MaxEvents = s.event + uint64(b.N)
	s.Run()
}

// procsBase hands control to 16 goroutines in turns and back, by channels,
// with a heap of wake-up times: the simulator that one would write first. Both
// sides record and hash each wake-up.
func procsBase(b *testing.B) {
	trace, sum := make([]byte, 0, 8192), sha256.New()
	h := &ptrHeap{}
	wake := make([]chan bool, 16)
	back := make(chan bool)
	now := Time(0)
	for i := range wake {
		wake[i] = make(chan bool)
		heap.Push(h, &key{Time(i), uint64(i)})
		go func() {
			for range wake[i] {
				heap.Push(h, &key{now + Time(1000+i), uint64(i)})
				back <- true
			}
		}()
	}
	b.ResetTimer()
	for range b.N {
		k := heap.Pop(h).(*key)
		trace = binary.AppendUvarint(trace, uint64(k.time-now))
		trace = binary.AppendUvarint(trace, k.low)
		trace = append(trace, "timer"...)
		if len(trace) >= hashBatch {
			sum.Write(trace)
			trace = trace[:0]
		}
		now = k.time
		wake[k.low] <- true
		<-back
	}
	b.StopTimer()
	for _, c := range wake {
		close(c)
	}
}

// ball is a message between two nodes, the event of its own delivery: a node
// that receives it draws how long the way back takes and sends it off.
type ball struct {
	s       *Sim
	to      [2]*Node
	from    [2]string
	latency Stream // of each trip
	order   Stream
	arrived *Form
	trip    uint64
	turn    uint64 // index of the receiver
}

func (e *ball) Fire() {
	e.arrived.Emit(e.to[e.turn], e.trip)
	e.to[e.turn].Deliver(e.from[e.turn], e)
}

// hit sends the ball to the other node.
func (e *ball) hit() {
	e.trip++
	e.turn ^= 1
	took := time.Millisecond + time.Duration(e.latency.Below(e.trip, uint64(4*time.Millisecond)))
	e.s.ScheduleKeyed(e.s.now.Add(took), e.to[e.turn], AnyBoot, uint32(e.order.At(e.trip)>>32), e)
}

type player struct{ Idle }

func (player) Receive(_ string, msg any) { msg.(*ball).hit() }

// pingPongOurs makes b.N one-way trips of a message between two nodes, each
// with a latency that is drawn and a record.
func pingPongOurs(b *testing.B) {
	s := New(Config{MaxEvents: 1 << 62})
	defer s.Close()
	e := &ball{s: s, from: [2]string{"pong", "ping"}, latency: s.Stream("latency"), order: s.Stream("order")}
	e.arrived = s.Form(s.Sym("arrived"), Field{s.Sym("trip"), AttrUint})
	for i, name := range []string{"ping", "pong"} {
		e.to[i] = s.AddNode(name, func(*Node) Handler { return player{} })
	}
	s.RunFor(0)
	e.hit()
	b.ResetTimer()
	s.cfg.MaxEvents = s.event + uint64(b.N)
	s.Run()
}

// pingPongBase makes as many with two goroutines and channels in a synctest
// bubble, sleeping for as long. It keeps no record.
func pingPongBase(b *testing.B) {
	inBubble(b, func() {
		ping, pong := make(chan *ball), make(chan *ball)
		rng := rand.New(rand.NewPCG(1, 2))
		latency := func() { time.Sleep(time.Millisecond + time.Duration(rng.Int64N(int64(4*time.Millisecond)))) }
		go func() {
			for m := range ping {
				latency()
				pong <- m
			}
			close(pong)
		}()
		e := &ball{}
		for range (b.N + 1) / 2 {
			latency()
			ping <- e
			<-pong
		}
		close(ping)
	})
}

// BenchmarkEvent measures each kind of event of the kernel alone.
func BenchmarkEvent(b *testing.B) {
	for _, level := range []Level{LevelOff, LevelHash, LevelFull} {
		for _, name := range []string{"scheduled event", "timer", "timer put off", "proc sleep", "message to a proc", "log"} {
			b.Run(fmt.Sprintf("%s/level=%d", name, level), func(b *testing.B) {
				s := New(Config{Level: level})
				defer s.Close()
				n := s.AddNode("n", func(*Node) Handler { return Idle{} })
				s.RunFor(0)
				steadyRuns[name](s, n)
				s.RunFor(1000)
				b.ReportAllocs()
				b.ResetTimer()
				s.cfg.MaxEvents = s.event + uint64(b.N)
				s.RunUntil(MaxTime)
			})
		}
	}
}

func BenchmarkStream(b *testing.B) {
	s := NewStream(1, "x")
	sum := uint64(0)
	for i := uint64(0); b.Loop(); i++ {
		sum += s.At(i)
	}
	if sum == 0 {
		b.Log("unlikely")
	}
}
