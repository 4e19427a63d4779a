package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWithGoldens(t *testing.T) {
	root := t.TempDir()
	files := []string{}
	for name, text := range map[string]string{
		"LICENSE": "",
		"docs/examples/kv/testdata/golden/hashes.txt": "",
		"docs/examples/kv/testdata/golden/more.txt":   "",
		"fault/first_test.go":                         "package fault\n\nfunc TestPlanGolden(t *testing.T) {}\n",
		"history/other_test.go":                       "package history\n\nfunc TestOther(t *testing.T) {} // Golden\n",
		"kernel/testdata/other.txt":                   "",
		"scripts/golden/golden_test.go":               "package main\n\nfunc TestGolden(t *testing.T) {}\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	got, err := withGoldens(root, files)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"./docs/examples/kv", "./fault"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFollow(t *testing.T) {
	const output = `=== RUN   TestGoldenHashes
=== RUN   TestGoldenHashes/seed=1
--- PASS: TestGoldenHashes (0.01s)
    --- PASS: TestGoldenHashes/seed=1 (0.01s)
PASS
ok  	example.com/a	0.010s
testing: warning: no tests to run
PASS
ok  	example.com/b	0.010s [no tests to run]
?   	example.com/c	[no test files]
--- SKIP: TestGoldenSkipped (0.00s)
PASS
ok  	example.com/d	0.010s
`
	var shown strings.Builder
	idle, err := follow(strings.NewReader(output), &shown)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.com/b", "example.com/c", "example.com/d"}; !slices.Equal(idle, want) {
		t.Errorf("idle packages are %q, want %q", idle, want)
	}
	if got := shown.String(); strings.Contains(got, "=== RUN") || !strings.Contains(got, "ok  \texample.com/a") {
		t.Errorf("shown:\n%s", got)
	}
}
