package cli

import (
	"bytes"
	"strings"
)

const (
	red   = "\x1b[31;1m"
	amber = "\x1b[33m"
	green = "\x1b[32m"
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	reset = "\x1b[0m"
)

// colored reports whether the output is to be colored.
func (s *session) colored() bool { return wantsColor(s.Env, s.color) }

// paint puts a color around a text, if the output is to be colored.
func (s *session) paint(color, text string) string {
	if color == "" || text == "" || !s.colored() {
		return text
	}
	return color + text + reset
}

// wantsColor decides about color: what the user says, else whether the output
// is a terminal and NO_COLOR is unset or empty (see no-color.org).
func wantsColor(env Env, choice string) bool {
	switch choice {
	case "always":
		return true
	case "never":
		return false
	}
	noColor, _ := env.Lookup("NO_COLOR")
	term, _ := env.Lookup("TERM")
	return env.Terminal && noColor == "" && term != "dumb"
}

// kindColor returns the color for a kind of record, or none.
func kindColor(kind string) string {
	switch kind {
	case "fail":
		return red
	case "fault/fire", "node/power-loss", "node/kill", "net/drop":
		return amber
	}
	return ""
}

// paintTimeline colors the lines of failures and faults. The text has no
// escapes of its own: the timeline has made them visible.
func paintTimeline(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		s := string(bytes.TrimSuffix(line, []byte("\n")))
		color := ""
		switch {
		case strings.Contains(s, "FAILED: "):
			color = red
		case strings.Contains(s, "── FAULT "), strings.Contains(s, "POWER LOST"), strings.Contains(s, "KILLED"), strings.Contains(s, " dropped"):
			color = amber
		}
		if color != "" {
			s = color + s + reset
		}
		out.WriteString(s + "\n")
	}
	return out.Bytes()
}
