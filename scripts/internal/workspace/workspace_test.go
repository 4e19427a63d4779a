package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const work = `go 1.26.0

use (
	./cmd-faultline
	./kernel
)

replace (
	github.com/hmdsefi/faultline/cmd-faultline v0.1.0 => ./cmd-faultline
	github.com/hmdsefi/faultline/kernel v0.1.0 => ./kernel
)
`

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.work", work)
	write(t, root, "kernel/deep/x.go", "package deep\n")
	w, err := Open(filepath.Join(root, "kernel", "deep"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Version != "v0.1.0" || len(w.Modules) != 2 || w.Modules[1].Path != Prefix+"kernel" {
		t.Errorf("got %+v", w)
	}
	for file, want := range map[string]string{
		"kernel/deep/x.go": "kernel",
		"kernels/x.go":     "",
		"README.md":        "",
	} {
		if got := w.ModuleOf(file); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"two versions", strings.Replace(work, "kernel v0.1.0", "kernel v0.2.0", 1), "one version"},
		{"no version", "go 1.26.0\n\nuse ./kernel\n", "no versioned replace"},
		{"not a go.work", "gone 1.26.0\n", "gone"},
	} {
		root := t.TempDir()
		write(t, root, "go.work", test.text)
		if _, err := Open(root); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

// TestFiles sees that what git ignores, and what is gone, is left out, and that
// what is not yet added is in.
func TestFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.work", work)
	write(t, root, ".gitignore", "/bin/\n")
	write(t, root, "bin/faultline", "binary")
	write(t, root, "kernel/new.go", "package kernel\n")
	write(t, root, "kernel/gone.go", "package kernel\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "kernel/gone.go"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.Remove(filepath.Join(root, "kernel", "gone.go")); err != nil {
		t.Fatal(err)
	}
	w, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Files()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{".gitignore", "go.work", "kernel/new.go"}; !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
}
