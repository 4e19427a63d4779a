package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
)

func pinCommand(s *session) *cobra.Command {
	var o pinOptions
	c := &cobra.Command{
		Use: "pin DIR", Short: "make a regression test of a failure",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.pin(args[0], o) },
	}
	c.Flags().StringVar(&o.name, "name", "", "`NAME`: name of the pin, in letters, digits, '.', '-' and '_'; made from check and seed if not given")
	c.Flags().StringVar(&o.dir, "dir", "", "`DIR`: directory of the test's package; looked up with go list, or taken from the artifact, if not given")
	c.Flags().BoolVar(&o.seed, "seed", false, "pin the seed only, in NAME.seed, so that the faults are drawn anew when the code changes")
	c.Flags().BoolVar(&o.full, "full", false, "pin schedule.json, also if there is a schedule.min.json")
	c.Flags().BoolVar(&o.force, "force", false, "replace a pin of that name")
	c.Flags().BoolVar(&o.dry, "dry-run", false, "print the path, and write nothing")
	c.Flags().BoolVar(&o.json, "json", false, "print the path as JSON")
	c.Flags().StringVar(&o.within, "within", "", "`DIR`: refuse a package that is not in DIR")
	return c
}

type pinOptions struct {
	name, dir         string
	seed, full, force bool
	dry, json         bool
	within            string
}

// pinJSON is what pin --json prints.
type pinJSON struct {
	File string `json:"file"`
	Test string `json:"test"`
}

func (s *session) pin(dir string, o pinOptions) error {
	if o.seed && o.full {
		return usagef("--seed pins no schedule and --full a whole one; use one of them")
	}
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	if o.name == "" {
		o.name = defaultPinName(a.Report)
	}
	if err := checkPinName(o.name); err != nil {
		return err
	}
	data, ext, err := pinned(a, o)
	if err != nil {
		return err
	}
	pkg, err := packageDir(a.Report, o.dir)
	if err == nil && o.within != "" {
		pkg, err = inside(o.within, pkg)
	}
	if err != nil {
		return err
	}
	pins := filepath.Join(pkg, artifact.PinDir(a.Report.Test))
	if o.within != "" {
		if err := leadsOutside(o.within, pins); err != nil {
			return err
		}
	}
	file := filepath.Join(pins, o.name+ext)
	old, err := os.ReadFile(file)
	switch {
	case err == nil && !bytes.Equal(old, data) && !o.force:
		return fmt.Errorf("%s exists and is another one; give a --name, or --force to replace it", file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if !o.dry {
		if err := os.MkdirAll(pins, 0o755); err != nil {
			return err
		}
		if err := replace(pins, o.name+ext, data); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(s.Out, pinJSON{file, a.Report.Test})
	}
	fmt.Fprintln(s.Out, file)
	return nil
}

// pinned returns what to pin, and how the name of its file ends: the seed alone, or the
// smaller schedule if there is one.
func pinned(a *artifact.Artifact, o pinOptions) (data []byte, ext string, err error) {
	if o.seed || a.Schedule == nil {
		return seedFile(a.Report), ".seed", nil
	}
	schedule, err := chosen(a, o.full)
	if err != nil {
		return nil, "", err
	}
	data, err = encodeValid(schedule)
	return data, ".json", err
}

// chosen returns the smaller schedule of an artifact if there is one, and a whole one
// is not asked for.
func chosen(a *artifact.Artifact, full bool) (*fault.Schedule, error) {
	small := slices.ContainsFunc(a.Report.Files, func(f artifact.File) bool { return f.Name == artifact.MinimalFile })
	if !small || full {
		return a.Schedule, nil
	}
	data, err := a.File(artifact.MinimalFile)
	if err != nil {
		return nil, err
	}
	return fault.ParseSchedule(data, filepath.Join(a.Dir, artifact.MinimalFile))
}

// seedFile is a list of one seed, with what it has led to.
func seedFile(r *artifact.Report) []byte {
	what := "passes"
	if r.Failure != nil {
		what = fmt.Sprintf("%s %q failed", r.Failure.Kind, r.Failure.Check)
	}
	return fmt.Appendf(nil, "# %s\n0x%016x\n", what, uint64(r.Seed))
}

// defaultPinName is the name of a pin that is given none: that of its failure.
func defaultPinName(r *artifact.Report) string {
	check := "pass"
	if r.Failure != nil {
		check = r.Failure.Check
	}
	return artifact.PinName(check, uint64(r.Seed))
}

// checkPinName refuses names that are not file names on every system.
func checkPinName(name string) error {
	lower := strings.ToLower(name)
	if name == "" || strings.Contains(name, "/") || artifact.SafeName(lower) != lower || strings.HasSuffix(lower, ".json") {
		return usagef("--name %q is no plain name; use letters, digits, '.', '-' and '_', without .json", name)
	}
	return nil
}

// packageDir returns the directory of the test's package: the one that is
// given, or what go list says here, or where the test was run.
func packageDir(r *artifact.Report, given string) (string, error) {
	if given != "" {
		info, err := os.Stat(given)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a directory", given)
		}
		if err != nil {
			return "", fmt.Errorf("--dir: %w", err)
		}
		return filepath.Clean(given), nil
	}
	// With -e also if all files have a build constraint, as //go:build integration.
	out, err := exec.Command("go", "list", "-e", "-find", "-f", "{{.Dir}}", "--", r.Package).Output()
	if dir := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(dir) && !strings.Contains(dir, "\n") {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	if dir := recordedDir(r.Replay); dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("the directory of package %q is not known here; run this in its module, or give --dir", r.Package)
}

// recordedDir returns the directory that a replay command is run in, or goes
// to first; empty if it is not known.
func recordedDir(r artifact.Replay) string {
	rest, ok := strings.CutPrefix(r.Command, "cd ")
	if r.Dir != "" || !ok {
		return r.Dir
	}
	if !strings.HasPrefix(rest, "'") {
		dir, _, found := strings.Cut(rest, " && ")
		if !found || strings.ContainsAny(dir, " '\"\\$`") {
			return ""
		}
		return dir
	}
	// In single quotes only a single quote is special: it is written '\''.
	dir, _, found := strings.Cut(rest[1:], "' && ")
	dir = strings.ReplaceAll(dir, `'\''`, "\x00")
	if !found || strings.Contains(dir, "'") {
		return ""
	}
	return strings.ReplaceAll(dir, "\x00", "'")
}
