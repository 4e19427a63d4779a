package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// badText is text that must not be committed. The patterns are written with
// one-letter classes, so that they do not match themselves.
type badText struct {
	pattern *regexp.Regexp
	advice  string
}

var badTexts = []badText{
	{regexp.MustCompile(`(^|[^\w.])/([r]oot|[w]ork|[U]sers|[h]ome/[a-z][-\w]*)/`), "a path of one machine: say the path from the root of the repository"},
	{regexp.MustCompile(`https?://([p]roxy|[d]eb|[r]egistry)\.[a-z]+|[p]roxy\.golang\.org|[s]um\.golang\.org|[r]egistry\.npmjs|\b[p]ypi\.org`), "the host of a registry: leave it to the environment of the one who builds"},
}

// checkText looks for text that is true only where it was written.
func checkText(w *workspace.Workspace, files []string, r *report) {
	patterns := append(badTexts[:len(badTexts):len(badTexts)], here(w.Root)...)
	for _, name := range files {
		if strings.HasPrefix(name, "scripts/houserules/testdata/") {
			continue // planted violations
		}
		data, err := os.ReadFile(filepath.Join(w.Root, name))
		if err != nil || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			for _, bad := range patterns {
				for _, m := range bad.pattern.FindAll(line, -1) {
					r.add(name, i+1, "text", "%q is %s", strings.TrimSpace(string(m)), bad.advice)
				}
			}
		}
	}
}

// here is the place of this very checkout, whichever it is.
func here(root string) []badText {
	if filepath.Dir(root) == root {
		return nil
	}
	return []badText{{regexp.MustCompile(regexp.QuoteMeta(root) + `\b`), "the path of this checkout: say the path from the root of the repository"}}
}
