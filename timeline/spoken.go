package timeline

import (
	"strings"
	"unicode"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
)

// spokenOf returns the numbers of the operations that the failure's message
// seems to speak of: they have a word with a digit in common with it.
func spokenOf(a *artifact.Artifact) map[int]bool {
	out := map[int]bool{}
	if a.Report.Failure == nil {
		return out
	}
	words := telling(a.Report.Failure.Message)
	if len(words) == 0 {
		return out
	}
	for i := range a.Operations {
		op := &a.Operations[i]
		if speaks(words, op) {
			out[op.ID] = true
		}
	}
	return out
}

func speaks(words map[string]bool, op *history.Operation) bool {
	texts := []string{history.Text(op.Input), history.Text(op.Output)}
	for _, step := range op.Txn {
		texts = append(texts, step.Key)
	}
	for _, text := range texts {
		for word := range telling(text) {
			if words[word] {
				return true
			}
		}
	}
	return false
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
