package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The page's script and style are what their sources give.
func TestBundleIsCurrent(t *testing.T) {
	if err := run(true); err != nil {
		t.Error(err)
	}
}

func TestBundleIsOneSafeFile(t *testing.T) {
	files, err := bundle(filepath.Join("..", "..", "timeline", "page", "src"))
	if err != nil {
		t.Fatal(err)
	}
	script := string(files["page.js"])
	if len(files) != 2 || len(files["page.css"]) == 0 || script == "" {
		t.Fatalf("%d files", len(files))
	}
	for _, bad := range []string{"</script", "<!--", "import(", "eval(", "new Function", "http://", "https://", "innerHTML"} {
		if strings.Contains(strings.ToLower(script), strings.ToLower(bad)) {
			t.Errorf("the script contains %q", bad)
		}
	}
}
