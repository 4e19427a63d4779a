package tell

import "fmt"

// Count is like "1 record" or "3 records".
func Count[N int | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
