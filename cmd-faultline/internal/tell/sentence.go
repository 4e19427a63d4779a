package tell

import (
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// maxValue is how many characters of an attribute are told.
const maxValue = 200

// Sentence tells a record as a clause, such as "n1 sends ack #1 to c1", that is
// safe to show on a terminal.
func Sentence(r *kernel.Record) string {
	module, what, _ := strings.Cut(r.Kind, "/")
	text := ""
	switch module {
	case "net":
		text = network(r, what)
	case "node":
		text = process(r, what)
	case "fault":
		text = ofFault(r, what)
	case "op":
		text = operation(r, what)
	case "disk":
		text = disk(r, what)
	default:
		text = own(r)
	}
	if text != "" {
		return text
	}
	if r.Node == "" {
		return timeline.Describe(r)
	}
	return shown(r.Node) + ": " + timeline.Describe(r)
}

func network(r *kernel.Record, what string) string {
	switch what {
	case "send":
		return fmt.Sprintf("%s sends %s to %s%s", shown(r.Node), message(r), get(r, "to"), opt(r, "content", ": %s"))
	case "deliver":
		return fmt.Sprintf("%s receives %s%s from %s%s%s", shown(r.Node), copied(r), message(r), get(r, "from"), opt(r, "took", ", sent %s before"), opt(r, "content", ": %s"))
	case "drop":
		return fmt.Sprintf("%s from %s to %s is lost%s", message(r), get(r, "from"), get(r, "to"), opt(r, "reason", " (%s)"))
	case "dup":
		return fmt.Sprintf("%s from %s to %s is delivered once more", message(r), shown(r.Node), get(r, "to"))
	case "delay":
		return fmt.Sprintf("%s from %s to %s is held up%s", message(r), shown(r.Node), get(r, "to"), opt(r, "by", " by %s"))
	case "cut":
		return "the network is cut: " + get(r, "what")
	case "corrupt":
		return fmt.Sprintf("%s from %s to %s is corrupted%s", message(r), shown(r.Node), get(r, "to"), opt(r, "bits", " (%s bits)"))
	case "clog":
		return "the network stalls: " + get(r, "what")
	case "aim":
		return "messages are aimed at: " + get(r, "what")
	case "degrade":
		return "the network gets worse: " + get(r, "what")
	case "heal":
		return "network effect " + get(r, "effect") + " is over" + opt(r, "met", ", having met %s messages")
	}
	return ""
}

func process(r *kernel.Record, what string) string {
	switch what {
	case "boot":
		return fmt.Sprintf("%s starts (boot %d)", shown(r.Node), r.Boot)
	case "kill":
		return shown(r.Node) + " is killed"
	case "power-loss":
		return shown(r.Node) + " loses power"
	case "pause":
		return shown(r.Node) + " is paused"
	case "resume":
		return shown(r.Node) + " goes on"
	}
	return ""
}

func ofFault(r *kernel.Record, what string) string {
	name := get(r, "fault")
	if kind := get(r, "kind"); name == "" {
		name = kind
	} else if kind != "" && !strings.HasPrefix(name, kind) {
		name += " (" + kind + ")"
	}
	switch what {
	case "fire":
		hits := opt(r, "nodes", " hits %s")
		if get(r, "kind") == "one-way" {
			hits = opt(r, "nodes", " cuts what %s sends") + opt(r, "peers", " to %s")
		}
		return "the fault " + name + hits + opt(r, "for", " for %s")
	case "end":
		return "the fault " + name + " is over" + opt(r, "nodes", " on %s")
	case "skip":
		return "the fault " + name + " does not happen" + opt(r, "why", " (%s)")
	case "quiet":
		return "the quiet phase begins: everything is healed and started"
	}
	return ""
}

func operation(r *kernel.Record, what string) string {
	op := "operation " + get(r, "op")
	switch what {
	case "invoke":
		return fmt.Sprintf("%s calls %s(%s), %s", shown(r.Node), get(r, "function"), get(r, "input"), op)
	case "attempt":
		return fmt.Sprintf("%s tries %s for %s", shown(r.Node), get(r, "target"), op)
	case "return":
		return fmt.Sprintf("%s of %s ends: %s%s", op, shown(r.Node), get(r, "status"), opt(r, "output", ", %s"))
	}
	return ""
}

// own tells the kernel's kinds of one word, and leaves those of the code under
// test.
func own(r *kernel.Record) string {
	node := shown(r.Node)
	switch r.Kind {
	case "timer":
		return "a timer of " + node + " fires"
	case "proc":
		return fmt.Sprintf("the proc %s of %s runs", get(r, "name"), node)
	case "point":
		return fmt.Sprintf("%s reaches the point %s", node, get(r, "name"))
	case "fail":
		return fmt.Sprintf("%s %q fails: %s", get(r, "kind"), get(r, "check"), get(r, "message"))
	}
	return ""
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
	name := get(r, "kind")
	if name == "" {
		name = get(r, "type")
	}
	if name == "" {
		name = "a message"
	}
	return name + opt(r, "id", " #%s")
}

// get returns the value of an attribute, safe and not too long.
func get(r *kernel.Record, key string) string {
	a, ok := r.Get(key)
	if !ok {
		return ""
	}
	return shown(a.Value())
}

// opt puts the value of an attribute into a format, and returns nothing if it
// has none.
func opt(r *kernel.Record, key, format string) string {
	if v := get(r, key); v != "" {
		return fmt.Sprintf(format, v)
	}
	return ""
}

func shown(s string) string {
	s = artifact.Visible(s)
	if len(s) <= maxValue {
		return s
	}
	if runes := []rune(s); len(runes) > maxValue {
		return string(runes[:maxValue-1]) + "…"
	}
	return s
}
