package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// did takes a record that the fault explains, and reports whether it does.
func (f *deed) did(r *kernel.Record) bool {
	switch module, _, _ := strings.Cut(r.Kind, "/"); module {
	case "net":
		what := f.toMessages(r)
		return what != "" && f.message(r, what)
	case "disk":
		return f.hits(r.Node) && f.toDisk(r)
	case "stream":
		return f.toStreams(r)
	case "node":
		return r.Kind == "node/power-loss" && f.hits(r.Node) && f.cutsPower(r) && f.crashes(r.Node)
	case "clock":
		moves := f.kind == "clock-step" && r.Event == f.event || slices.Contains([]string{"clock-offset", "clock-step-down", "clock-strobe"}, f.kind)
		return r.Kind == "clock/step" && moves && f.hits(r.Node) && f.note(r.Node, r.Node+"'s wall clock moved by "+get(r, "by"))
	}
	return false
}

// toMessages says what the fault did to the message of a record; empty if it
// is not what such a fault does.
func (f *deed) toMessages(r *kernel.Record) string {
	reason := ""
	if r.Kind == "net/drop" {
		reason = get(r, "reason")
	}
	switch f.kind {
	case "isolate", "partition", "one-way", "ring", "bridge", "partial", "flap", "clients-cut":
		if reason == "cut" && (f.hits(r.Node) || f.hits(get(r, "from")) || f.hits(get(r, "to"))) {
			return "cut off"
		}
	case "loss", "loss-burst":
		if reason == "loss" {
			return "lost"
		}
	case "drop-message", "lose-reply":
		if reason == "aimed" {
			return "lost"
		}
	case "bandwidth":
		if reason == "queue" {
			return "lost in a full queue"
		}
	case "corrupt-message":
		if r.Kind == "net/corrupt" {
			return "corrupted"
		}
	case "duplicate", "late-duplicate":
		if r.Kind == "net/dup" {
			return "repeated"
		}
	case "delay", "hold-message":
		if r.Kind == "net/delay" {
			return "held up"
		}
	}
	return ""
}

// toDisk takes a record of a disk.
func (f *deed) toDisk(r *kernel.Record) bool {
	_, failed := r.Get("outcome")
	failed = failed && r.Kind != "disk/fate"
	switch r.Kind {
	case "disk/fate", "disk/crash":
		return f.cutsPower(r) && f.lost(r)
	case "disk/corrupt":
		return f.kind == "corrupt" && r.Event == f.event && f.note(r.Node, damage(r))
	case "disk/wipe":
		return f.kind == "wipe-disk" && f.note(r.Node, r.Node+"'s disk was emptied")
	case "disk/swap":
		return f.kind == "swap-disks" && f.note(r.Node, r.Node+" got the disk of "+get(r, "to"))
	case "disk/sync", "disk/sync-dir":
		return failed && slices.Contains([]string{"sync-fail", "full-disk", "read-only-disk"}, f.kind) && f.failed(r, "sync")
	case "disk/write", "disk/append", "disk/truncate", "disk/allocate":
		return failed && slices.Contains([]string{"write-fail", "full-disk", "read-only-disk"}, f.kind) && f.failed(r, "write")
	case "disk/read":
		return failed && f.kind == "read-fail" && f.failed(r, "read")
	}
	return false
}

func (f *deed) failed(r *kernel.Record, what string) bool {
	return f.note(r.Node, fmt.Sprintf("%s's %s of %s failed at %v", r.Node, what, get(r, "file"), r.Time))
}

// cutsPower reports whether the fault is behind the loss of power of a record:
// some lose it at once, others again and again, or some time later.
func (f *deed) cutsPower(r *kernel.Record) bool {
	switch f.kind {
	case "power-loss", "outage", "lose-node", "leave", "wipe-disk", "swap-disks", "clock-step-down":
		return r.Event == f.event
	case "crash-loop", "crash-recovery":
		return true
	}
	return false
}

// damage tells what was done to a file at rest.
func damage(r *kernel.Record) string {
	if what := get(r, "what"); what != "" {
		return fmt.Sprintf("%s's %s was damaged: %s", r.Node, get(r, "file"), what)
	}
	return "a bit of " + r.Node + "'s " + get(r, "file") + " was flipped"
}

// hits reports whether a node is one of those that it is on; a fault without
// nodes is on all.
func (f *deed) hits(node string) bool { return len(f.nodes) == 0 || slices.Contains(f.nodes, node) }

func (f *deed) note(node, text string) bool {
	if f.tally(node) && f.done[node] == 1 {
		f.first[node] = text
	}
	return true
}

// crashes notes a node whose memory the fault took, which may matter although no
// operation of its disk was lost.
func (f *deed) crashes(node string) bool {
	if len(f.crashed) < maxNoted && !slices.Contains(f.crashed, node) {
		f.crashed = append(f.crashed, node)
	}
	return true
}

// tally counts that something was done to a node; false if that are too many
// nodes.
func (f *deed) tally(node string) bool {
	if f.done[node] == 0 && len(f.done) == maxNoted {
		return false
	}
	f.done[node]++
	return true
}

// lost takes what a power loss left of a node's disk.
func (f *deed) lost(r *kernel.Record) bool {
	switch r.Kind {
	case "disk/fate":
		if outcome := get(r, "outcome"); outcome == "kept" {
			return true
		}
		what := get(r, "op") + " of " + get(r, "file")
		if n := get(r, "len"); n != "" && n != "0" {
			what = fmt.Sprintf("%s bytes of %s", n, get(r, "file"))
		}
		return f.note(r.Node, what)
	case "disk/crash":
		kept, lost, torn := count(r, "kept"), count(r, "lost"), count(r, "torn")
		if lost+torn == 0 {
			return true
		}
		if f.done[r.Node] == 0 && !f.tally(r.Node) {
			return true
		}
		f.done[r.Node] = lost + torn
		what := fmt.Sprintf("lost %d", lost)
		if torn > 0 {
			what = fmt.Sprintf("lost %d and tore %d", lost, torn)
		}
		text := fmt.Sprintf("%s %s of %s", r.Node, what, plural(kept+lost+torn, "unsynced disk operation"))
		f.sum[r.Node] = text
		return true
	}
	return false
}

// message takes a message that the fault did something to; it counts for the
// nodes at both ends.
func (f *deed) message(r *kernel.Record, what string) bool {
	from, to := get(r, "from"), get(r, "to")
	if from == "" {
		from = r.Node
	}
	f.note("", passage(r))
	f.sum[""] = fmt.Sprintf("%s %s, first %s", plural(f.done[""], "message"), what, f.first[""])
	f.tally(from)
	f.tally(to)
	return true
}
