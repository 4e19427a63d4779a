// Package artifact defines the files that a failing seed leaves behind, and
// reads and writes them.
//
// An artifact is a directory, <root>/<package>/<test>/<seed>, with names made
// safe by [SafeName]; that of a replayed schedule has a part of the schedule's
// hash after the seed. Its files:
//
//	report.json        what happened, for programs; lists the other files
//	report.txt         the same for people; opens with the story in five lines
//	trace.jsonl        every record of the run, one a line
//	schedule.json      the faults, and the random choices that mattered
//	schedule.min.json  a smaller schedule with the same failure
//	*.min.json[l]      report, trace and history of its run
//	history.jsonl      what the clients did and saw
//	shrink.jsonl       what shrinking has learnt so far, for faultline's own use
//	timeline.html      the run to look at in a browser, in one file
//	timeline.txt       the run, event by event
//	decided.svg        when the failure became unavoidable
//	causes.mmd, spacetime.svg, plots.svg, perfetto.json, and files that a check adds
//
// schedule.json is the format of package fault, history.jsonl that of package
// history; the others are of this package, at version [Version]. All of them
// have a JSON Schema in the docs of faultline.
//
// # Writing
//
// A [Writer] writes aside, in a hidden directory beside the final one, and
// renames the whole at [Writer.Commit]: readers see all of it or nothing. An
// error leaves nothing behind, and what was there before stays. A later
// artifact of the same run replaces an earlier one, but a pass never replaces
// a failure, nor does a run with the same trace hash that was not shrunk replace
// one that was. A view that cannot be written, [Writer.View], is left out, and the
// rest is there. What a killed program leaves is put right by the next one that
// writes, reads or lists, see [Recover]. Symbolic links below the root, and directories that are no
// artifact of the same run, are refused.
//
// # Reading
//
// [Read] trusts nothing. Unknown, repeated and missing fields, wrong types and
// newer versions are errors that name the file, the line, the field and what
// to do; so are missing files and files with fewer lines than report.json
// says. Only regular files inside the directory are read. Sizes are bounded by
// [MaxReport], [MaxLine], [MaxTrace], [MaxFiles], [MaxFile] and the limits of
// packages fault and history.
//
// # The trace
//
// The first line is a header with format and version. Each further line is one
// record, its time in nanoseconds:
//
//	{"index":7,"time":1500000,"event":4,"cause":2,"node":"n1","boot":1,"kind":"net/send","attrs":{"to":"n2","wait":{"ns":1000}}}
//
// Attributes are text, integers or truth values as JSON has them; durations
// are {"ns":…} and digests {"hash":"…"} with 16 hexadecimal digits. Of a key
// that a record has twice, the second is written as key#2. The fields
// goroutine (a number) and sched (16 hexadecimal digits) are reserved for
// later versions of faultline; readers of version 1 accept and ignore them.
//
// # Limits
//
// Files are not synced to the disk: an artifact is safe from a crash of the
// program, not of the machine. Of two programs that commit the artifact of one
// run at the same instant, the last stays. Text that is not UTF-8 comes back with U+FFFD in place of the bad bytes.
package artifact
