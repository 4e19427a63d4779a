package fault

import (
	"slices"
	"strings"
)

// area says which part of the system a kind acts on.
type area uint8

const (
	onProcess area = iota
	onNetwork
	onStream
	onDisk
	onClock
)

// trait is what the planner and the injector need to know of a kind.
type trait struct {
	kind    Kind
	on      area
	takes   bool // it takes its nodes out of service: counts against the budget
	instant bool // it is over at once
	links   bool // without a target it hits all links
	forever bool // it is not over at the end of its window
}

// traits holds every kind once, in the order of the documentation.
func traits() []trait {
	return []trait{
		{kind: Kill, on: onProcess, takes: true},
		{kind: PowerLoss, on: onProcess, takes: true},
		{kind: Pause, on: onProcess, takes: true},
		{kind: CrashLoop, on: onProcess, takes: true},
		{kind: CrashRecovery, on: onProcess, takes: true},
		{kind: LoseNode, on: onProcess, takes: true, forever: true},
		{kind: Leave, on: onProcess, takes: true, forever: true},
		{kind: Join, on: onProcess, instant: true},
		{kind: Upgrade, on: onProcess, takes: true},
		{kind: SlowNode, on: onProcess},
		{kind: Isolate, on: onNetwork, takes: true},
		{kind: Partition, on: onNetwork, takes: true},
		{kind: OneWay, on: onNetwork, takes: true},
		{kind: Ring, on: onNetwork},
		{kind: Bridge, on: onNetwork},
		{kind: Partial, on: onNetwork},
		{kind: Flap, on: onNetwork, takes: true},
		{kind: ClientsCut, on: onNetwork},
		{kind: Clog, on: onNetwork, takes: true},
		{kind: SwizzleClog, on: onNetwork},
		{kind: Loss, on: onNetwork, links: true},
		{kind: Duplicate, on: onNetwork, links: true},
		{kind: Delay, on: onNetwork, links: true},
		{kind: Latency, on: onNetwork, links: true},
		{kind: LongTail, on: onNetwork, links: true},
		{kind: LossBurst, on: onNetwork, links: true},
		{kind: LateDuplicate, on: onNetwork, links: true},
		{kind: CorruptMessage, on: onNetwork, links: true},
		{kind: Bandwidth, on: onNetwork, links: true},
		{kind: DropMessage, on: onNetwork},
		{kind: HoldMessage, on: onNetwork},
		{kind: LoseReply, on: onNetwork},
		{kind: StreamRefuse, on: onStream},
		{kind: StreamHang, on: onStream},
		{kind: StreamReset, on: onStream, instant: true},
		{kind: StreamHalfOpen, on: onStream, instant: true},
		{kind: StreamShort, on: onStream},
		{kind: Outage, on: onProcess},
		{kind: SyncFail, on: onDisk},
		{kind: WriteFail, on: onDisk},
		{kind: ReadFail, on: onDisk},
		{kind: SlowDisk, on: onDisk},
		{kind: StallDisk, on: onDisk},
		{kind: FullDisk, on: onDisk},
		{kind: ReadOnlyDisk, on: onDisk},
		{kind: Corrupt, on: onDisk, instant: true},
		{kind: WipeDisk, on: onDisk, takes: true},
		{kind: SwapDisks, on: onDisk, takes: true},
		{kind: ClockStep, on: onClock, instant: true},
		{kind: ClockOffset, on: onClock},
		{kind: ClockStepDown, on: onClock, takes: true},
		{kind: ClockStrobe, on: onClock},
		{kind: ClockFreeze, on: onClock},
		{kind: ClockTick, on: onClock},
		{kind: TimerError, on: onClock},
		{kind: ClockDrift, on: onClock},
	}
}

func (k Kind) trait() (trait, bool) {
	for _, t := range traits() {
		if t.kind == k {
			return t, true
		}
	}
	return trait{}, false
}

func (k Kind) known() bool {
	_, ok := k.trait()
	return ok
}

// Kinds returns every kind, in the order of the documentation.
func Kinds() []Kind {
	var out []Kind
	for _, t := range traits() {
		out = append(out, t.kind)
	}
	return out
}

func kindList() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// sortByTime orders faults by time, those of one time by identity.
func sortByTime(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if a.At != b.At {
			if a.At < b.At {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
}
