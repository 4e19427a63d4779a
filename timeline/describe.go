package timeline

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

const maxValue = 200 // characters that are shown of one attribute

// describe tells a record in words, without its node and time.
func describe(r *kernel.Record) string {
	module, what, ok := strings.Cut(r.Kind, "/")
	if !ok {
		return plainRecord(r)
	}
	switch module {
	case "net":
		return netRecord(r, what)
	case "node":
		return nodeRecord(r, what)
	case "fault":
		return faultRecord(r, what)
	case "op":
		return opRecord(r, what)
	case "stream":
		return streamRecord(r, what)
	case "disk":
		return "disk " + what + attrs(r, "digest")
	}
	return artifact.Visible(r.Kind) + attrs(r)
}

// plainRecord tells the kernel's records of one word, and the user's own.
func plainRecord(r *kernel.Record) string {
	switch r.Kind {
	case "fail":
		return fmt.Sprintf("FAILED: %s %q: %s", get(r, "kind"), get(r, "check"), get(r, "message"))
	case "inert":
		return "no effect: " + get(r, "what") + attrs(r, "what")
	case "point":
		return "point " + get(r, "name")
	case "proc":
		return "proc " + get(r, "name")
	}
	return artifact.Visible(r.Kind) + attrs(r)
}

func netRecord(r *kernel.Record, what string) string {
	switch what {
	case "send":
		return "→ " + get(r, "to") + " " + message(r)
	case "deliver":
		return "← " + get(r, "from") + " " + copied(r) + message(r) + suffix(r, "took", " after ")
	case "drop":
		return "✗ " + get(r, "from") + "→" + get(r, "to") + " " + message(r) + " dropped" + suffix(r, "reason", ": ")
	case "dup":
		return "→ " + get(r, "to") + " " + message(r) + " a second time"
	case "delay":
		return "→ " + get(r, "to") + " " + message(r) + " delayed" + suffix(r, "by", " by ")
	case "corrupt":
		return "→ " + get(r, "to") + " " + message(r) + " corrupted" + suffix(r, "bits", "; bits: ")
	case "cut", "degrade", "clog", "aim":
		return "network: " + get(r, "what")
	case "heal":
		return "network: effect " + get(r, "effect") + " is over" + suffix(r, "met", "; messages met: ")
	}
	return artifact.Visible(r.Kind) + attrs(r)
}

// copied says that what arrives is a copy of a message, not the first of it.
func copied(r *kernel.Record) string {
	if get(r, "copy") == "" {
		return ""
	}
	return "a copy of "
}

// message names the message of a record.
func message(r *kernel.Record) string {
	s := get(r, "kind")
	if s == "" {
		s = get(r, "type")
	}
	if id := get(r, "id"); id != "" {
		s += " #" + id
	}
	return strings.TrimSpace(s)
}

func nodeRecord(r *kernel.Record, what string) string {
	switch what {
	case "boot":
		return fmt.Sprintf("STARTED, boot %d", r.Boot)
	case "kill":
		return "KILLED"
	case "power-loss":
		return "POWER LOST"
	case "pause":
		return "PAUSED"
	case "resume":
		return "RESUMED"
	}
	return artifact.Visible(r.Kind) + attrs(r)
}

func faultRecord(r *kernel.Record, what string) string {
	name := get(r, "kind")
	if nodes := get(r, "nodes"); nodes != "" {
		name += " on " + nodes
	}
	switch what {
	case "fire":
		if nodes := get(r, "nodes"); nodes != "" && get(r, "kind") == "one-way" {
			return "FAULT " + direction(strings.Fields(nodes), strings.Fields(get(r, "peers"))) + attrs(r, "fault", "kind", "nodes", "peers")
		}
		return "FAULT " + name + attrs(r, "fault", "kind", "nodes")
	case "end":
		return "end of " + name
	case "skip":
		return "fault " + name + " skipped" + suffix(r, "why", ": ")
	case "quiet":
		return "QUIET: no more faults, everything is healed and started"
	}
	return artifact.Visible(r.Kind) + attrs(r)
}

func opRecord(r *kernel.Record, what string) string {
	op := "op " + get(r, "op")
	switch what {
	case "invoke":
		return fmt.Sprintf("%s: %s(%s)", op, get(r, "function"), get(r, "input"))
	case "attempt":
		return op + ": tries " + get(r, "target")
	case "return":
		return op + ": " + get(r, "status") + suffix(r, "output", ", ")
	}
	return artifact.Visible(r.Kind) + attrs(r)
}

// attrs renders the attributes of a record, but for some keys.
func attrs(r *kernel.Record, but ...string) string {
	var b strings.Builder
next:
	for i := range r.Attrs {
		a := &r.Attrs[i]
		for _, key := range but {
			if a.Key == key {
				continue next
			}
		}
		fmt.Fprintf(&b, " %s=%s", shown(a.Key), shown(a.Value()))
	}
	return b.String()
}

// get returns the value of an attribute as it is shown. Durations of a
// millisecond or more are rounded to microseconds.
func get(r *kernel.Record, key string) string {
	a, ok := r.Get(key)
	if !ok {
		return ""
	}
	if d := time.Duration(a.Num); a.Type == kernel.AttrDur && d.Abs() >= time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return shown(a.Value())
}

func suffix(r *kernel.Record, key, before string) string {
	if s := get(r, key); s != "" {
		return before + s
	}
	return ""
}

// shown makes text fit to be shown: escaped and not too long.
func shown(s string) string {
	if n := maxValue * utf8.UTFMax; len(s) > n {
		s = s[:n+1] // one more character than is shown
	}
	return shorten(artifact.Visible(s), maxValue)
}

// shorten cuts a text to n characters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count, cut := 0, 0
	for i := range s {
		if count == n-1 {
			cut = i
		}
		if count++; count > n {
			return s[:cut] + "…"
		}
	}
	return s
}
