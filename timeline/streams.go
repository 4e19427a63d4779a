package timeline

import "github.com/hmdsefi/faultline/kernel"

// streamRecord tells what became of a connection.
func streamRecord(r *kernel.Record, what string) string {
	switch what {
	case "trouble":
		return "connections: " + get(r, "what")
	case "open":
		return connection(r) + " OPEN" + suffix(r, "took", " after ")
	case "accept":
		return connection(r) + " accepted"
	case "refuse":
		return connection(r) + " REFUSED" + suffix(r, "took", " after ")
	case "close-write":
		return connection(r) + " has no more to write"
	case "close":
		return connection(r) + " CLOSED" + suffix(r, "by", " by ") + left(r)
	case "reset":
		return connection(r) + " RESET" + suffix(r, "by", " by ") + left(r)
	case "timeout":
		return connection(r) + " TIMED OUT" + left(r)
	case "lost":
		return connection(r) + " LOST" + suffix(r, "by", " by ") + left(r)
	case "short":
		return connection(r) + " " + get(r, "what") + " cut short: " + get(r, "moved") + " of " + plural(count(r, "of"), "byte")
	case "deadline":
		return connection(r) + " deadline passed" + suffix(r, "what", ": ")
	}
	return shown(r.Kind) + attrs(r)
}

// connection names the connection of a record.
func connection(r *kernel.Record) string {
	return "connection " + get(r, "from") + "→" + get(r, "to") + " " + get(r, "service") + " #" + get(r, "id")
}

// left says what an end leaves behind.
func left(r *kernel.Record) string {
	text := ""
	if n := count(r, "unread"); n > 0 {
		text += ", " + plural(n, "byte") + " unread"
	}
	if n := count(r, "unacked"); n > 0 {
		text += ", " + plural(n, "byte") + " not acknowledged"
	}
	return text
}

// endsBadly reports whether a record says that a connection or a dial has failed,
// or that a machine's connections are in trouble.
func endsBadly(kind string) bool {
	switch kind {
	case "stream/refuse", "stream/reset", "stream/timeout", "stream/lost", "stream/trouble":
		return true
	}
	return false
}

// toStreams takes what became of a connection.
func (f *deed) toStreams(r *kernel.Record) bool {
	node := r.Node
	what := ""
	switch {
	case f.kind == "stream-reset" && r.Kind == "stream/reset" && r.Event == f.event:
		what = "reset"
	case f.kind == "stream-half-open" && r.Kind == "stream/lost" && r.Event == f.event:
		what = "forgotten"
	case f.kind == "stream-refuse" && r.Kind == "stream/refuse":
		what, node = "refused", get(r, "to")
	case f.kind == "stream-short" && r.Kind == "stream/short":
		what = "cut short"
	}
	if what == "" || !f.hits(node) {
		return false
	}
	said, things := connection(r), "connection"
	if what == "cut short" {
		said, things = "a "+get(r, "what")+" on "+said, "call"
	}
	f.note(node, said)
	f.sum[node] = plural(f.done[node], things) + " of " + node + " " + what
	return true
}
