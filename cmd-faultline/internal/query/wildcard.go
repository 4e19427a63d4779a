package query

import "strings"

// Wild reports whether a text matches a pattern, in which '*' stands for any
// number of any characters, slashes too. Everything else stands for itself.
func Wild(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}

// anyWild reports whether a text matches one of the patterns.
func anyWild(patterns []string, text string) bool {
	for _, p := range patterns {
		if Wild(p, text) {
			return true
		}
	}
	return false
}
