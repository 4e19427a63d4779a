package faultline

import (
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

func TestFaultsInWords(t *testing.T) {
	const since = 250 * time.Millisecond
	for _, c := range []struct {
		f    fault.Fault
		want string
	}{
		{fault.Fault{Kind: fault.Kill, At: since, Nodes: []string{"n1"}, For: time.Second}, "0.25s kill on n1 for 1s"},
		{fault.Fault{Kind: fault.PowerLoss, At: since, Nodes: []string{"n1", "n2"}, For: time.Second, Profile: "torn", When: fault.Trigger{Op: "receive", After: true, Node: "n3", Nth: 12}},
			"power-loss on n1, n2 for 1s (torn), when n3 has received its 12th message since 0.25s"},
		{fault.Fault{Kind: fault.Kill, Nodes: []string{"n1"}, When: fault.Trigger{Op: "send", Message: "vote", Node: "n1", Nth: 2}}, "kill on n1, when n1 is about to send its 2nd vote"},
		{fault.Fault{Kind: fault.Kill, When: fault.Trigger{Op: "sync", After: true, Node: "n1", File: "log*"}}, "kill, when n1 has done its 1st sync of log*"},
		{fault.Fault{Kind: fault.Kill, When: fault.Trigger{Op: "write", Chance: 7}}, "kill, when a node is about to do a write"},
		{fault.Fault{Kind: fault.Kill, When: fault.Trigger{Point: "elected", Node: "n1", Nth: 3}}, "kill, when n1 is at the point elected for the 3rd time"},
		{fault.Fault{Kind: fault.Kill, At: since, When: fault.Trigger{State: "two leaders", Nth: 111}}, `kill, when the state "two leaders" begins for the 111th time since 0.25s`},
	} {
		if got := describeFault(&c.f); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Every kind says how strongly it hits, from all fields that it reads, and nothing
// where the default of the kind counts.
func TestStrengthsInWords(t *testing.T) {
	strong := fault.Fault{Rate: 125_000, Amount: 30 * time.Millisecond, Count: 4, Message: "vote"}
	said := map[fault.Kind]string{
		fault.ClockStep: "by 30ms", fault.ClockOffset: "by 30ms", fault.ClockStepDown: "by 30ms", fault.ClockStrobe: "by 30ms",
		fault.ClockTick: "in ticks of 30ms", fault.TimerError: "by up to 30ms", fault.ClockDrift: "12.5% fast",
		fault.SlowNode: "30ms for each event", fault.CrashLoop: "4 times, up to 30ms after each start",
		fault.CrashRecovery: "again before disk operation 4", fault.Upgrade: "one every 30ms",
		fault.OneWay: "to 4 of them", fault.Partial: "12.5% of the pairs", fault.Flap: "in spells of around 30ms",
		fault.Loss: "12.5% of the messages", fault.Duplicate: "12.5% of the messages",
		fault.Delay: "12.5% of the messages, by up to 30ms", fault.LongTail: "12.5% of the messages, by up to 30ms",
		fault.LateDuplicate: "12.5% of the messages, by up to 30ms", fault.Latency: "by 30ms",
		fault.LossBurst: "a burst at 12.5% of the messages, of up to 4", fault.CorruptMessage: "12.5% of the messages, up to 4 bits",
		fault.Bandwidth: "125000 bytes a second, 4 may wait", fault.DropMessage: "vote, number 4", fault.LoseReply: "vote, number 4",
		fault.HoldMessage: "vote, number 4, by 30ms",
		fault.SyncFail:    "12.5% of them", fault.WriteFail: "12.5% of them", fault.ReadFail: "12.5% of them",
		fault.SlowDisk: "125000 times as long, up to 30ms more", fault.FullDisk: "125000 bytes left", fault.Corrupt: "125000 bits",
	}
	none := []fault.Kind{fault.Kill, fault.PowerLoss, fault.Pause, fault.LoseNode, fault.Leave, fault.Join, fault.Isolate, fault.Partition,
		fault.Ring, fault.Bridge, fault.ClientsCut, fault.Clog, fault.SwizzleClog, fault.StreamRefuse, fault.StreamHang, fault.StreamReset,
		fault.StreamHalfOpen, fault.StreamShort, fault.Outage, fault.StallDisk, fault.ReadOnlyDisk, fault.WipeDisk, fault.SwapDisks, fault.ClockFreeze}
	for _, k := range fault.Kinds() {
		f := strong
		f.Kind = k
		want, ok := said[k]
		if ok == slices.Contains(none, k) {
			t.Errorf("whether %s has a strength is not said here", k)
		}
		if got := strength(&f); got != want {
			t.Errorf("%s: got %q, want %q", k, got, want)
		}
	}
	for want, f := range map[string]fault.Fault{
		"0s clock-step on n3, by -3s":                                             {Kind: fault.ClockStep, Amount: -3 * time.Second},
		"0s clock-drift on n3, 0.0005% slow":                                      {Kind: fault.ClockDrift, Rate: -5},
		"0s isolate on n3 from @servers for 1s":                                   {Kind: fault.Isolate, For: time.Second, Peers: []string{"@servers"}},
		"0s slow-disk on n3 for 1s (sync), 50 times as long":                      {Kind: fault.SlowDisk, For: time.Second, Rate: 50, Profile: "sync"},
		`clock-step on n3, by 1s, when the state "short" begins for the 1st time`: {Kind: fault.ClockStep, Amount: time.Second, When: fault.Trigger{State: "short"}},
		"0s full-disk on n3 (inodes), 0 files left":                               {Kind: fault.FullDisk, Profile: "inodes"},
		"0s sync-fail on n3 for 1s":                                               {Kind: fault.SyncFail, For: time.Second},
	} {
		f.Nodes = []string{"n3"}
		if got := describeFault(&f); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestChoicesInWords(t *testing.T) {
	for _, c := range []struct {
		point string
		n     uint64
		value int64
		want  string
	}{
		{"net/c2>n2/drop", 19, 1, "message 19 from c2 to n2 is lost"},
		{"net/c2>n2/dup", 19, 1, "message 19 from c2 to n2 arrives 2 times"},
		{"net/c2>n2/delay", 19, 2e6, "message 19 from c2 to n2 is 2ms late"},
		{"net/c2>n2/late", 19, 88568647, "message 19 from c2 to n2 arrives once more, 88.568647ms late"},
		{"net/c2>n2/corrupt", 19, 1, "message 19 from c2 to n2 arrives with 1 flipped bit"},
		{"net/c2>n2/corrupt", 19, 34, "message 19 from c2 to n2 is dropped for 2 flipped bits, by its checksum"},
		{"net/c2>n2/other", 19, 1, "net/c2>n2/other, number 19: 1"},
		{"disk/n1/crash/data/wal/log", 3, 1, "the crash of n1 keeps write 3 to wal/log"},
		{"disk/n1/crash/data/wal/log", 3, 2, "the crash of n1 keeps write 3 to wal/log in part"},
		{"disk/n1/crash/name/log", 3, 1, "the crash of n1 keeps change 3 of the name log"},
		{"disk/n1/sync-fail", 3, 2, "sync 3 of n1 fails (keep-dirty)"},
		{"disk/n1/write-fail", 3, 2, "write 3 of n1 fails (short)"},
		{"disk/n1/read-fail", 3, 1, "read 3 of n1 fails"},
		{"disk/n1/corrupt", 1, 9, "damage 1 to the disk of n1 is at place 9 of those that it could hit"},
		{"setup/servers", 0, 2, `the setup draws 2 more than the least for "servers"`},
	} {
		if got := inWords(kernel.Choice{Point: c.point, N: c.n, Value: c.value}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.point, got, c.want)
		}
	}
}
