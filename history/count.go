package history

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Counts says how many operations ended in which way.
type Counts struct {
	OK      int             // operations that are [OK]
	Fail    int             // operations that are [Fail]
	Unknown int             // operations that are [Unknown]
	Pending int             // operations that are [Pending]
	Each    []FunctionCount // by function, sorted by name
}

// FunctionCount counts the operations of one function.
type FunctionCount struct {
	Function string // what was called
	OK       int    // operations that are [OK]
	Fail     int    // operations that are [Fail]
	Unknown  int    // operations that are [Unknown]
	Pending  int    // operations that are [Pending]
}

// Total returns the number of operations.
func (c Counts) Total() int { return c.OK + c.Fail + c.Unknown + c.Pending }

// String returns the counts in one line, such as
// "12 operations: 9 ok, 1 fail, 2 unknown, 0 pending".
func (c Counts) String() string {
	what := "operations"
	if c.Total() == 1 {
		what = "operation"
	}
	return fmt.Sprintf("%d %s: %d ok, %d fail, %d unknown, %d pending",
		c.Total(), what, c.OK, c.Fail, c.Unknown, c.Pending)
}

// Count counts operations.
func Count(ops iter.Seq[*Operation]) Counts {
	var c Counts
	place := map[string]int{}
	for op := range ops {
		i, ok := place[op.Function]
		if !ok {
			i = len(c.Each)
			place[op.Function] = i
			c.Each = append(c.Each, FunctionCount{Function: op.Function})
		}
		f := &c.Each[i]
		switch op.Status {
		case OK:
			c.OK++
			f.OK++
		case Fail:
			c.Fail++
			f.Fail++
		case Unknown:
			c.Unknown++
			f.Unknown++
		case Pending:
			c.Pending++
			f.Pending++
		}
	}
	slices.SortFunc(c.Each, func(a, b FunctionCount) int { return cmp.Compare(a.Function, b.Function) })
	return c
}
