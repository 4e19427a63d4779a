package timeline

import (
	"fmt"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/artifact"
)

const (
	maxPageText  = 8 << 10  // bytes of one text
	maxPageTexts = 24 << 20 // bytes of all texts together
	maxPoorText  = 32       // bytes of one text when those are used up
)

// texts numbers the different texts of a page. They are made visible and are
// bounded, one by one and all together.
type texts struct {
	list   []string
	places map[string]int
	bytes  int
	cut    int // texts that were shortened
}

func newTexts() *texts { return &texts{list: []string{""}, places: map[string]int{"": 0}} }

// number returns the number of a text.
func (t *texts) number(s string) int {
	if i, ok := t.places[s]; ok {
		return i
	}
	s = t.fit(s)
	if i, ok := t.places[s]; ok {
		return i
	}
	t.places[s] = len(t.list)
	t.list = append(t.list, s)
	return len(t.list) - 1
}

// fit makes a text visible and short enough.
func (t *texts) fit(s string) string {
	limit := maxPageText
	if t.bytes > maxPageTexts {
		limit = maxPoorText
	}
	if size := len(s); size > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = fmt.Sprintf("%s… (%d bytes in all)", artifact.Visible(s[:limit]), size)
		t.cut++
	} else {
		s = artifact.Visible(s)
	}
	t.bytes += len(s)
	return s
}
