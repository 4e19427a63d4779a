package tell

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

func disk(r *kernel.Record, what string) string {
	node, file := shown(r.Node), get(r, "file")
	text := ""
	switch what {
	case "write", "append":
		text = fmt.Sprintf("%s writes %s to %s%s", node, bytes(r), file, opt(r, "off", " at %s"))
	case "read":
		text = fmt.Sprintf("%s reads %s of %s%s", node, bytes(r), file, opt(r, "off", " at %s"))
	case "sync":
		text = fmt.Sprintf("%s has synced %s%s", node, file, opt(r, "len", ", operations covered: %s"))
	case "sync-dir":
		text = fmt.Sprintf("%s has synced the directory %s%s", node, file, opt(r, "len", ", operations covered: %s"))
	case "open":
		text = fmt.Sprintf("%s opens %s%s", node, file, opt(r, "created", " (created: %s)"))
	case "rename":
		text = fmt.Sprintf("%s renames %s to %s", node, file, get(r, "to"))
	case "remove":
		text = fmt.Sprintf("%s removes %s", node, file)
	case "truncate", "allocate":
		text = fmt.Sprintf("%s sets the size of %s to %s", node, file, get(r, "size"))
	case "fate":
		return fmt.Sprintf("what the power loss makes of operation %s on %s%s%s: %s", get(r, "op"), file, opt(r, "to", " to %s"), length(r), get(r, "outcome"))
	case "crash":
		return fmt.Sprintf("the power loss leaves on the disk of %s: %s operations kept, %s lost, %s torn", node, get(r, "kept"), get(r, "lost"), get(r, "torn"))
	case "corrupt":
		return fmt.Sprintf("a bit of %s on the disk of %s flips, at %s", file, node, get(r, "off"))
	default:
		return ""
	}
	return text + opt(r, "outcome", ", which fails: %s")
}

// bytes says how long what was written or read is.
func bytes(r *kernel.Record) string {
	if n := get(r, "len"); n != "1" {
		return n + " bytes"
	}
	return "1 byte"
}

// length is bytes as an aside, for what has a length.
func length(r *kernel.Record) string {
	if get(r, "len") == "" {
		return ""
	}
	return ", " + bytes(r)
}
