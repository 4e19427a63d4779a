package artifact

import (
	"fmt"
	"strings"
)

// Version is the version of report.json and trace.jsonl that this package
// reads and writes.
const Version = 1

// The files of an artifact directory that have a fixed name.
const (
	ReportFile   = "report.json"       // what happened, for programs
	TextFile     = "report.txt"        // what happened, for people
	TraceFile    = "trace.jsonl"       // every record of the run
	ScheduleFile = "schedule.json"     // the faults and choices
	MinimalFile  = "schedule.min.json" // a smaller schedule with the same failure
	HistoryFile  = "history.jsonl"     // what the clients did
	TimelineFile = "timeline.txt"      // the run, event by event
	CausesFile   = "causes.mmd"        // what led to the failure, a Mermaid diagram
	PageFile     = "timeline.html"     // the same to click
	PlotsFile    = "plots.svg"         // rate and latency of the clients' operations
	SpaceFile    = "spacetime.svg"     // what led to the failure, a space-time diagram
	PerfettoFile = "perfetto.json"     // the run for Perfetto and Chrome's trace viewer
	DecidedFile  = "decided.svg"       // when the failure became unavoidable, see [Why]
	ShrinkFile   = "shrink.jsonl"      // what shrinking has learnt, to go on from
)

// The files of the run of schedule.min.json.
const (
	MinimalReportFile  = "report.min.json"   // as ReportFile
	MinimalTraceFile   = "trace.min.jsonl"   // as TraceFile
	MinimalHistoryFile = "history.min.jsonl" // as HistoryFile
)

// names are the files that hold a run.
type names struct{ report, schedule, trace, history string }

var (
	whole   = names{ReportFile, ScheduleFile, TraceFile, HistoryFile}
	minimal = names{MinimalReportFile, MinimalFile, MinimalTraceFile, MinimalHistoryFile}
)

const (
	// MaxReport is the largest report.json that [Read] takes, in bytes.
	MaxReport = 16 << 20
	// MaxLine is the longest line of trace.jsonl, in bytes.
	MaxLine = 1 << 20
	// MaxTrace is the largest trace.jsonl that [Read] takes, in bytes: 16 GiB.
	MaxTrace int64 = 16 << 30
	// MaxFiles is how many files an artifact may list.
	MaxFiles = 1000

	reportFormat = "faultline/report"
	traceFormat  = "faultline/trace"
)

// checkName refuses names that are not plain file names on every system.
func checkName(name string) error {
	bad := name == "" || len(name) > maxElement || reserved(name) || strings.HasSuffix(name, ".") || !plain(name[0]) || name[0] == '.' || name[0] == '-'
	for i := range len(name) {
		bad = bad || !plain(name[i])
	}
	if bad {
		return fmt.Errorf("%q is no safe file name; use up to %d letters, digits, '.', '-', '_' and ',', starting with a letter or digit", name, maxElement)
	}
	return nil
}

// writerOf names the method that writes a file, for files with one of their
// own.
func writerOf(name string) string {
	switch strings.ToLower(name) {
	case ReportFile, TextFile:
		return "Report"
	case TraceFile:
		return "Trace"
	case ScheduleFile:
		return "Schedule"
	case HistoryFile:
		return "History"
	case MinimalReportFile, MinimalTraceFile, MinimalHistoryFile:
		return "MinimalRun"
	}
	return ""
}
