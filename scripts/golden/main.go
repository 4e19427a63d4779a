// Command golden regenerates the golden files of every module: it runs the
// tests with Golden in their name with UPDATE_GOLDEN=1, and then again without.
// With -check it only compares. It is an error if a package that has golden
// files, in testdata/golden, runs no such test: nothing would look at them.
//
// Goldens hold trace hashes. They may change only when what a seed means was
// changed on purpose; the changelog says so, since seeds that users have
// pinned then mean something else.
//
// The environment is passed on (GOARCH, GOMAXPROCS, GOGC, GOTOOLCHAIN), and so
// are the arguments after --, as flags of go test: -race, -exec=….
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	check := flag.Bool("check", false, "compare only, regenerate nothing")
	list := flag.Bool("list", false, "print the packages that have golden files and exit")
	flag.Parse()
	if err := run(*check, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

func run(check, list bool, flags []string) error {
	w, err := workspace.Open(".")
	if err != nil {
		return err
	}
	files, err := w.Files()
	if err != nil {
		return err
	}
	packages, err := withGoldens(w.Root, files)
	if err != nil {
		return err
	}
	if list {
		for _, p := range packages {
			fmt.Println(p)
		}
		return nil
	}
	if len(packages) == 0 {
		return fmt.Errorf("no package has testdata/golden or a golden test")
	}
	if !check {
		// The tests find the folder empty or old, and write it.
		if err := test(w, packages, append(flags, "-count=1"), "UPDATE_GOLDEN=1"); err != nil {
			return err
		}
	}
	return test(w, packages, append(flags, "-count=1"), "UPDATE_GOLDEN=")
}

var goldenTest = regexp.MustCompile(`(?m)^func Test\w*Golden`)

// withGoldens returns the folders of the packages that have golden files, or a
// test that would write some, in order, as patterns for the go command.
func withGoldens(root string, files []string) ([]string, error) {
	var packages []string
	for _, f := range files {
		if strings.HasPrefix(f, "scripts/") {
			continue // its tests are about this command
		}
		if dir, _, ok := strings.Cut(f, "/testdata/golden/"); ok {
			packages = append(packages, "./"+dir)
		}
		if !strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			return nil, err
		}
		if goldenTest.Match(data) {
			packages = append(packages, "./"+path.Dir(f))
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages), nil
}

// test runs the golden tests of the packages and sees that each has run some.
func test(w *workspace.Workspace, packages, flags []string, env string) error {
	args := slices.Concat([]string{"test", "-v", "-run=Golden"}, flags, packages)
	cmd := exec.Command("go", args...)
	cmd.Dir = w.Root
	cmd.Env = append(w.Env(), env)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	idle, readErr := follow(out, os.Stdout)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s go %s: %w", env, strings.Join(args, " "), err)
	}
	if readErr != nil {
		return readErr
	}
	if len(idle) > 0 {
		return fmt.Errorf("no golden test ran in %s, which has golden files", strings.Join(idle, ", "))
	}
	return nil
}

var goldenPass = regexp.MustCompile(`^--- PASS: Test\w*Golden`)

// follow copies the output of go test -v, without the noise of what passes, and
// returns the packages in which no top-level golden test passed.
func follow(from io.Reader, to io.Writer) (idle []string, err error) {
	lines := bufio.NewScanner(from)
	ran := 0
	for lines.Scan() {
		line := lines.Text()
		fields := strings.Fields(line)
		switch {
		case goldenPass.MatchString(line):
			ran++
		case strings.HasPrefix(line, "=== ") || strings.Contains(line, "--- PASS: ") || line == "PASS":
			continue
		case len(fields) > 1 && (fields[0] == "ok" || fields[0] == "?"):
			if ran == 0 {
				idle = append(idle, fields[1])
			}
			ran = 0
		}
		if _, err := fmt.Fprintln(to, line); err != nil {
			return nil, err
		}
	}
	return idle, lines.Err()
}
