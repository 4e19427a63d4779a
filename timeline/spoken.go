package timeline

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	quoted = 100 // what it counts that the message names an operation
	origin = 50  // what it counts that an operation was the first to be given a word of the message
)

// spokenOf returns the operations that the failure's message seems to speak
// of, by number: it has their number, as "op 7", or has them as they print, or
// they have a word with a digit in common with it. The value says how much there
// is to it. A message that has two numbers or more, as that of an anomaly of
// transactions has, speaks of those alone.
func spokenOf(a *artifact.Artifact) map[int]int {
	out := map[int]int{}
	if a.Report.Failure == nil {
		return out
	}
	message := a.Report.Failure.Message
	words, said := telling(message), sayingsOf(message)
	given := map[string]bool{}
	var numbered []int
	for i := range a.Operations {
		op := &a.Operations[i]
		byNumber := said.pairs["op "+strconv.Itoa(op.ID)]
		if byNumber {
			numbered = append(numbered, op.ID)
		}
		n := common(words, content(op))
		if n > 0 {
			n = common(words, op.String()+" "+content(op))
		}
		for word := range telling(history.Text(op.Input)) {
			if words[word] && !given[word] {
				given[word] = true
				n += origin
			}
		}
		if byNumber || strings.Contains(message, op.String()) {
			n += quoted
		}
		if n > 0 {
			out[op.ID] = n
		}
	}
	if len(numbered) > 1 {
		maps.DeleteFunc(out, func(id, _ int) bool { return !slices.Contains(numbered, id) })
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
	for _, word := range wordsOf(text) {
		digits := strings.ContainsFunc(word, unicode.IsDigit)
		letters := strings.ContainsFunc(word, unicode.IsLetter)
		if digits && (letters && len(word) >= 2 || len(word) >= 3) {
			out[word] = true
		}
	}
	return out
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
}

// sayings are the words of a failure's message.
type sayings struct {
	words map[string]bool // each of them
	pairs map[string]bool // two that follow each other, with a space between
}

func sayingsOf(message string) sayings {
	s := sayings{map[string]bool{}, map[string]bool{}}
	before := ""
	for _, word := range wordsOf(message) {
		s.words[word] = true
		s.pairs[before+" "+word] = true
		before = word
	}
	return s
}

// of reports whether the message has an attribute of a record, as "term 2" has
// term=2.
func (s sayings) of(r *kernel.Record) bool {
	for i := range r.Attrs {
		if a := &r.Attrs[i]; s.pairs[a.Key+" "+a.Value()] {
			return true
		}
	}
	return false
}
