package faultline

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// strength says how strongly a fault hits, such as "by -3s" or "10% fast". It is
// empty for kinds that have no strength, and where the default of the kind counts.
func strength(f *fault.Fault) string {
	switch f.Kind {
	case fault.ClockStep, fault.ClockOffset, fault.ClockStepDown, fault.ClockStrobe:
		return fmt.Sprintf("by %v", f.Amount)
	case fault.ClockTick:
		return fmt.Sprintf("in ticks of %v", f.Amount)
	case fault.TimerError:
		return fmt.Sprintf("by up to %v", f.Amount)
	case fault.ClockDrift:
		if f.Rate < 0 {
			return percent(-f.Rate) + " slow"
		}
		return percent(f.Rate) + " fast"
	case fault.SlowNode:
		return fmt.Sprintf("%v for each event", f.Amount)
	case fault.CrashLoop:
		return list(given(f.Count, "%d times"), lasting(f.Amount, "up to %v after each start"))
	case fault.CrashRecovery:
		return given(f.Count, "again before disk operation %d")
	case fault.Upgrade:
		return lasting(f.Amount, "one every %v")
	case fault.OneWay:
		return given(f.Count, "to %d of them")
	case fault.Partial:
		return share(f.Rate, "%s of the pairs")
	case fault.Flap:
		return lasting(f.Amount, "in spells of around %v")
	}
	if text, ok := strengthOfMessages(f); ok {
		return text
	}
	return strengthOfDisk(f)
}

func strengthOfMessages(f *fault.Fault) (string, bool) {
	some := share(f.Rate, "%s of the messages")
	switch f.Kind {
	case fault.Loss, fault.Duplicate:
		return some, true
	case fault.Delay, fault.LongTail, fault.LateDuplicate:
		return list(some, lasting(f.Amount, "by up to %v")), true
	case fault.Latency:
		return lasting(f.Amount, "by %v"), true
	case fault.LossBurst:
		return list(share(f.Rate, "a burst at %s of the messages"), given(f.Count, "of up to %d")), true
	case fault.CorruptMessage:
		return list(some, given(f.Count, "up to %d bits")), true
	case fault.Bandwidth:
		return list(fmt.Sprintf("%d bytes a second", f.Rate), given(f.Count, "%d may wait")), true
	case fault.DropMessage, fault.LoseReply:
		return list(f.Message, given(f.Count, "number %d")), true
	case fault.HoldMessage:
		return list(f.Message, given(f.Count, "number %d"), lasting(f.Amount, "by %v")), true
	}
	return "", false
}

func strengthOfDisk(f *fault.Fault) string {
	switch f.Kind {
	case fault.SyncFail, fault.WriteFail, fault.ReadFail:
		return share(f.Rate, "%s of them")
	case fault.SlowDisk:
		return list(given(f.Rate, "%d times as long"), lasting(f.Amount, "up to %v more"))
	case fault.FullDisk:
		if f.Profile == "inodes" {
			return fmt.Sprintf("%d files left", f.Rate)
		}
		return fmt.Sprintf("%d bytes left", f.Rate)
	case fault.Corrupt:
		return given(f.Rate, "%d bits")
	}
	return ""
}

// given, lasting and share are the text of a field, and nothing if it is not set.
func given(n int64, text string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(text, n)
}

func lasting(d time.Duration, text string) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf(text, d)
}

func share(ppm int64, text string) string {
	if ppm == 0 {
		return ""
	}
	return fmt.Sprintf(text, percent(ppm))
}

// list joins the parts that are there.
func list(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}

// percent writes parts per million, such as 12.5%.
func percent(ppm int64) string {
	text := fmt.Sprintf("%d.%04d", ppm/10_000, ppm%10_000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".") + "%"
}
