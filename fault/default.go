package fault

import "time"

// The rules of [Default] beyond the plain ones. Each is on in few seeds, so that
// most seeds have a handful of kinds.

const (
	ms  = time.Millisecond
	sec = time.Second
)

func defaultProcess() Rules {
	servers := Target{Group: "servers"}
	self := Target{Group: "servers", Pick: Self}
	profiles := []string{"lose-all", "keep-prefix", "keep-subset", "torn"}
	moments := []Trigger{
		{Op: "write"}, {Op: "write", After: true}, {Op: "sync"}, {Op: "sync", After: true}, {Op: "rename"}, {Op: "rename", After: true},
		{Op: opSend}, {Op: opReceive, After: true},
	}
	return Rules{
		{Kind: PowerLoss, Name: "crash-at", Weight: 25, Every: 3 * sec, For: Span{20 * ms, sec}, Target: self, Profiles: profiles, Whens: moments, Nth: Range{1, 30}},
		{Kind: Pause, Name: "suspend", Weight: 15, Every: 6 * sec, For: Span{50 * ms, 3 * sec}, Target: servers, Profiles: []string{"stop-clock"}},
		{Kind: PowerLoss, Name: "crash-at-point", Weight: 25, Every: 3 * sec, For: Span{20 * ms, sec}, Target: self, Profiles: profiles, Whens: []Trigger{{Point: AnyPoint}}, Nth: Range{1, 10}},
		{Kind: CrashLoop, Weight: 15, Every: 8 * sec, For: Span{200 * ms, 2 * sec}, Target: servers, Count: Range{2, 5}, Amount: Span{5 * ms, 100 * ms}},
		{Kind: CrashRecovery, Weight: 15, Every: 6 * sec, For: Span{50 * ms, sec}, Target: servers, Count: Range{1, 12}, Profiles: profiles},
		{Kind: SlowNode, Weight: 15, Every: 6 * sec, For: Span{200 * ms, 2 * sec}, Target: servers, Amount: Span{ms, 20 * ms}},
	}
}

func defaultNetwork() Rules {
	servers, all, among := Target{Group: "servers"}, Target{Group: "servers", Pick: All}, []string{"@servers"}
	cut := Span{100 * ms, 3 * sec}
	bad := Span{100 * ms, 2 * sec}
	rate := Range{10_000, 300_000}
	self := Target{Group: "servers", Pick: Self}
	return Rules{
		{Kind: Isolate, Name: "cut-at-point", Weight: 25, Every: 500 * ms, For: Span{300 * ms, sec}, Target: self, Peers: among, Whens: []Trigger{{Point: AnyPoint}}},
		{Kind: OneWay, Name: "one-way-link", Weight: 25, Every: 5 * sec, For: cut, Target: servers, Peers: among, Count: Range{1, 1}},
		{Kind: Ring, Weight: 12, Every: 5 * sec, For: cut, Target: all},
		{Kind: Bridge, Weight: 12, Every: 5 * sec, For: cut, Target: all},
		{Kind: Partial, Weight: 12, Every: 5 * sec, For: cut, Target: all, Rate: Range{200_000, 600_000}},
		{Kind: Flap, Weight: 12, Every: 5 * sec, For: cut, Target: servers, Peers: among, Amount: Span{20 * ms, 300 * ms}},
		{Kind: ClientsCut, Weight: 12, Every: 5 * sec, For: cut, Target: servers, Picks: []Pick{One, Minority, All}},
		{Kind: Clog, Weight: 15, Every: 4 * sec, For: bad, Target: servers, Profiles: []string{"", "in", "out"}},
		{Kind: SwizzleClog, Weight: 12, Every: 5 * sec, For: bad, Target: servers, Picks: []Pick{Half, Majority, All}},
		{Kind: LongTail, Weight: 10, Every: 4 * sec, For: bad, Rate: Range{1000, 50_000}, Amount: Span{100 * ms, sec}},
		{Kind: LossBurst, Weight: 15, Every: 4 * sec, For: bad, Rate: Range{5000, 50_000}, Count: Range{2, 32}},
		{Kind: LateDuplicate, Weight: 15, Every: 3 * sec, For: bad, Rate: rate, Amount: Span{200 * ms, 4 * sec}},
		{Kind: CorruptMessage, Weight: 8, Every: 4 * sec, For: bad, Rate: rate, Count: Range{1, 32}},
		{Kind: Bandwidth, Weight: 10, Every: 5 * sec, For: bad, Rate: Range{1000, 50_000}, Count: Range{500, 20_000}, Profiles: []string{"", "early"}},
		{Kind: DropMessage, Weight: 15, Every: sec, For: Span{500 * ms, 2 * sec}, Target: servers, Count: Range{1, 10}},
		{Kind: HoldMessage, Weight: 15, Every: sec, For: Span{500 * ms, 2 * sec}, Target: servers, Count: Range{1, 10}, Amount: Span{100 * ms, 8 * sec}},
		{Kind: LoseReply, Weight: 15, Every: sec, For: Span{500 * ms, 2 * sec}, Target: servers, Count: Range{1, 5}},
	}
}

func defaultClock() Rules {
	servers := Target{Group: "servers"}
	return Rules{
		{Kind: ClockOffset, Weight: 10, Every: 6 * sec, For: Span{200 * ms, 5 * sec}, Target: servers, Amount: Span{-5 * sec, 5 * sec}},
		{Kind: ClockStepDown, Weight: 10, Every: 6 * sec, For: Span{20 * ms, sec}, Target: servers, Amount: Span{-5 * sec, 5 * sec}},
		{Kind: ClockStrobe, Weight: 10, Every: 8 * sec, For: Span{50 * ms, sec}, Target: servers, Amount: Span{-sec, sec}},
		{Kind: ClockFreeze, Weight: 10, Every: 6 * sec, For: Span{100 * ms, 3 * sec}, Target: servers, Profiles: []string{"", "all"}},
		{Kind: ClockTick, Weight: 10, Every: 6 * sec, For: Span{500 * ms, 5 * sec}, Target: servers, Amount: Span{10 * ms, sec}},
		{Kind: TimerError, Weight: 12, Every: 6 * sec, For: Span{500 * ms, 5 * sec}, Target: servers, Amount: Span{ms, 200 * ms}, Profiles: []string{"", "early", "late"}},
	}
}
