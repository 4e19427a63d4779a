package artifact

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible returns s with everything replaced by its escape that a terminal
// would act on, or that would change the order of what is shown: control
// characters, bytes that are no UTF-8, and the invisible formatting characters
// of Unicode, those for right-to-left text among them.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == unicode.ReplacementChar && s[i] != "\ufffd"[0]:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100 && hidden(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r) && r != unicode.ReplacementChar:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r == unicode.ReplacementChar
}
