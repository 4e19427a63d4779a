package etcdraft

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// The pairs compare one message in the harness with one in a bare loop of
// RawNodes: five nodes, 30 virtual seconds with ticks of 10 ms, about 1,000
// writes, no faults, all checks on.
const (
	pairNodes  = 5
	pairTicks  = 3000
	pairWrites = 1000
)

func BenchmarkPair(b *testing.B) {
	b.Run("raft-cpu", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { perMessage(b, harnessRound) })
		b.Run("base", func(b *testing.B) { perMessage(b, bareRound) })
	})
	b.Run("raft-floor", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { perMessage(b, floorRound) })
		b.Run("base", func(b *testing.B) { perMessage(b, bareRound) })
	})
	b.Run("raft-allocs", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { perMessage(b, harnessRound) })
		b.Run("base", func(b *testing.B) { perMessage(b, bareRound) })
	})
	b.Run("raft-speed", func(b *testing.B) {
		b.Run("ours", perVirtualSecond)
	})
}

// perVirtualSecond reports the processor time of one second of virtual time of
// five nodes as users run them: drawn modes, default faults, all checks. Each
// round is another seed.
func perVirtualSecond(b *testing.B) {
	const duration = 20 * time.Second
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as faultline does for its runs
	began, seed := cpuTime(), uint64(0)
	for b.Loop() {
		seed++
		out, err := faultline.Once(faultline.Options{Duration: duration, Unrestricted: true}, seed, func(w *faultline.World) {
			Setup(w, Config{Nodes: pairNodes})
			w.Faults(Faults())
		})
		if err != nil || out.Failure != nil {
			b.Fatal(err, out.Failure)
		}
	}
	b.ReportMetric(float64((cpuTime()-began).Nanoseconds())/(float64(seed)*duration.Seconds()), "cpu-ns/op")
}

// perMessage reports what round costs for a thousand messages of raft that it
// delivers: processor time, because the machine does other things too, and
// allocations.
func perMessage(b *testing.B, round func(b *testing.B) (messages int)) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as faultline does for its runs
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, total := cpuTime(), 0
	for b.Loop() {
		total += round(b)
	}
	used := cpuTime() - began
	runtime.ReadMemStats(&after)
	thousands := float64(total) / 1000
	b.ReportMetric(float64(used.Nanoseconds())/thousands, "ns/op")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/thousands, "allocs/op")
}

// counter counts the messages that raft was given.
type counter struct{ messages int }

func (c *counter) Kinds() []EventKind { return []EventKind{Stepped} }

func (c *counter) Observe(*Event) { c.messages++ }

// harnessRound runs the cluster once.
func harnessRound(b *testing.B) int {
	count := &counter{}
	cfg := Config{
		Nodes: pairNodes, Clients: 1, NoAdmin: true, Observers: []Observer{count}, Workload: steadyWrites,
		Tune: func(m *Mode) { *m = plainMode() },
	}
	out, err := faultline.Once(faultline.Options{Duration: pairTicks * 10 * time.Millisecond, QuietFor: -1}, 1, func(w *faultline.World) {
		Setup(w, cfg)
		w.Faults(fault.None())
	})
	if err != nil || out.Failure != nil {
		b.Fatal(err, out.Failure)
	}
	return count.messages
}

// plainMode is what the bare loop does too.
func plainMode() Mode {
	return Mode{
		TickEvery: 10 * time.Millisecond, ElectionTick: 10, HeartbeatTick: 1,
		MaxSizePerMsg: unlimited, MaxInflightMsgs: 256, MaxCommittedSizePerReady: unlimited,
		PieceSize: 4096, SegmentSize: 1 << 20,
	}
}

// steadyWrites puts one value after the other.
func steadyWrites(s *Session) {
	for n := 1; ; n++ {
		s.Sleep(pairTicks * 10 * time.Millisecond / pairWrites / 2)
		op := KVOp{Kind: "put", Key: "x", Value: fmt.Sprintf("value-%032d", n)}
		call := s.Invoke(op.Kind, op)
		if _, ok := s.Write(call, op.Encode()); !ok {
			call.Unknown("no answer")
			continue
		}
		call.OK("")
	}
}

// bare is the floor: RawNodes on MemoryStorages and one queue of messages,
// with a Ready after each message, as in the harness.
type bare struct {
	nodes  []*raft.RawNode
	stores []*raft.MemoryStorage
	queue  []*raftpb.Message
}

// bareRound runs the loop once.
func bareRound(b *testing.B) int {
	var l bare
	for i := range pairNodes {
		rn, store := bareNode(b, i+1)
		l.nodes, l.stores = append(l.nodes, rn), append(l.stores, store)
	}
	delivered := 0
	data := make([]byte, 64)
	for tick := range pairTicks {
		for i, rn := range l.nodes {
			rn.Tick()
			l.ready(i)
		}
		if i := tick % pairNodes; tick > 100 && tick%(pairTicks/pairWrites) == 0 {
			_ = l.nodes[i].Propose(data)
			l.ready(i)
		}
		for n := 0; n < len(l.queue); n++ {
			m := l.queue[n]
			_ = l.nodes[m.GetTo()-1].Step(m)
			l.ready(int(m.GetTo() - 1))
			delivered++
		}
		l.queue = l.queue[:0]
	}
	return delivered
}

// bareNode returns a RawNode and its storage.
func bareNode(b *testing.B, id int) (*raft.RawNode, *raft.MemoryStorage) {
	s := raft.NewMemoryStorage()
	if err := s.ApplySnapshot(firstSnapshot(pairNodes, NewKV())); err != nil {
		b.Fatal(err)
	}
	m := plainMode()
	rn, err := raft.NewRawNode(&raft.Config{
		ID: uint64(id), ElectionTick: m.ElectionTick, HeartbeatTick: m.HeartbeatTick, Storage: s,
		MaxSizePerMsg: m.MaxSizePerMsg, MaxInflightMsgs: m.MaxInflightMsgs, Logger: quietLogger{},
	})
	if err != nil {
		b.Fatal(err)
	}
	return rn, s
}

// ready handles what one node has to do.
func (l *bare) ready(i int) {
	for rn := l.nodes[i]; rn.HasReady(); {
		rd := rn.Ready()
		if !raft.IsEmptyHardState(rd.HardState) {
			_ = l.stores[i].SetHardState(rd.HardState)
		}
		_ = l.stores[i].Append(rd.Entries)
		for _, m := range rd.Messages {
			if m.GetType() == raftpb.MsgProp {
				m = (*message)(m).owned()
			}
			l.queue = append(l.queue, m)
		}
		rn.Advance(rd)
	}
}
