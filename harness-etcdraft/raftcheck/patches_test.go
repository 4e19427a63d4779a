package raftcheck_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

var (
	patchFlag  = flag.String("patches", "", "which patches to try: a regular expression, culprits (one for each property), or all")
	budgetFlag = flag.Duration("patches.budget", 45*time.Second, "when to stop beginning with another patch")
)

// usual are the patches that are tried without a flag: one per kind of mistake,
// quick to find.
var usual = []string{
	"ack-early", "commit-minority", "commit-old-term", "match-too-far", "no-empty-entry", "prevote-raises-term",
	"read-unconfirmed", "snapshot-wrong-conf", "two-changes", "uncommitted-limit", "vote-stale-log", "vote-twice",
}

// patch is a change to the library, as small as possible.
type patch struct {
	name   string
	breaks string // property, such as P2
	what   string
	edits  []edit
}

type edit struct{ file, old, new string }

// readPatch reads a patch: lines "breaks:", "what:" and "file:", and after each
// file the old text and the new one, between marks.
func readPatch(path string) (*patch, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &patch{name: strings.TrimSuffix(filepath.Base(path), ".txt")}
	rest := string(b)
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		key, value, _ := strings.Cut(line, ": ")
		rest = after
		switch key {
		case "breaks":
			p.breaks = value
		case "what":
			p.what = value
		case "file":
			body, after, ok := strings.Cut(strings.TrimPrefix(rest, "<<<<\n"), "\n>>>>\n")
			old, new, cut := strings.Cut(body, "\n====\n")
			if !ok || !cut {
				return nil, fmt.Errorf("%s: the change of %s has no end", path, value)
			}
			p.edits = append(p.edits, edit{value, old, new})
			rest = after
		default:
			return nil, fmt.Errorf("%s: unknown line %q", path, line)
		}
	}
	return p, nil
}

// apply changes a copy of the library and returns how to undo it.
func (p *patch) apply(dir string) (undo func(), err error) {
	saved := map[string][]byte{}
	undo = func() {
		for f, b := range saved {
			_ = os.WriteFile(f, b, 0o644)
		}
	}
	for _, e := range p.edits {
		f := filepath.Join(dir, e.file)
		b, err := os.ReadFile(f)
		if err != nil {
			return undo, err
		}
		if saved[f] == nil {
			saved[f] = b
		}
		if n := strings.Count(string(b), e.old); n != 1 {
			return undo, fmt.Errorf("%s holds %d times the text to change: %q", e.file, n, e.old)
		}
		if err := os.WriteFile(f, []byte(strings.Replace(string(b), e.old, e.new, 1)), 0o644); err != nil {
			return undo, err
		}
	}
	return undo, nil
}

// workshop is a module with this package's files that uses a copy of the
// library.
type workshop struct{ dir, library string }

func newWorkshop(dir, library string) (*workshop, error) {
	w := &workshop{dir, filepath.Join(dir, "raft")}
	if err := copyGo(library, w.library, true); err != nil {
		return nil, err
	}
	if err := copyGo(".", filepath.Join(dir, "raftcheck"), false); err != nil {
		return nil, err
	}
	mod := "module github.com/hmdsefi/faultline/harness-etcdraft\n\ngo 1.26.0\n\n" +
		"require (\n\tgo.etcd.io/raft/v3 v3.7.0\n\tgoogle.golang.org/protobuf v1.36.11\n)\n\n" +
		"replace go.etcd.io/raft/v3 => ./raft\n"
	sum, err := os.ReadFile("../go.sum")
	return w, errors.Join(err, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644))
}

// copyGo copies the Go files of a folder and what is below it, without tests if
// it is a library.
func copyGo(from, to string, library bool) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, path)
		base := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == "rafttest"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !strings.HasSuffix(path, ".go") && base != "go.mod" && base != "go.sum",
			library && strings.HasSuffix(path, "_test.go"), base == "patches_test.go", base == "culprits_test.go":
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
}

var foundLine = regexp.MustCompile(`(?m)^FOUND (\d+) (\d+) (.*)$`)

// try builds the sweep with a patched library and searches for a failure.
func (w *workshop) try(p *patch, args ...string) (seeds int, check, text string, err error) {
	undo, err := p.apply(w.library)
	defer undo()
	if err != nil {
		return 0, "", "", err
	}
	bin := filepath.Join(w.dir, "sweep.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin, "./raftcheck")
	build.Dir = w.dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, "", "", fmt.Errorf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, bin, append([]string{"-test.run=^TestRaftHolds$", "-sweep.search"}, args...)...).CombinedOutput()
	if m := foundLine.FindStringSubmatch(string(out)); m != nil {
		seeds, _ = strconv.Atoi(m[1])
		return seeds, "P" + m[2], m[3], nil
	}
	return 0, "", strings.TrimSpace(string(out)), err
}

// Each patch is found within a thousand seeds, by the property that it breaks.
func TestPatchedRaft(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library")
	}
	names, err := choosePatches()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.etcd.io/raft/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	const workers = 2
	var wg sync.WaitGroup
	jobs := make(chan string)
	for range workers {
		w, err := newWorkshop(t.TempDir(), strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for name := range jobs {
				w.report(t, name)
			}
		})
	}
	begin := time.Now()
	for k, name := range names {
		if *patchFlag == "" && time.Since(begin) > *budgetFlag {
			t.Logf("no time for %d patches; -patches=all tries all", len(names)-k)
			break
		}
		jobs <- name
	}
	close(jobs)
	wg.Wait()
}

func (w *workshop) report(t *testing.T, name string) {
	p, err := readPatch(filepath.Join("testdata", "patches", name+".txt"))
	if err != nil {
		t.Error(err)
		return
	}
	args := []string{"-sweep.seeds=1000"}
	if *offFlag {
		args = append(args, "-sweep.blackbox")
	}
	begin := time.Now()
	seeds, check, text, err := w.try(p, args...)
	switch {
	case err != nil:
		t.Errorf("%s: %v %s", name, err, text)
	case seeds == 0:
		t.Errorf("%s (%s) is not found in 1000 seeds", name, p.what)
	case !slices.Contains(strings.Fields(p.breaks), check) && !*offFlag:
		t.Errorf("%s (%s) should break %s; seed %d says %s", name, p.what, p.breaks, seeds, text)
	default:
		t.Logf("%-24s %4d seeds %5.1fs  %s", name, seeds, time.Since(begin).Seconds(), text)
	}
}

func choosePatches() ([]string, error) {
	if *patchFlag == "" {
		return usual, nil
	}
	if *patchFlag == "culprits" {
		var names []string
		for _, c := range raftcheck.Checks() {
			if name := culprits[c]; !strings.Contains(name, " ") {
				names = append(names, name)
			}
		}
		return names, nil
	}
	match, err := regexp.Compile(*patchFlag)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob("testdata/patches/*.txt")
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".txt"); *patchFlag == "all" || match.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, err
}
