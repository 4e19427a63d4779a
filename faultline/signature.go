package faultline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/kernel"
)

// signature tells repeats of a failure from new ones.
func signature(f *kernel.Failure) string { return f.Kind + " | " + f.Check + " | " + site(f) }

const mostSite = 160 // bytes of a site

// site returns what tells a failure from others of the same check, without
// what changes from seed to seed: the place of a panic in the user's code, or
// the first sentence of the message without its values.
func site(f *kernel.Failure) string {
	if f.Stack != "" {
		if place := userFrame(f.Stack); place != "" {
			return place
		}
	}
	line, _, _ := strings.Cut(f.Message, "\n")
	text := withoutValues(line)
	return strings.ToValidUTF8(text[:min(len(text), mostSite)], "")
}

var (
	// quoted is a value in a message, as %q writes it.
	quoted = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	// inHistory is an operation as the history writes it.
	inHistory = regexp.MustCompile(`\S+ \S+\(.*?\) (ok|fail|unknown|pending)\b.*? \[[^\[\]]*(\]|$)`)
	// bracketed is a list, the arguments of a call, or an aside.
	bracketed = regexp.MustCompile(`\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}`)
)

// withoutValues replaces the values in a message by #: what is in quotes or
// brackets, operations of the history, and words that have a digit or an equals
// sign in them or are a single letter, such as names of nodes and keys. Values
// in a row are one. What comes after the first sentence is left out: it tells
// more of the case at hand.
func withoutValues(line string) string {
	line = quoted.ReplaceAllString(line, "#")
	line = inHistory.ReplaceAllString(line, "#")
	for bracketed.MatchString(line) {
		line = bracketed.ReplaceAllString(line, "#")
	}
	line, _, _ = strings.Cut(line, ". ")
	var words []string
	for word := range strings.FieldsSeq(line) {
		word = strings.Trim(word, ",;:.")
		switch {
		case isValue(word):
			if n := len(words); n == 0 || words[n-1] != "#" {
				words = append(words, "#")
			}
		case word != "":
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func isValue(word string) bool {
	return strings.ContainsAny(word, "#=") || strings.ContainsFunc(word, unicode.IsDigit) || utf8.RuneCountInString(word) == 1
}

// userFrame returns the first function in a stack that is neither the standard
// library's nor faultline's own: a panic in strings.Repeat is told by who called it.
// Where there is none but of the standard library, it is the first of those.
func userFrame(stack string) string {
	const ours = "github.com/hmdsefi/faultline/"
	std, first := standardRoot(stack), ""
	lines := strings.Split(stack, "\n")
	for n, line := range lines {
		line = strings.TrimSpace(line)
		name, _, isCall := strings.Cut(line, "(")
		if i := strings.LastIndex(line, "("); isCall && i > 0 {
			name = line[:i]
		}
		switch {
		case !isCall, strings.HasPrefix(line, "goroutine "), strings.HasPrefix(line, "created by"),
			strings.HasPrefix(line, "runtime"), strings.HasPrefix(line, "panic("), strings.HasPrefix(line, "testing."):
			continue
		case std != "" && n+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n+1]), std):
			if first == "" {
				first = name
			}
			continue
		}
		if rest, is := strings.CutPrefix(name, ours); is {
			module, _, _ := strings.Cut(rest, ".")
			switch module {
			case "kernel", "simnet", "simdisk", "fault", "history", "faultline":
				continue
			}
		}
		return name
	}
	return first
}

// standardRoot returns the directory of the standard library in a stack, with a
// slash at its end, as the place of a function of the runtime has it. It is empty
// where places are trimmed.
func standardRoot(stack string) string {
	_, rest, found := strings.Cut(stack, "runtime/debug.Stack(")
	if !found {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "\n")
	place, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	root, _, _ := strings.Cut(place, "runtime/debug/")
	return root
}
