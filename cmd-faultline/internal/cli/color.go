package cli

import (
	"bytes"
	"strings"
)

const (
	red   = "\x1b[31;1m"
	amber = "\x1b[33m"
	reset = "\x1b[0m"
)

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

// paint colors the lines of failures and faults. The text has no escapes of
// its own: the timeline has made them visible.
func paint(text []byte) []byte {
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
