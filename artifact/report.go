package artifact

import (
	"fmt"

	"github.com/hmdsefi/faultline/history"
)

// Report is what report.json holds: why a seed failed, and everything that is
// needed to see it again. A field that is not known is left at its zero value.
// The writer fills in Format, Version and Files.
type Report struct {
	Format  string `json:"format"`  // "faultline/report"
	Version int    `json:"version"` // version of the format, see [Version]

	Result    Result    `json:"result"`                // how the run ended
	Faultline string    `json:"faultline"`             // version of faultline
	Go        string    `json:"go"`                    // version of Go, such as "go1.26.0"
	Binary    string    `json:"binary,omitempty"`      // SHA-256 of the test's executable in hexadecimal; empty if not known
	Test      string    `json:"test"`                  // full name of the test, without the subtest of the seed
	Package   string    `json:"package"`               // import path of the test's package
	Seed      Hex64     `json:"seed"`                  // seed of the run
	Variant   string    `json:"variant,omitempty"`     // empty for the run that the seed draws; tells that of a replayed schedule from it
	Story     []string  `json:"story,omitempty"`       // what happened, in about five lines
	Failure   *Failure  `json:"failure,omitzero"`      // why it failed; nil when it passed
	Shrunk    *Shrunk   `json:"shrunk,omitzero"`       // the smaller run with the same failure; nil if there is none
	Replay    Replay    `json:"replay,omitzero"`       // how to see it again
	TraceHash string    `json:"trace_hash"`            // SHA-256 of the trace in hexadecimal; empty without a trace
	Signature string    `json:"signature,omitempty"`   // what repeats of one failure have in common
	Options   []Setting `json:"options,omitempty"`     // the test's options, in their order
	Env       []Setting `json:"environment,omitempty"` // environment variables that had an effect

	Groups []Group `json:"groups,omitempty"` // which nodes belong together; a node can be in several

	Run         RunStats    `json:"run,omitzero"`          // how much happened
	Faults      []FaultStat `json:"faults,omitempty"`      // what became of the planned faults, by kind
	Intensities []Setting   `json:"intensities,omitempty"` // what was drawn for this seed, by rule
	History     *Operations `json:"history,omitzero"`      // what became of the clients' operations
	Invariants  []CheckStat `json:"invariants,omitempty"`  // what the checks cost
	Coverage    []Property  `json:"coverage,omitempty"`    // properties that are to hold sometimes

	Why *Why `json:"why,omitzero"` // what the parts of the shrunk schedule are for

	Files []File `json:"files,omitempty"` // what the directory holds, except this file; filled in when written
}

// Result says how a run ended.
type Result string

// The results.
const (
	Failed Result = "fail" // a check failed, or the run could not go on
	Passed Result = "pass" // all checks held
)

// Failure is why a run failed.
type Failure struct {
	Kind    string   `json:"kind"`             // see the kinds of kernel.Failure
	Check   string   `json:"check"`            // name of the check
	Message string   `json:"message"`          // what was seen and what was expected
	Time    Duration `json:"time"`             // virtual time since the start
	Event   uint64   `json:"event"`            // number of the event
	Node    string   `json:"node,omitempty"`   // node that the event ran on, empty for none
	Stack   string   `json:"stack,omitempty"`  // stack of the code that panicked or did not return
	Detail  string   `json:"detail,omitempty"` // more about it, in lines of text
}

// What says in words what failed, such as `invariant "one leader" failed`,
// "timeout", or `panic in "one leader"`. It is not escaped.
func (f *Failure) What() string {
	switch f.Kind {
	case "panic", "fatal", "misuse", "error", "timeout", "limit", "determinism": // the run could not go on, or means nothing
		if f.Check == "" || f.Check == f.Kind {
			return f.Kind
		}
		return fmt.Sprintf("%s in %q", f.Kind, f.Check)
	}
	return fmt.Sprintf("%s %q failed", f.Kind, f.Check)
}

// Shrunk is the run of the smallest part of the schedule that still failed in
// the same way: what the failure takes, and what happened with that alone.
type Shrunk struct {
	Takes []string `json:"takes"`           // what was gained, then the faults and choices that are left, in words
	Story []string `json:"story,omitempty"` // what happened, in about five lines
	Time  Duration `json:"time"`            // virtual time of the failure
	Event uint64   `json:"event"`           // number of its event
	Node  string   `json:"node,omitempty"`  // node that the event ran on, empty for none
}

// Group is a set of nodes that have something in common, such as "servers" or
// "clients".
type Group struct {
	Name  string   `json:"name"`  // what targets of faults call it
	Nodes []string `json:"nodes"` // its members, in the order in which they were added
}

// Replay says how to run the seed again.
type Replay struct {
	Command string `json:"command"`       // shell command
	Dir     string `json:"dir,omitempty"` // directory to run it in
}

// Setting is a named value.
type Setting struct {
	Name  string `json:"name"`  // what was set
	Value string `json:"value"` // to what, as text
}

// RunStats says how much happened in a run.
type RunStats struct {
	Stop     string   `json:"stop,omitempty"`     // why it ended, in a word
	Time     Duration `json:"time"`               // virtual time at the end
	Events   uint64   `json:"events"`             // number of events
	Records  uint64   `json:"records"`            // number of trace records
	TraceCut bool     `json:"trace_cut,omitzero"` // the trace grew too large and is kept in part
	Nodes    int      `json:"nodes,omitzero"`     // number of nodes
	RealTime Duration `json:"real_time,omitzero"` // what it took; differs from run to run
}

// FaultStat counts the planned faults of one kind.
type FaultStat struct {
	Kind     string `json:"kind"`      // kind of fault
	Planned  int    `json:"planned"`   // all of them
	Fired    int    `json:"fired"`     // changed something
	Inert    int    `json:"inert"`     // fired and changed nothing
	NoTarget int    `json:"no_target"` // found nobody to hit
	Skipped  int    `json:"skipped"`   // would have hit too many servers at once
}

// Operations counts the operations of clients.
type Operations struct {
	OK      int             `json:"ok"`                  // took effect
	Fail    int             `json:"fail"`                // took no effect
	Unknown int             `json:"unknown"`             // may have taken effect
	Pending int             `json:"pending"`             // had not ended
	Each    []FunctionCount `json:"functions,omitempty"` // by function
}

// FunctionCount counts the operations of one function.
type FunctionCount struct {
	Function string `json:"function"` // what was called
	OK       int    `json:"ok"`       // took effect
	Fail     int    `json:"fail"`     // took no effect
	Unknown  int    `json:"unknown"`  // may have taken effect
	Pending  int    `json:"pending"`  // had not ended
}

// CountOperations makes the counts of a report from those of a history.
func CountOperations(c history.Counts) *Operations {
	out := &Operations{OK: c.OK, Fail: c.Fail, Unknown: c.Unknown, Pending: c.Pending}
	for _, f := range c.Each {
		out.Each = append(out.Each, FunctionCount(f))
	}
	return out
}

// CheckStat says how often a check ran and what that cost.
type CheckStat struct {
	Name string   `json:"name"`          // name of the check
	Runs uint64   `json:"runs"`          // how often it ran
	Cost Duration `json:"cost,omitzero"` // real time or CPU time in all; 0 if not measured
}

// Property is something that is to hold at least once over the seeds of a test.
type Property struct {
	Name string `json:"name"` // name of the property
	Seen uint64 `json:"seen"` // how often it held in this run
}

// File is an entry of the list of files.
type File struct {
	Name  string `json:"name"`           // name in the directory
	Lines uint64 `json:"lines,omitzero"` // of JSON Lines files: lines after the header
}
