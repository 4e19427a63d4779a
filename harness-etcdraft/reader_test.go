package etcdraft

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// evidence is what report.txt must say of a planted bug, as regular
// expressions, so that its cause can be named by someone who sees nothing else.
// The node is named in all of them.
type evidence struct {
	fault     string // that it takes, and what that did; empty: it takes none
	operation string // that went wrong: on a disk, on the network, or of a client
}

const (
	ofLog   = `n\d disk (append|sync|write) file=wal/`
	ofSnap  = `n\d disk (open|append|remove|sync|rename) file=(snap|wal)/`
	ofMsg   = `n\d → n\d Msg\w+`
	toApply = `n\d ← n\d MsgApp` // what the entry came with
	toSend  = `n\d → n\d snapshot-piece`
	ofRead  = `c\d get\(\w\)`
	ofWrite = `request \d+ of session \d+`
	ofConf  = `n\d conf-(proposed|applied)|configuration change that n\d has applied in this boot is entry \d+`
)

var toRead = map[string]evidence{
	"SendBeforePersist":  {"", ofMsg},
	"SkipSync":           {"", ofLog},
	"SkipDirSync":        {"", ofLog},
	"RetryFailedSync":    {`sync-fail on n\d[^;]*\(n\d's sync of wal/\d+ failed at`, ofLog},
	"AcceptTornTail":     {`(power-loss|outage) on n\d[^;]*\(n\d lost \d+ and tore \d+ of|write-fail on n\d[^;]*\(n\d's write of wal/\d+ failed at`, ofLog},
	"ForgetHardState":    {"", ofLog},
	"ApplyBeforeDurable": {"", ofLog + `|` + toApply},
	"SnapshotOffByOne":   {"", ofSnap + `|` + toSend},
	"SnapshotBeforeSync": {"", ofSnap},
	"CompactEarly":       {"", ofSnap},
	"ForgetConfState":    {"", ofConf},
	"ApplyConfAtAppend":  {"", ofConf},
	"NoSessions":         {"", ofWrite},
	"ForgetSessions":     {"", ofWrite},
	"StaleReads":         {"", ofRead},
	"ReadBeforeApplied":  {"", ofRead},
}

// From report.txt alone the cause of each bug can be named: the node, the fault
// if it takes one, and the operation that went wrong.
func TestReportNamesTheCause(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process for each bug")
	}
	for field := range reflect.TypeFor[Bugs]().Fields() {
		t.Run(field.Name, func(t *testing.T) {
			want, ok := toRead[field.Name]
			if !ok {
				t.Fatal("nobody has said what a reader must see of it")
			}
			story := storyOf(t, field.Name)
			for what, expr := range map[string]string{"the node": ` failed on n\d: `, "the fault": want.fault, "the operation": want.operation} {
				if !regexp.MustCompile("(?s)" + expr).MatchString(story) {
					t.Errorf("report.txt does not name %s, as %s:\n%s", what, expr, story)
				}
			}
		})
	}
}

// storyOf runs a planted bug as a user would, in a process of its own, and
// returns report.txt down to the replay command.
func storyOf(t *testing.T, bug string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := exec.Command(self, "-test.run=^TestPlanted$")
	run.Env = append(os.Environ(), "RAFT_PLANTED="+bug, "FAULTLINE_ARTIFACTS="+dir, "FAULTLINE_SHRINK=off", "FAULTLINE_SEEDS=100")
	out, err := run.CombinedOutput()
	reports, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*", "report.txt"))
	if err == nil || len(reports) != 1 {
		t.Fatalf("the bug was not found, or has left %d reports:\n%s", len(reports), out)
	}
	text, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	story, _, _ := strings.Cut(string(text), "\nreplay:")
	return story
}
