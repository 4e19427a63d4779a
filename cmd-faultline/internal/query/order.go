package query

import (
	"cmp"
	"strings"
	"unicode"
)

// Natural orders names so that n2 comes before n10.
func Natural(a, b string) int {
	headA, headB := strings.TrimRightFunc(a, unicode.IsDigit), strings.TrimRightFunc(b, unicode.IsDigit)
	if headA != headB {
		return cmp.Compare(headA, headB)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
