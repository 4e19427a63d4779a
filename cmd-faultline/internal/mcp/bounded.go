package mcp

import (
	"bytes"
	"fmt"
)

// bounded keeps the beginning of what is written, up to a limit, and counts the
// rest.
type bounded struct {
	bytes.Buffer
	limit int
	left  int // bytes that were not kept
}

// Write keeps what fits. It never fails.
func (b *bounded) Write(p []byte) (int, error) {
	fits := max(min(len(p), b.limit-b.Len()), 0)
	b.Buffer.Write(p[:fits])
	b.left += len(p) - fits
	return len(p), nil
}

// text returns what was kept, cut behind its last whole line if there was more.
func (b *bounded) text() string {
	if b.left == 0 {
		return b.String()
	}
	kept := b.Bytes()
	if end := bytes.LastIndexByte(kept, '\n'); end >= 0 {
		kept = kept[:end+1]
	}
	left := b.Len() - len(kept) + b.left
	return fmt.Sprintf("%s[%d bytes more are left out; ask for less: fewer records (last), one node, one kind, a span of time]\n", kept, left)
}
