package faultline

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
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
	if h := shapeOf(s); h.load == loadLater && h.quiet > 0 {
		lines = append(lines, fmt.Sprintf("%v from here on, in the quiet phase, clients do as they like, which is not listed", kernel.Time(h.quiet)))
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
	if f.When != (fault.Trigger{}) {
		line = string(f.Kind)
	}
	switch {
	case f.Kind == fault.OneWay && len(f.Nodes) > 0 && len(f.Peers) > 0:
		line += " cut " + strings.Join(f.Nodes, ", ") + "→" + strings.Join(f.Peers, ", ")
	case len(f.Nodes) > 0:
		line += " on " + strings.Join(f.Nodes, ", ")
	}
	switch f.Kind {
	case fault.Isolate, fault.Partition, fault.Flap:
		if len(f.Peers) > 0 {
			line += " from " + strings.Join(f.Peers, ", ")
		}
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
	if text := strength(f); text != "" {
		line += ", " + text
	}
	if f.When != (fault.Trigger{}) {
		line += ", " + moment(f)
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

// plural is like "1 run" or "3 runs".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func wasOrWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// inWords says what a choice means.
func inWords(c kernel.Choice) string {
	parts := strings.Split(c.Point, "/")
	text := ""
	switch {
	case parts[0] == "net" && len(parts) == 3:
		text = ofMessage(c, strings.Replace(parts[1], ">", " to ", 1), parts[2])
	case parts[0] == "disk" && len(parts) > 4 && parts[2] == "crash":
		text = ofCrash(c, parts[1], parts[3], strings.Join(parts[4:], "/"))
	case parts[0] == "disk" && len(parts) == 3:
		text = ofDisk(c, parts[1], parts[2])
	case parts[0] == "code" && len(parts) > 2:
		text = fmt.Sprintf("%s takes %q at call %d", parts[1], strings.Join(parts[2:], "/"), c.N)
	case parts[0] == "setup":
		text = fmt.Sprintf("the setup draws %d more than the least for %q", c.Value, strings.Join(parts[1:], "/"))
	}
	if text == "" {
		text = fmt.Sprintf("%s, number %d: %d", c.Point, c.N, c.Value)
	}
	return text
}

// ofMessage says what becomes of a message of a link.
func ofMessage(c kernel.Choice, link, what string) string {
	text := fmt.Sprintf("message %d from %s ", c.N, link)
	switch what {
	case "drop":
		return text + "is lost"
	case "dup":
		return text + fmt.Sprintf("arrives %d times", c.Value+1)
	case "delay":
		return text + fmt.Sprintf("is %v late", time.Duration(c.Value))
	case "late":
		return text + fmt.Sprintf("arrives once more, %v late", time.Duration(c.Value))
	case "corrupt":
		if c.Value > simnet.MaxBits {
			return text + fmt.Sprintf("is dropped for %s, by its checksum", plural(int(c.Value-simnet.MaxBits), "flipped bit"))
		}
		return text + "arrives with " + plural(int(c.Value), "flipped bit")
	}
	return ""
}

// ofCrash says what a power loss leaves of a node's write or name.
func ofCrash(c kernel.Choice, node, space, path string) string {
	switch space {
	case "data":
		part := ""
		if c.Value > 1 {
			part = " in part"
		}
		return fmt.Sprintf("the crash of %s keeps write %d to %s%s", node, c.N, path, part)
	case "name":
		return fmt.Sprintf("the crash of %s keeps change %d of the name %s", node, c.N, path)
	}
	return ""
}

// ofDisk says what becomes of an operation of a node's disk.
func ofDisk(c kernel.Choice, node, what string) string {
	switch what {
	case "sync-fail":
		return fmt.Sprintf("sync %d of %s fails (%v)", c.N, node, simdisk.FailMode(c.Value))
	case "write-fail":
		return fmt.Sprintf("write %d of %s fails (%v)", c.N, node, simdisk.WriteMode(c.Value))
	case "read-fail":
		return fmt.Sprintf("read %d of %s fails", c.N, node)
	case "corrupt":
		return fmt.Sprintf("damage %d to the disk of %s is at place %d of those that it could hit", c.N, node, c.Value)
	}
	return ""
}
