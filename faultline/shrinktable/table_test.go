package shrinktable

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// A row is put in the place of the one of its name, and the sentence below is
// that of all rows.
func TestRows(t *testing.T) {
	tab := page(t)
	one := row{name: "a", check: "c d", before: [3]int{10, 20, 70}, after: [3]int{3, 0, 2}, byHand: 2, runs: 7, seconds: 1.5}
	two := row{name: "b", check: "e", before: [3]int{1, 0, 3}, after: [3]int{1, 0, 1}, runs: 9, seconds: 2}
	for _, r := range []row{one, two, one} {
		if err := tab.put(r); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(tab.Page)
	if err != nil {
		t.Fatal(err)
	}
	want := "text\n<!-- rows: x -->\n" + head +
		"| a | c d | 10, 20, 70 | 3, 0, 2 | 2 | 95.0 % | 7 | 1.5 |\n| b | e | 1, 0, 3 | 1, 0, 1 | 0 | 50.0 % | 9 | 2.0 |\n" +
		"\n1 of 2 rows have at most 1.5 times the faults by hand; in the median 50.0 % of the entries are gone; the longest took 2.0 seconds.\n<!-- end: x -->\nmore\n"
	if string(data) != want {
		t.Errorf("the page is\n%s\nwant\n%s", data, want)
	}
	if rows, err := tab.rows(); err != nil || len(rows) != 2 || rows[0] != one || rows[1] != two {
		t.Errorf("read %v, %v", rows, err)
	}
	if err := (Table{Page: tab.Page, Name: "y"}).put(one); err == nil || !strings.Contains(err.Error(), "<!-- rows: y -->") {
		t.Errorf("a table that is not there: %v", err)
	}
}

// A table without scripts has no column for them, and another sentence.
func TestRowsWithoutScripts(t *testing.T) {
	tab := page(t)
	tab.NoScripts = true
	one := row{name: "a", check: "c d", before: [3]int{10, 20, 70}, after: [3]int{3, 0, 2}, runs: 7, seconds: 1.5}
	if err := tab.put(one); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(tab.Page)
	if err != nil {
		t.Fatal(err)
	}
	want := "text\n<!-- rows: x -->\n| bug | check | before | after | removed | runs | seconds |\n|---|---|---|---|---|---|---|\n" +
		"| a | c d | 10, 20, 70 | 3, 0, 2 | 95.0 % | 7 | 1.5 |\n" +
		"\n1 of 1 rows have lost at least 90 % of their entries; in the median 95.0 % of the entries are gone; the longest took 1.5 seconds.\n<!-- end: x -->\nmore\n"
	if string(data) != want {
		t.Errorf("the page is\n%s\nwant\n%s", data, want)
	}
	if rows, err := tab.rows(); err != nil || len(rows) != 1 || rows[0] != one {
		t.Errorf("read %v, %v", rows, err)
	}
}

// Several seeds of a bug have a row, which says what is left of each.
func TestSeeds(t *testing.T) {
	tab := page(t)
	data, err := os.ReadFile(tab.Page)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tab.Page, append(data, "<!-- rows: seeds -->\n<!-- end: seeds -->\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.measureSeeds(t, 2, twice())
	tab.Name = "seeds"
	if err := tab.putSpread(spread{name: "other", byHand: 1, left: []int{1, 2}, seconds: 3}); err != nil {
		t.Fatal(err)
	}
	_, table, _, err := tab.parts()
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.QuoteMeta(spreadHead) + `\| other \| 1 \| 1, 2 \| 1 of 2 \| 3\.0 \|
\| x third boot \| 2 \| 2, 2 \| 2 of 2 \| [\d.]+ \|

3 of 4 seeds have at most 1\.5 times the faults by hand\.
`
	if !regexp.MustCompile("^" + want + "$").MatchString(table) {
		t.Errorf("the table is\n%s", table)
	}
}

// What the tables of the documentation come to is what their rows say.
func TestPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "reference", "shrinking.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip("outside of the workspace")
	}
	for _, m := range regexp.MustCompile("<!-- rows: (.*) -->").FindAllStringSubmatch(string(data), -1) {
		tab := Table{Page: file, Name: m[1]}
		_, table, _, err := tab.parts()
		if err != nil {
			t.Fatal(err)
		}
		if m[1] == "seeds" {
			rows, err := parseSpreads(table)
			if want := spreadSummary(rows); err != nil || !strings.Contains(table, "\n"+want+"\n") {
				t.Errorf("the sentence of the table %s should be %q (%v)", m[1], want, err)
			}
			continue
		}
		tab.NoScripts = !strings.Contains(table, "by hand")
		rows, err := tab.rows()
		if err != nil {
			t.Fatal(err)
		}
		if want := tab.summary(rows); !strings.Contains(table, "\n"+want+"\n") {
			t.Errorf("the sentence of the table %s should be %q", m[1], want)
		}
	}
}

func page(t *testing.T) Table {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("text\n<!-- rows: x -->\n<!-- end: x -->\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return Table{Page: file, Name: "x"}
}

// boots counts how often the node has started.
type boots struct {
	kernel.Idle
	n int
}

// twice is a node that must not start three times, with random kills of it.
func twice() Case {
	server := fault.Target{Group: "servers"}
	kill := func(at time.Duration) fault.Fault {
		return fault.Fault{Kind: fault.Kill, At: at, For: 10 * time.Millisecond, Target: server}
	}
	return Case{Name: "third boot", Check: "boots", Options: faultline.Options{Duration: 3 * time.Second},
		ByHand: []fault.Fault{kill(time.Second), kill(2 * time.Second)},
		Setup: func(w *faultline.World, random bool) {
			n1 := w.Server("n1", func(n *faultline.Node) kernel.Handler { return &boots{n: int(n.Boot())} })
			w.Final("boots", func() error {
				if b, ok := faultline.Program[*boots](n1); ok && b.n > 2 {
					return fmt.Errorf("n1 has started %d times", b.n)
				}
				return nil
			})
			if random {
				w.Faults(fault.Rules{{Name: "kill", Kind: fault.Kill, Every: 100 * time.Millisecond,
					For: fault.Span{Min: time.Millisecond, Max: 20 * time.Millisecond}, Target: server}})
			}
		}}
}

// Of many kills two are left, as by hand, and the row says so.
func TestMeasure(t *testing.T) {
	tab := page(t)
	tab.measureRows(t, twice())
	rows, err := tab.rows()
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if r := rows[0]; r.check != "boots" || r.before[0] < 10 || r.after != [3]int{2, 0, 0} || r.byHand != 2 || !r.small() {
		t.Errorf("the row is %s", tab.line(r))
	}
}

// Faults by hand that do not break the check of the row are refused.
func TestByHand(t *testing.T) {
	if err := twice().proveByHand(t, "boots"); err != nil {
		t.Error(err)
	}
	if err := twice().proveByHand(t, "another"); err == nil || !strings.Contains(err.Error(), "map[boots:100]") {
		t.Errorf("another check: %v", err)
	}
	one := twice()
	one.ByHand = one.ByHand[:1]
	if err := one.proveByHand(t, "boots"); err == nil {
		t.Error("one kill is said to be enough")
	}
}
