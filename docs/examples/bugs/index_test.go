package bugs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	ackbeforewal "github.com/hmdsefi/faultline/docs/examples/bugs/ack-before-wal"
	appliedindex "github.com/hmdsefi/faultline/docs/examples/bugs/applied-index"
	catchupcommit "github.com/hmdsefi/faultline/docs/examples/bugs/catchup-commit"
	clockbackids "github.com/hmdsefi/faultline/docs/examples/bugs/clock-back-ids"
	deadforever "github.com/hmdsefi/faultline/docs/examples/bugs/dead-forever"
	faileddiskleader "github.com/hmdsefi/faultline/docs/examples/bugs/failed-disk-leader"
	fsyncretry "github.com/hmdsefi/faultline/docs/examples/bugs/fsync-retry"
	latecatchup "github.com/hmdsefi/faultline/docs/examples/bugs/late-catchup"
	lazysyncquorum "github.com/hmdsefi/faultline/docs/examples/bugs/lazy-sync-quorum"
	onewaylivelock "github.com/hmdsefi/faultline/docs/examples/bugs/one-way-livelock"
	onewaytakeover "github.com/hmdsefi/faultline/docs/examples/bugs/one-way-takeover"
	retrytwice "github.com/hmdsefi/faultline/docs/examples/bugs/retry-twice"
	revivedreplica "github.com/hmdsefi/faultline/docs/examples/bugs/revived-replica"
	rolloversync "github.com/hmdsefi/faultline/docs/examples/bugs/rollover-sync"
	waldirfsync "github.com/hmdsefi/faultline/docs/examples/bugs/wal-dir-fsync"
	zombieleaserevoke "github.com/hmdsefi/faultline/docs/examples/bugs/zombie-lease-revoke"
	"github.com/hmdsefi/faultline/faultline/shrinktable"
)

// cases returns all of them, in the order of the table: disks, processes and
// clocks, networks, groups.
func cases() []bugs.Case {
	return []bugs.Case{
		waldirfsync.Case(), rolloversync.Case(), fsyncretry.Case(), ackbeforewal.Case(), lazysyncquorum.Case(),
		appliedindex.Case(), zombieleaserevoke.Case(), faileddiskleader.Case(), clockbackids.Case(),
		retrytwice.Case(), latecatchup.Case(), revivedreplica.Case(),
		onewaytakeover.Case(), onewaylivelock.Case(), catchupcommit.Case(), deadforever.Case(),
	}
}

const page = "README.md"

// TestIndex holds the table of the page against the cases, one row after another.
// BUGS_INDEX=5000 measures the rows anew, with so many seeds of each mended
// system, and writes them.
func TestIndex(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("BUGS_INDEX"))
	for i, c := range cases() {
		t.Run(c.Name, func(t *testing.T) {
			row := ""
			if n > 0 {
				row = c.Row(t, n) // takes its time: what is on the page is read only then
			}
			before, rows, after := readPage(t)
			if n > 0 {
				rows[i] = row
				text := before + bugs.Head + strings.Join(rows, "\n") + after
				if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.HasPrefix(rows[i], c.About()) {
				t.Errorf("%s has the row\n%s\nand the case says\n%s", page, rows[i], c.About())
			}
		})
	}
}

// TestShrinkTable shrinks a failing seed of each bug and writes the rows of
// docs/reference/shrinking.md. The faults by hand are those of the scripts.
func TestShrinkTable(t *testing.T) {
	var all []shrinktable.Case
	for _, c := range cases() {
		all = append(all, c.Shrinks())
	}
	shrinktable.Table{Page: filepath.Join("..", "..", "reference", "shrinking.md"), Name: "bugs"}.Measure(t, all...)
}

// readPage returns the rows of the table, and what is before and after it.
func readPage(t *testing.T) (before string, rows []string, after string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), bugs.Head)
	if !ok {
		t.Fatalf("%s has no table that begins with\n%s", page, bugs.Head)
	}
	end := strings.Index(rest, "\n\n")
	rows = strings.Split(rest[:end], "\n")
	if len(rows) != len(cases()) {
		t.Fatalf("%s has %d rows, and there are %d cases; add an empty row where one is missing", page, len(rows), len(cases()))
	}
	return before, rows, rest[end:]
}

// Every folder is a case, and a case is in the folder of its name.
func TestFolders(t *testing.T) {
	files, err := filepath.Glob("*/case.go")
	if err != nil || len(files) != len(cases()) {
		t.Errorf("there are %d folders with a case, and %d cases (%v)", len(files), len(cases()), err)
	}
	for _, c := range cases() {
		if _, err := os.Stat(filepath.Join(c.Name, "case.go")); err != nil {
			t.Error(err)
		}
	}
}
