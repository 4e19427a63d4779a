package timeline

import (
	"strings"
	"unicode"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
)

// spokenOf returns the operations that the failure's message seems to speak
// of, by number: they have a word with a digit in common with it. The value is
// how many words that are, also of their times and client.
func spokenOf(a *artifact.Artifact) map[int]int {
	out := map[int]int{}
	if a.Report.Failure == nil {
		return out
	}
	words := telling(a.Report.Failure.Message)
	if len(words) == 0 {
		return out
	}
	for i := range a.Operations {
		op := &a.Operations[i]
		if common(words, content(op)) > 0 {
			out[op.ID] = common(words, op.String()+" "+content(op))
		}
	}
	return out
}

// content returns the text of what an operation was given and got.
func content(op *history.Operation) string {
	var b strings.Builder
	b.WriteString(history.Text(op.Input) + " " + history.Text(op.Output))
	for _, step := range op.Txn {
		b.WriteString(" " + step.Key)
	}
	return b.String()
}

func common(words map[string]bool, text string) int {
	n := 0
	for word := range telling(text) {
		if words[word] {
			n++
		}
	}
	return n
}

// telling returns the words of a text that tell keys and values: those of two
// characters or more with a digit and a letter, and numbers of three digits or
// more. Others are everywhere.
func telling(text string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}) {
		digits := strings.ContainsFunc(word, unicode.IsDigit)
		letters := strings.ContainsFunc(word, unicode.IsLetter)
		if digits && (letters && len(word) >= 2 || len(word) >= 3) {
			out[word] = true
		}
	}
	return out
}
