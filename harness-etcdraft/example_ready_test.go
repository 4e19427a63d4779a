package etcdraft_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
)

// TestReady is the ready test. Against a changed library it stays as it is: the
// go.mod says which library is used.
func TestReady(t *testing.T) {
	etcdraft.Test(t, etcdraft.Config{Nodes: 3}, faultline.Options{Duration: 5 * time.Second, Seeds: 5})
}

// TestReadyMode fixes parts of what the seed draws.
func TestReadyMode(t *testing.T) {
	etcdraft.Test(t, etcdraft.Config{
		Nodes:      2,
		Spares:     3,
		Membership: true,
		Tune:       func(m *etcdraft.Mode) { m.Async, m.AppendDelay = true, 30*time.Millisecond },
	}, faultline.Options{Duration: 5 * time.Second, Seeds: 3})
}

// The mode of a run is shown beside its seed.
func ExampleMode() {
	m := etcdraft.Mode{PreVote: true, TickEvery: 10 * time.Millisecond, ElectionTick: 10, HeartbeatTick: 1, MaxInflightMsgs: 16, MaxCommittedSizePerReady: 1 << 20, PieceSize: 256, SegmentSize: 8192}
	fmt.Println(&m)
	// Output: sync, pre-vote, tick 10ms, election 10, heartbeat 1, message 0 B, in flight 16 or 0 B, committed per Ready 1048576 B, uncommitted 0 B, snapshot every 0 keeping 0, busy 0%, pieces of 256 B, segments of 8192 B, checkpoint every 0, ReadIndex again after 0 ticks
}
