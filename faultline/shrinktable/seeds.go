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

// measureSeeds measures several failing seeds of each case.
func (tab Table) measureSeeds(t *testing.T, seeds int, cases ...Case) {
	of := tab.Name
	tab.Name = "seeds"
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := spread{name: of + " " + c.Name, byHand: len(c.ByHand)}
			for n := range seeds {
				r, left := c.measure(t, n)
				t.Logf("%s\n%s", tab.line(r), left)
				s.left = append(s.left, r.after[0])
				s.seconds = max(s.seconds, r.seconds)
			}
			if err := tab.putSpread(s); err != nil {
				t.Fatal(err)
			}
			t.Log(s.line())
		})
	}
}

// spread is what is left of several seeds with one bug.
type spread struct {
	name    string
	byHand  int
	left    []int   // faults
	seconds float64 // of the longest
}

const spreadHead = "| bug | by hand | faults left | at most 1.5 times | longest |\n|---|---|---|---|---|\n"

func (s spread) line() string {
	return fmt.Sprintf("| %s | %d | %s | %d of %d | %.1f |", s.name, s.byHand,
		strings.Trim(strings.ReplaceAll(fmt.Sprint(s.left), " ", ", "), "[]"), s.small(), len(s.left), s.seconds)
}

// small is how many seeds have at most one and a half times the faults by hand.
func (s spread) small() (n int) {
	for _, left := range s.left {
		if atMost(left, s.byHand) {
			n++
		}
	}
	return n
}

var spreadPattern = regexp.MustCompile(`^\| (.+) \| (\d+) \| ([\d, ]+) \| \d+ of \d+ \| ([\d.]+) \|$`)

func parseSpread(line string) (s spread, err error) {
	m := spreadPattern.FindStringSubmatch(line)
	if m == nil {
		return s, fmt.Errorf("not a row of the table: %s", line)
	}
	s.name = m[1]
	if s.byHand, err = strconv.Atoi(m[2]); err != nil {
		return s, err
	}
	for _, text := range strings.Split(m[3], ", ") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return s, err
		}
		s.left = append(s.left, n)
	}
	s.seconds, err = strconv.ParseFloat(m[4], 64)
	return s, err
}

// putSpread writes a row instead of the one of that name, all rows by name, and the
// sentence below them.
func (tab Table) putSpread(s spread) error {
	before, table, after, err := tab.parts()
	if err != nil {
		return err
	}
	rows, err := parseSpreads(table)
	if err != nil {
		return fmt.Errorf("%s: %w", tab.Page, err)
	}
	if i := slices.IndexFunc(rows, func(was spread) bool { return was.name == s.name }); i >= 0 {
		rows[i] = s
	} else {
		rows = append(rows, s)
	}
	slices.SortFunc(rows, func(a, b spread) int { return strings.Compare(a.name, b.name) })
	text := spreadHead
	for _, r := range rows {
		text += r.line() + "\n"
	}
	return os.WriteFile(tab.Page, []byte(before+text+"\n"+spreadSummary(rows)+"\n"+after), 0o644)
}

func parseSpreads(table string) (rows []spread, err error) {
	for line := range strings.Lines(table) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "|") || strings.Contains(spreadHead, line) {
			continue
		}
		s, err := parseSpread(line)
		if err != nil {
			return nil, err
		}
		rows = append(rows, s)
	}
	return rows, nil
}

// spreadSummary says in a sentence what the rows come to.
func spreadSummary(rows []spread) string {
	small, all := 0, 0
	for _, r := range rows {
		small, all = small+r.small(), all+len(r.left)
	}
	return fmt.Sprintf("%d of %d seeds have at most 1.5 times the faults by hand.", small, all)
}
