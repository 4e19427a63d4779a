package etcdraft

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
)

// floor is a server of the bare loop, on a simulated machine and network: the
// least that a harness costs. Its storage is memory, it has no clients, and
// nobody checks it.
type floor struct {
	kernel.Idle
	node     *faultline.Node
	rn       *raft.RawNode
	store    *raft.MemoryStorage
	tick     *kernel.Timer
	ticks    int
	turn     int // which of the writes it proposes
	messages *int
}

// Start starts the clock.
func (f *floor) Start() {
	f.tick = f.node.NewTimer()
	f.tick.Reset(10 * time.Millisecond)
}

// Timer ticks, and proposes what the bare loop proposes.
func (f *floor) Timer(*kernel.Timer) {
	f.tick.Reset(10 * time.Millisecond)
	f.rn.Tick()
	f.ready()
	if f.ticks%pairNodes == f.turn && f.ticks > 100 && f.ticks%(pairTicks/pairWrites) == 0 {
		_ = f.rn.Propose(make([]byte, 64))
		f.ready()
	}
	f.ticks++
}

// Receive steps.
func (f *floor) Receive(_ string, m any) {
	*f.messages++
	_ = f.rn.Step(m.(*message).owned())
	f.ready()
}

// ready handles what there is to do.
func (f *floor) ready() {
	for f.rn.HasReady() {
		rd := f.rn.Ready()
		if !raft.IsEmptyHardState(rd.HardState) {
			_ = f.store.SetHardState(rd.HardState)
		}
		_ = f.store.Append(rd.Entries)
		for _, m := range rd.Messages {
			f.node.Send(floorNames[m.GetTo()-1], (*message)(m))
		}
		f.rn.Advance(rd)
	}
}

var floorNames = [pairNodes]string{"n1", "n2", "n3", "n4", "n5"}

// floorRound runs the bare loop's servers once.
func floorRound(b *testing.B) int {
	messages := 0
	opt := faultline.Options{Duration: pairTicks * 10 * time.Millisecond, QuietFor: -1}
	out, err := faultline.Once(opt, 1, func(w *faultline.World) {
		for i, name := range floorNames {
			w.Node(name, func(n *faultline.Node) kernel.Handler {
				rn, store := bareNode(b, i+1)
				return &floor{node: n, rn: rn, store: store, turn: i, messages: &messages}
			})
		}
		w.Faults(fault.None())
	})
	if err != nil || out.Failure != nil {
		b.Fatal(err, out.Failure)
	}
	return messages
}
