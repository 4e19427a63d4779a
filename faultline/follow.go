package faultline

import (
	"math"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

const (
	fewFates = 4 // and faults that wait, of a schedule in which they follow operations
	reach    = 3 // how many numbers they are moved when one operation goes
)

// follow returns rest, which is a schedule without the operations gone, with
// what comes after them moved to smaller numbers. A fate names the 18th message on
// a link or the 18th write to a file, and a fault may wait for the 18th sync;
// without an operation it would have been the 17th, and comes at another time, by
// another name: a fate that is moved is found by its number.
func follow(gone, rest []entry) (out [][]entry) {
	first := kernel.Time(math.MaxInt64)
	for _, e := range gone {
		if e.choice == nil {
			return nil
		}
		if _, is := isOperation(*e.choice); !is {
			return nil
		}
		first = min(first, e.choice.Time)
	}
	var later []int
	for i, e := range rest {
		if e.counts() && (e.fault != nil || e.choice.Time >= first) {
			later = append(later, i)
		}
	}
	if len(gone) == 0 || len(later) == 0 || len(later) > fewFates {
		return nil
	}
	for _, by := range shifts(uint64(len(gone))) {
		if list := earlier(rest, later, by); list != nil {
			out = append(out, list)
		}
		for _, i := range later {
			if list := earlier(rest, []int{i}, by); list != nil && len(later) > 1 {
				out = append(out, list)
			}
		}
	}
	return out
}

// shifts are how many messages or writes so many operations may have made,
// likely ones first.
func shifts(operations uint64) []uint64 {
	if operations == 1 {
		return []uint64{0, 1, 2, reach}
	}
	return slices.Compact([]uint64{0, operations, operations / 2, 2 * operations})
}

// earlier moves the entries at those places to numbers that are by smaller; nil
// if there are none.
func earlier(entries []entry, places []int, by uint64) []entry {
	out, same := slices.Clone(entries), true
	for _, i := range places {
		if f := out[i].fault; f != nil {
			same = same && by == 0
			moved := *f
			if moved.When.Nth -= int(by); moved.When.Nth < 1 {
				return nil
			}
			out[i].fault = &moved
			continue
		}
		moved := *out[i].choice
		if moved.N <= by {
			return nil
		}
		same = same && by == 0 && moved.Of == 0
		moved.N, moved.Of = moved.N-by, 0
		out[i].choice = &moved
	}
	if same {
		return nil
	}
	return out
}

// counts reports whether an entry names something by its number: what happened to
// a message or a disk, or a fault that waits for the n-th of something.
func (e entry) counts() bool {
	switch {
	case e.fault != nil:
		return e.fault.When.Nth > 1
	case e.choice == nil:
		return false
	}
	_, is := isOperation(*e.choice)
	return !is && !strings.HasPrefix(e.choice.Point, "setup/")
}
