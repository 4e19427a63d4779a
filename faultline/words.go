package faultline

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// tally counts the entries of a schedule as they are shown to people.
type tally struct{ faults, choices, operations int }

func tallyOf(s *fault.Schedule) tally {
	var n tally
	n.faults, n.choices, n.operations = s.Count()
	return n
}

// all returns how many entries there are.
func (n tally) all() int { return n.faults + n.choices + n.operations }

// String is like "2 faults, 1 choice, 3 operations".
func (n tally) String() string {
	text := plural(n.faults, "fault") + ", " + plural(n.choices, "choice")
	if n.operations > 0 {
		text += ", " + plural(n.operations, "operation")
	}
	return text
}

// describe says each entry of a schedule in words; texts are what operations
// were about.
func describe(s *fault.Schedule, texts map[operation]string) []string {
	var lines []string
	for _, e := range entriesOf(s) {
		if line := e.describe(texts); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (e entry) describe(texts map[operation]string) string {
	switch {
	case e.fault != nil:
		return describeFault(e.fault)
	case e.choice != nil:
		if client, is := isOperation(*e.choice); is {
			return describeOperation(client, e, texts)
		}
		return fmt.Sprintf("%v %s", e.choice.Time, inWords(*e.choice))
	case e.shape.calm:
		return "the network has no jitter"
	}
	return ""
}

func describeFault(f *fault.Fault) string {
	line := fmt.Sprintf("%v %s", kernel.Time(f.At), f.Kind)
	if w := f.When; w != (fault.Trigger{}) {
		line = fmt.Sprintf("%s at %s%s", f.Kind, w.Point, w.Op)
	}
	switch {
	case f.Kind == fault.OneWay && len(f.Nodes) > 0 && len(f.Peers) > 0:
		line += " cut " + strings.Join(f.Nodes, ", ") + "→" + strings.Join(f.Peers, ", ")
	case len(f.Nodes) > 0:
		line += " on " + strings.Join(f.Nodes, ", ")
	}
	if f.For > 0 {
		line += fmt.Sprintf(" for %v", f.For)
	}
	if f.File != "" {
		line += " in " + f.File
	}
	if f.Profile != "" {
		line += " (" + f.Profile + ")"
	}
	return line
}

func describeOperation(client string, e entry, texts map[operation]string) string {
	text := texts[operation{client, e.choice.N}]
	if text == "" {
		text = fmt.Sprint("operation ", e.choice.N)
	}
	line := fmt.Sprintf("%v %s: %s", kernel.Time(e.choice.Value), client, text)
	if e.plain {
		line += ", with the least of all that it draws"
	}
	return line
}

// gain says what shrinking has come to.
func gain(before, after tally, took time.Duration, runs int) string {
	return fmt.Sprintf("%v -> %v in %v, %s", before, after, took.Round(100*time.Millisecond), plural(runs, "run"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// inWords says what a choice means.
func inWords(c kernel.Choice) string {
	parts := strings.Split(c.Point, "/")
	link := strings.Replace(parts[min(1, len(parts)-1)], ">", " to ", 1)
	switch {
	case parts[0] == "net" && len(parts) == 3 && parts[2] == "drop":
		return fmt.Sprintf("message %d from %s is lost", c.N, link)
	case parts[0] == "net" && len(parts) == 3 && parts[2] == "dup":
		return fmt.Sprintf("message %d from %s arrives %d times", c.N, link, c.Value+1)
	case parts[0] == "net" && len(parts) == 3 && parts[2] == "delay":
		return fmt.Sprintf("message %d from %s is %v late", c.N, link, time.Duration(c.Value))
	case parts[0] == "disk" && len(parts) > 4 && parts[2] == "crash" && parts[3] == "data":
		return fmt.Sprintf("the crash of %s keeps write %d to %s%s", parts[1], c.N, strings.Join(parts[4:], "/"), inPart(c.Value))
	case parts[0] == "disk" && len(parts) > 4 && parts[2] == "crash" && parts[3] == "name":
		return fmt.Sprintf("the crash of %s keeps change %d of the name %s", parts[1], c.N, strings.Join(parts[4:], "/"))
	case parts[0] == "disk" && len(parts) == 3 && parts[2] == "sync-fail":
		return fmt.Sprintf("sync %d of %s fails (%v)", c.N, parts[1], simdisk.FailMode(c.Value))
	case parts[0] == "disk" && len(parts) == 3 && parts[2] == "write-fail":
		return fmt.Sprintf("write %d of %s fails (%v)", c.N, parts[1], simdisk.WriteMode(c.Value))
	case parts[0] == "disk" && len(parts) == 3:
		return fmt.Sprintf("%s of %s, number %d: %d", parts[2], parts[1], c.N, c.Value)
	case parts[0] == "setup":
		return fmt.Sprintf("the setup draws %d more than the least for %q", c.Value, strings.Join(parts[1:], "/"))
	}
	return fmt.Sprintf("%s, number %d: %d", c.Point, c.N, c.Value)
}

func inPart(value int64) string {
	if value > 1 {
		return " in part"
	}
	return ""
}
