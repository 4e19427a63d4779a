package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minColumn = 24 // characters that a node's column must have
	maxRows   = 4  // rows that one record may take
)

// table writes the lines: with a column for each node if there is room,
// otherwise with the node's name in front.
func (v *view) table(b *strings.Builder) {
	if len(v.lines) == 0 {
		b.WriteString("There is no trace to show.\n")
		return
	}
	t := table{out: b, nodes: v.nodes()}
	timeWidth, eventWidth := len("time"), len("event")
	for _, l := range v.lines {
		timeWidth = max(timeWidth, len(l.time.String()))
		eventWidth = max(eventWidth, len(fmt.Sprint(l.event)))
	}
	t.left = 2 + timeWidth + 1 + eventWidth + 2
	t.right = max(v.o.Width-t.left, minColumn)
	if n := len(t.nodes); n > 0 && t.right/n >= minColumn {
		t.column = t.right / n
	} else {
		for _, name := range t.nodes {
			t.name = max(t.name, utf8.RuneCountInString(name))
		}
		t.name = min(t.name, 20)
	}
	t.header(timeWidth, eventWidth)
	last := uint64(0)
	for i := range v.lines {
		l := &v.lines[i]
		mark, when, event := "  ", "", ""
		if v.causes.has(l.event) {
			mark = "* "
		}
		if l.event != last || l.event == 0 {
			when, event = l.time.String(), fmt.Sprint(l.event)
			last = l.event
		}
		prefix := fmt.Sprintf("%s%-*s %*s  ", mark, timeWidth, when, eventWidth, event)
		t.row(prefix, l)
	}
}

// nodes returns the names of the nodes on the lines, in natural order.
func (v *view) nodes() []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range v.lines {
		if l.node != "" && !seen[l.node] {
			seen[l.node] = true
			out = append(out, l.node)
		}
	}
	slices.SortFunc(out, natural)
	for i := range out {
		out[i] = shown(out[i])
	}
	return out
}

// natural orders names so that n2 comes before n10.
func natural(a, b string) int {
	ta, tb := strings.TrimRightFunc(a, unicode.IsDigit), strings.TrimRightFunc(b, unicode.IsDigit)
	if ta != tb {
		return cmp.Compare(ta, tb)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

type table struct {
	out    *strings.Builder
	nodes  []string
	left   int // width of time and event
	right  int // width of the rest
	column int // width of a node's column; 0 for names in front
	name   int // width of a name in front
}

func (t *table) header(timeWidth, eventWidth int) {
	text := fmt.Sprintf("  %-*s %*s  ", timeWidth, "time", eventWidth, "event")
	switch {
	case t.column > 0:
		for _, name := range t.nodes {
			text += pad(shorten(name, t.column-2), t.column)
		}
	case len(t.nodes) > 0:
		text += "node"
	}
	t.print(text)
}

// row writes a line, over several rows if it is long.
func (t *table) row(prefix string, l *line) {
	indent, width := 0, t.right
	label := ""
	switch {
	case l.node == "":
		label = "── "
		width -= 3
	case t.column > 0:
		indent = t.column * slices.Index(t.nodes, shown(l.node))
		width = t.column - 2
	default:
		label = pad(shorten(shown(l.node), t.name), t.name+1)
		width -= t.name + 1
	}
	rows := wrap(l.String(), max(width, 10))
	if len(rows) > maxRows {
		rows = rows[:maxRows]
		rows[maxRows-1] = shorten(rows[maxRows-1]+"……", max(width, 10))
	}
	for i, text := range rows {
		if i == 1 {
			prefix = strings.Repeat(" ", t.left)
			label = strings.Repeat(" ", utf8.RuneCountInString(label))
		}
		t.print(prefix + strings.Repeat(" ", indent) + label + text)
	}
}

// print ends a row, without spaces at its end.
func (t *table) print(row string) {
	t.out.WriteString(strings.TrimRight(row, " "))
	t.out.WriteByte('\n')
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// wrap breaks a text into rows of at most width characters, at spaces where
// it can.
func wrap(text string, width int) []string {
	var rows []string
	rest := []rune(text)
	for len(rest) > width {
		cut := width
		for i := width; i > width/2; i-- {
			if rest[i] == ' ' {
				cut = i
				break
			}
		}
		rows = append(rows, strings.TrimRight(string(rest[:cut]), " "))
		rest = rest[cut:]
		for len(rest) > 0 && rest[0] == ' ' {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 || len(rows) == 0 {
		rows = append(rows, string(rest))
	}
	return rows
}
