package timeline

import "github.com/hmdsefi/faultline/kernel"

// Describe tells a record in words, without its time and node, in one line
// that is safe to show on a terminal: see the package's text. Each attribute
// is cut to 200 characters.
func Describe(r *kernel.Record) string { return describe(r) }
