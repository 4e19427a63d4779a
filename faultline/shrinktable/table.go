package shrinktable

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Table is a table in a Markdown page, between the lines
//
//	<!-- rows: NAME -->
//	<!-- end: NAME -->
type Table struct {
	Page string // path of the page
	Name string // of the table
	// NoScripts says that nobody has written scripts for the cases: the column
	// "by hand" is left out, and what is judged by it.
	NoScripts bool
}

// Measure measures cases, one subtest each, if the environment asks for it; otherwise
// the test is skipped. SHRINK_TABLE=1 shrinks a failing seed of each and writes its row.
// Rows of other cases stay; one that is new goes to the end, and the sentence below the
// rows is written anew. In the median of all rows 90 % of the entries must be gone.
// SHRINK_SEEDS=5 shrinks five failing seeds of each, because one may be lucky, and
// writes how many faults are left of each into the table "seeds" of the page, which all
// tables share. Seeds are taken in order; the first is that of SHRINK_TABLE.
func (tab Table) Measure(t *testing.T, cases ...Case) {
	t.Helper()
	if text := os.Getenv("SHRINK_SEEDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("SHRINK_SEEDS=%s is not a number of seeds, such as 5", text)
		}
		tab.measureSeeds(t, n, cases...)
		return
	}
	if os.Getenv("SHRINK_TABLE") == "" {
		t.Skip("takes minutes; SHRINK_TABLE=1 runs it and writes the table, SHRINK_SEEDS=5 measures more seeds")
	}
	tab.measureRows(t, cases...)
}

// measureRows measures one failing seed of each case.
func (tab Table) measureRows(t *testing.T, cases ...Case) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			r, left := c.measure(t, 0)
			t.Logf("%s\n%s", tab.line(r), left)
			if !tab.NoScripts && !r.small() {
				t.Logf("%d faults are left, by hand it takes %d", r.after[0], r.byHand)
			}
			if !tab.NoScripts {
				if err := c.proveByHand(t, r.check); err != nil {
					t.Fatal(err)
				}
			}
			if t.Failed() {
				return
			}
			if err := tab.put(r); err != nil {
				t.Fatal(err)
			}
		})
	}
	rows, err := tab.rows()
	if err == nil {
		err = tab.write(rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tab.summary(rows))
	if m := median(rows); m < 90 {
		t.Errorf("in the median %.1f %% of the entries are gone, want 90", m)
	}
}

// row is a line of the table. Before and after are faults, choices and
// operations.
type row struct {
	name, check   string
	before, after [3]int
	byHand, runs  int
	seconds       float64
}

const head = "| bug | check | before | after | by hand | removed | runs | seconds |\n|---|---|---|---|---|---|---|---|\n"

// head is the head of the table.
func (tab Table) head() string {
	if tab.NoScripts {
		return strings.Replace(strings.Replace(head, " by hand |", "", 1), "---|", "", 1)
	}
	return head
}

// line is a row as it is written.
func (tab Table) line(r row) string {
	three := func(n [3]int) string { return fmt.Sprintf("%d, %d, %d", n[0], n[1], n[2]) }
	byHand := fmt.Sprintf(" %d |", r.byHand)
	if tab.NoScripts {
		byHand = ""
	}
	return fmt.Sprintf("| %s | %s | %s | %s |%s %.1f %% | %d | %.1f |",
		r.name, r.check, three(r.before), three(r.after), byHand, r.removed(), r.runs, r.seconds)
}

// removed is the share of the entries that are gone, in percent.
func (r row) removed() float64 {
	all := func(n [3]int) float64 { return float64(n[0] + n[1] + n[2]) }
	return 100 - 100*all(r.after)/max(all(r.before), 1)
}

// small reports whether the faults are at most one and a half times those by
// hand.
func (r row) small() bool { return atMost(r.after[0], r.byHand) }

func atMost(left, byHand int) bool { return 2*left <= 3*byHand }

// median is that of what was removed.
func median(rows []row) float64 {
	var parts []float64
	for _, r := range rows {
		parts = append(parts, r.removed())
	}
	if len(parts) == 0 {
		return 0
	}
	slices.Sort(parts)
	return parts[(len(parts)-1)/2]
}

// summary says in a sentence what the rows come to.
func (tab Table) summary(rows []row) string {
	small, most, longest := 0, 0, 0.0
	for _, r := range rows {
		longest = max(longest, r.seconds)
		if r.small() {
			small++
		}
		if r.removed() >= 90 {
			most++
		}
	}
	rest := fmt.Sprintf("in the median %.1f %% of the entries are gone; the longest took %.1f seconds.", median(rows), longest)
	if tab.NoScripts {
		return fmt.Sprintf("%d of %d rows have lost at least 90 %% of their entries; ", most, len(rows)) + rest
	}
	return fmt.Sprintf("%d of %d rows have at most 1.5 times the faults by hand; ", small, len(rows)) + rest
}

var rowPattern = regexp.MustCompile(`^\| (.+) \| (.+) \| (\d+), (\d+), (\d+) \| (\d+), (\d+), (\d+) \| (?:(\d+) \| )?[\d.]+ % \| (\d+) \| ([\d.]+) \|$`)

// parse reads a row.
func parse(line string) (r row, err error) {
	m := rowPattern.FindStringSubmatch(line)
	if m == nil {
		return r, fmt.Errorf("not a row of the table: %s", line)
	}
	r.name, r.check = m[1], m[2]
	for i, to := range []*int{&r.before[0], &r.before[1], &r.before[2], &r.after[0], &r.after[1], &r.after[2], &r.byHand, &r.runs} {
		if m[3+i] == "" {
			continue // by hand, in a table without
		}
		if *to, err = strconv.Atoi(m[3+i]); err != nil {
			return r, err
		}
	}
	r.seconds, err = strconv.ParseFloat(m[11], 64)
	return r, err
}

// parts returns the page before, in and after the table.
func (tab Table) parts() (before, table, after string, err error) {
	data, err := os.ReadFile(tab.Page)
	if err != nil {
		return "", "", "", err
	}
	start, end := "<!-- rows: "+tab.Name+" -->\n", "<!-- end: "+tab.Name+" -->\n"
	before, rest, ok := strings.Cut(string(data), start)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", "", "", fmt.Errorf("%s has no lines %q and %q", tab.Page, strings.TrimSpace(start), strings.TrimSpace(end))
	}
	return before + start, table, end + after, nil
}

// rows reads the table.
func (tab Table) rows() (rows []row, err error) {
	_, table, _, err := tab.parts()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(table) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "|") || strings.Contains(tab.head(), line) {
			continue
		}
		r, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tab.Page, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// put writes a row in the place of the one of that name.
func (tab Table) put(r row) error {
	rows, err := tab.rows()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(rows, func(was row) bool { return was.name == r.name }); i >= 0 {
		rows[i] = r
	} else {
		rows = append(rows, r)
	}
	return tab.write(rows)
}

// write writes the rows and the sentence below them.
func (tab Table) write(rows []row) error {
	before, _, after, err := tab.parts()
	if err != nil {
		return err
	}
	text := tab.head()
	for _, r := range rows {
		text += tab.line(r) + "\n"
	}
	return os.WriteFile(tab.Page, []byte(before+text+"\n"+tab.summary(rows)+"\n"+after), 0o644)
}
