package kernel

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName returns nil if a name, of a node, a check or a role for example, can
// be written to a file, read back as it was, and shown in a line: it is not
// empty, is valid UTF-8, and has no control character, no separator of lines, and
// none of the characters that turn the direction of the text after them (U+202A to
// U+202E, U+2066 to U+2069). Otherwise the error says what is wrong with it.
func CheckName(name string) error {
	if name == "" {
		return errors.New("it is empty")
	}
	if !utf8.ValidString(name) {
		return errors.New("it is not valid UTF-8")
	}
	if i := strings.IndexFunc(name, unseen); i >= 0 {
		r, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Errorf("%U in it is a control character", r)
	}
	return nil
}

// unseen reports whether a character has an effect in place of a look.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
