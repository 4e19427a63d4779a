package kv

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// evidence is what the story in report.txt must say, as regular expressions, so
// that someone who has not written the store can name the cause of a failure: the
// node, the fault that it takes, and the operation concerned.
type evidence struct{ node, fault, operation string }

const (
	put     = `op \d+, c\d put\(\w=c\d-\d+\)`
	get     = `op \d+, c\d get\(\w\) ok`
	noPower = `(power-loss|outage) on n\d`
	apart   = `((isolate|partition|ring|bridge|partial|flap) on n\d|one-way cut n\d→)[^;]*\(\d+ messages? cut off`
)

// toRead holds for each planted bug what must be read.
var toRead = map[string]evidence{
	// The server that answered, or the one that leads now, lost what it had
	// not synced, and has few entries since.
	"AckBeforeSync": {`n\d recovered entries=\d+`, noPower + `[^;]*\(n\d lost \d+ of \d+ unsynced disk operations?, first \d+ bytes of log`, put},
	// The new name of the log was lost, and the old file is back.
	"NoDirSync": {`n\d recovered entries=\d+`, noPower + `[^;]*\(n\d lost \d+ of \d+ unsynced disk operations?, first (rename|link|unlink) of log`, put},
	// The sync failed, the second was believed, and the power loss took the data.
	"RetryFailedSync": {`n\d recovered entries=\d+`, `sync-fail on n\d.*n\d's sync of log(\.new)? failed at .*` + noPower, put},
	// A server came back with fewer entries than it had acknowledged, or leads so.
	"AppendAfterTear": {`n\d (recovered entries|leads term)=\d+`, `(power-loss|outage) on n\d[^;]*\(torn\) at [\d.]+s \(n\d (lost|tore)`, put},
	// A server voted, lost its power, and voted for another one in the term.
	"ForgetVote": {`n\d leads term=\d+.*n\d leads term=\d+`, noPower, `n\d votes term=\d+ for=n\d`},
	// All stand for election together, again and again; no fault is needed.
	"SameTimeout": {`n1 stands term=\d+.*n2 stands term=\d+.*n3 stands term=\d+`, ``, `the last put that succeeded was called at`},
	// A server that was cut off kept what the new leader never had: a write, or a
	// read that only the check itself names.
	"KeepConflict": {`n\d leads term=\d+`, apart, put + `|entry \d+ is "get \w of term`},
	// The client asked again, or the network repeated what it asked.
	"ApplyTwice": {`(asked|last) of n\d`, `asked \d+ times|messages? repeated[^;]*; of the client concerned, the last one`, put},
	// A server that led once answered a read by itself.
	"StaleReads": {`asked of n\d`, apart, get},
	// The clock of a leader was wrong.
	"ClockOrder": {`asked of n\d`, `clock-step on n\d[^;]*\(n\d's wall clock moved by`, put},
}

// checkReport demands that the report of the failure that a bug's check has found
// can be understood by itself.
func checkReport(t *testing.T, out string, p plant) {
	t.Helper()
	text := reportOf(t, out, p.check)
	story, _, ok := strings.Cut(text, "\nreplay:")
	if !ok {
		t.Fatalf("report.txt has no replay command:\n%s", text)
	}
	want, ok := toRead[p.name]
	if !ok {
		t.Fatalf("nobody has said what a reader must see of %s", p.name)
	}
	for what, expr := range map[string]string{"the node": want.node, "the fault": want.fault, "the operation": want.operation} {
		if !regexp.MustCompile("(?s)" + expr).MatchString(story) {
			t.Errorf("report.txt does not name %s, as %s:\n%s", what, expr, story)
		}
	}
}

// reportOf returns the report.txt of the first failure of a check.
func reportOf(t *testing.T, out, check string) string {
	t.Helper()
	for _, dir := range artifactLine.FindAllStringSubmatch(out, -1) {
		text, err := os.ReadFile(filepath.Join(dir[1], "report.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if headline, _, _ := strings.Cut(string(text), "\n"); strings.Contains(headline, fmt.Sprintf("%q", check)) {
			return string(text)
		}
	}
	t.Fatalf("no artifact is of the check %q:\n%s", check, out)
	return ""
}
