package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// full returns llms-full.txt: llms.txt and after it every page for users, in
// the order of the index, then the modules' own.
func full(w *workspace.Workspace) (map[string][]byte, error) {
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	pages := []string{"llms.txt", "README.md"}
	for _, part := range []string{"docs/guides/", "docs/reference/", "docs/explanation/", "docs/"} {
		for _, f := range files {
			if strings.HasPrefix(f, part) && strings.HasSuffix(f, ".md") && !strings.Contains(strings.TrimPrefix(f, part), "/") {
				pages = append(pages, f)
			}
		}
	}
	for _, m := range w.Modules {
		if name := m.Name + "/README.md"; m.Name != "docs" {
			pages = append(pages, name)
		}
	}
	var b bytes.Buffer
	for _, name := range pages {
		text, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "<!-- %s -->\n\n%s\n", name, bytes.TrimRight(text, "\n"))
		b.WriteString("\n")
	}
	return map[string][]byte{"llms-full.txt": b.Bytes()}, nil
}
