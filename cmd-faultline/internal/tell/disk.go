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
		text = fmt.Sprintf("%s writes %s bytes to %s%s", node, get(r, "len"), file, opt(r, "off", " at %s"))
	case "read":
		text = fmt.Sprintf("%s reads %s bytes of %s%s", node, get(r, "len"), file, opt(r, "off", " at %s"))
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
		return fmt.Sprintf("what the power loss makes of operation %s on %s%s%s: %s", get(r, "op"), file, opt(r, "to", " to %s"), opt(r, "len", ", %s bytes"), get(r, "outcome"))
	case "crash":
		return fmt.Sprintf("the power loss leaves on the disk of %s: %s operations kept, %s lost, %s torn", node, get(r, "kept"), get(r, "lost"), get(r, "torn"))
	case "corrupt":
		return fmt.Sprintf("a bit of %s on the disk of %s flips, at %s", file, node, get(r, "off"))
	default:
		return ""
	}
	return text + opt(r, "outcome", ", which fails: %s")
}
