package timeline

import (
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// Describe tells a record in words, without its time and node, in one line
// that is safe to show on a terminal: see the package's text. Each attribute
// is cut to 200 characters. Of a message it has the content, if that is known.
func Describe(r *kernel.Record) string {
	text := describe(r)
	if strings.HasPrefix(r.Kind, "net/") {
		text += suffix(r, "content", ": ")
	}
	return text
}
