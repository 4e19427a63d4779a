package kernel

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestProcTalks(t *testing.T) {
	s := New(Config{Level: LevelFull})
	var got []string
	n := s.AddNode("n", Main(func(p *Proc) {
		for {
			from, msg, ok := p.RecvTimeout(2 * sec)
			got = append(got, fmt.Sprint(s.Now(), " ", from, " ", msg, " ", ok))
			if !ok {
				return
			}
			p.Sleep(sec)
		}
	}))
	s.After(sec, func() { n.Deliver("a", 1) })
	s.After(1500*time.Millisecond, func() { n.Deliver("b", 2); n.Deliver("c", 3) })
	mustStop(t, s.Run(), StopIdle)
	want(t, "conversation", strings.Join(got, "; "), "1s a 1 true; 2s b 2 true; 3s c 3 true; 6s  <nil> false")
	want(t, "procs left", len(n.procs), 0)
	mustBeEmpty(t, s)
}

// TestAwait waits for one answer among others: late ones do not put the end off,
// and what comes at once needs no time.
func TestAwait(t *testing.T) {
	s := New(Config{Level: LevelFull})
	var got []string
	n := s.AddNode("n", Main(func(p *Proc) {
		for _, answer := range []int{2, 9, 3, 4} {
			ok := p.Await(2*sec, func(from string, msg any) bool { return from == "a" && msg == answer })
			got = append(got, fmt.Sprint(s.Now(), " ", answer, " ", ok))
			if answer == 3 {
				p.Sleep(sec)
			}
		}
	}))
	s.After(sec, func() { n.Deliver("a", 1); n.Deliver("b", 2); n.Deliver("a", 2) })
	s.After(2500*time.Millisecond, func() { n.Deliver("a", 8) })
	s.After(3500*time.Millisecond, func() { n.Deliver("a", 3); n.Deliver("a", 4) })
	mustStop(t, s.Run(), StopIdle)
	want(t, "answers", strings.Join(got, "; "), "1s 2 true; 3s 9 false; 3.5s 3 true; 4.5s 4 true")
	mustBeEmpty(t, s)
}

// TestRacesAtOneInstant lets a timeout and what is waited for come at the same
// instant. The order is seeded; both ways must be seen, and nothing is lost.
func TestRacesAtOneInstant(t *testing.T) {
	recv, wait := map[bool]int{}, map[bool]int{}
	for seed := range uint64(200) {
		s := New(Config{Seed: seed})
		var sig, second Signal
		var n *Node
		n = s.AddNode("n", Main(func(p *Proc) {
			_, m, ok := p.RecvTimeout(sec)
			recv[ok]++
			if !ok {
				_, m = p.Recv()
			}
			want(t, "message", m, any("m"))
			want(t, "time", s.Now(), Time(sec))

			g := n.Go("waiter", func(q *Proc) {
				first := s.Now()
				wait[q.WaitTimeout(&sig, sec)]++
				want(t, "time", s.Now().Sub(first), sec)
				want(t, "set later", q.WaitTimeout(&second, sec), false) // not woken by the first signal
				want(t, "time", s.Now().Sub(first), 2*sec)
				q.Wait(&sig)
			})
			p.Sleep(10 * sec)
			want(t, "the waiter is done", g.done, true)
			want(t, "waiters left", len(sig.waiters)+len(second.waiters), 0)
		}))
		s.Schedule(Time(sec), n, AnyBoot, Func(func() { n.Deliver("x", "m") }))
		s.At(Time(2*sec), sig.Set)
		mustStop(t, s.Run(), StopIdle)
		mustBeEmpty(t, s)
	}
	if recv[true] < 50 || recv[false] < 50 {
		t.Errorf("a message at the timeout's instant: %v", recv)
	}
	if wait[true] == 0 {
		t.Errorf("a signal at the timeout's instant: %v", wait)
	}
}
