package faultline

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// weakerFaults returns a fault at less strength, the weakest first.
func weakerFaults(whole *fault.Fault) []entry {
	var out []entry
	vary := func(change func(f *fault.Fault)) {
		f := *whole
		f.Nodes = slices.Clone(f.Nodes)
		if change(&f); (entry{fault: &f}).key() != (entry{fault: whole}).key() {
			out = append(out, entry{fault: &f})
		}
	}
	if len(whole.Nodes) > 1 {
		for i := range whole.Nodes {
			vary(func(f *fault.Fault) { f.Nodes = slices.Delete(f.Nodes, i, i+1) })
		}
	}
	for _, nth := range []int{1, whole.When.Nth / 2} { // sooner, so that less is needed
		if nth > 0 && nth < whole.When.Nth {
			vary(func(f *fault.Fault) { f.When.Nth = nth })
		}
	}
	for _, part := range []time.Duration{10, 2} {
		vary(func(f *fault.Fault) {
			if f.For/part >= time.Millisecond {
				f.For = (f.For / part).Truncate(time.Millisecond)
			}
		})
		vary(func(f *fault.Fault) {
			if f.Rate/int64(part) != 0 { // 0 can mean all
				f.Rate /= int64(part)
			}
		})
		vary(func(f *fault.Fault) { f.Count = max(f.Count/int64(part), min(f.Count, 1)) })
		vary(func(f *fault.Fault) {
			if f.Amount.Abs()/part >= time.Millisecond {
				f.Amount = (f.Amount / part).Truncate(time.Millisecond)
			}
		})
	}
	return out
}

// join returns faults that may do what two do: of the same kind and strength, on
// the nodes of both or on everyone that there is, at the time of either, or as long as
// both if their windows meet; or of a kind that is made of the two.
func (e entry) join(other entry, everyone func(fault.Kind) []string) []entry {
	switch {
	case e.fault == nil || other.fault == nil:
		return nil
	case e.fault.Kind != other.fault.Kind:
		return append(e.setWhileDown(other), other.setWhileDown(e)...)
	}
	if e.fault.At > other.fault.At {
		e, other = other, e
	}
	end := max(e.fault.At+e.fault.For, other.fault.At+other.fault.For)
	nodes := slices.Concat(e.fault.Nodes, other.fault.Nodes)
	slices.Sort(nodes)
	nodes, all := slices.Compact(nodes), everyone(e.fault.Kind)
	meet := e.fault.When == other.fault.When && e.fault.At+e.fault.For >= other.fault.At
	var out []entry
	for _, like := range []entry{other, e} {
		both := *like.fault
		both.Nodes, both.For = nodes, max(e.fault.For, other.fault.For)
		out = append(out, entry{fault: &both, place: like.place})
		if long := both; meet && end > both.At+both.For {
			long.For = end - both.At
			out = append(out, entry{fault: &long, place: like.place})
		}
		if wide := both; len(all) > len(nodes) && len(nodes) > 0 {
			wide.Nodes = all
			out = append(out, entry{fault: &wide, place: like.place})
		}
	}
	return out
}

// setWhileDown returns faults that set a clock while the process is down, as it is in
// the other: by as much as e does, or back again, as an offset does when it ends.
func (e entry) setWhileDown(down entry) (out []entry) {
	crashes := []fault.Kind{fault.Kill, fault.PowerLoss, fault.Outage, fault.CrashRecovery}
	if e.fault.Kind != fault.ClockStep && e.fault.Kind != fault.ClockOffset || !slices.Contains(crashes, down.fault.Kind) {
		return nil
	}
	amounts := []time.Duration{e.fault.Amount}
	if e.fault.Kind == fault.ClockOffset {
		amounts = append(amounts, -e.fault.Amount)
	}
	for _, amount := range amounts {
		both := *down.fault
		both.Kind, both.Amount, both.Count, both.Profile = fault.ClockStepDown, amount, 0, ""
		out = append(out, entry{fault: &both, place: down.place})
	}
	return out
}
