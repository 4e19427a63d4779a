// Command tidy is go mod tidy for modules whose siblings are not released: it
// publishes the workspace to a proxy in a temporary folder and tidies a copy of
// each module there. Then it writes go.mod and go.sum back, without the sums of
// siblings, or with -check only names the modules whose files would change.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/fileproxy"
	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	check := flag.Bool("check", false, "change nothing; fail if a module is not tidy")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "tidy:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	w, err := workspace.Open(".")
	if err != nil {
		return err
	}
	next, err := fileproxy.Upstream()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "faultline-tidy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	changed, err := tidyAll(w, dir, next, check)
	if err != nil {
		return err
	}
	if check && len(changed) > 0 {
		return fmt.Errorf("not tidy: %s\nrun: GOWORK=off go run -C scripts ./tidy", strings.Join(changed, ", "))
	}
	fmt.Printf("tidy: %d modules, %d changed\n", len(w.Modules), len(changed))
	return nil
}

// tidyAll tidies every module and returns the files that change.
func tidyAll(w *workspace.Workspace, dir, next string, check bool) ([]string, error) {
	proxy, err := fileproxy.Publish(w, dir, next)
	if err != nil {
		return nil, err
	}
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, m := range w.Modules {
		work := filepath.Join(dir, "work", m.Name)
		if err := tidyCopy(w, m, files, proxy, work); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		for _, name := range []string{"go.mod", "go.sum"} {
			differs, err := writeBack(filepath.Join(work, name), filepath.Join(m.Dir, name), check)
			if err != nil {
				return nil, err
			}
			if differs {
				changed = append(changed, m.Name+"/"+name)
			}
		}
	}
	return changed, nil
}

// tidyCopy tidies a copy of the module in the folder work.
func tidyCopy(w *workspace.Workspace, m workspace.Module, files []string, proxy *fileproxy.Proxy, work string) error {
	for _, f := range fileproxy.Contents(w, m, files) {
		name := filepath.Join(work, filepath.FromSlash(f.Path()))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return err
		}
	}
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir = work
	cmd.Env = proxy.Env("-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, out)
	}
	return nil
}

// writeBack copies a tidy file over the module's own if they differ. An empty
// file is no file.
func writeBack(tidy, own string, check bool) (differs bool, err error) {
	want, err := readIfAny(tidy)
	if err != nil {
		return false, err
	}
	want = withoutSiblings(want)
	have, err := readIfAny(own)
	if err != nil || bytes.Equal(have, want) {
		return false, err
	}
	if check {
		return true, nil
	}
	if len(want) == 0 {
		return true, os.Remove(own)
	}
	return true, os.WriteFile(own, want, 0o666)
}

func readIfAny(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return data, err
}

// withoutSiblings drops the lines of a go.sum that name a module of this
// repository. In a go.mod no line starts so.
func withoutSiblings(data []byte) []byte {
	lines := slices.DeleteFunc(bytes.SplitAfter(data, []byte("\n")), func(line []byte) bool {
		return bytes.HasPrefix(line, []byte(workspace.Prefix))
	})
	return bytes.Join(lines, nil)
}
