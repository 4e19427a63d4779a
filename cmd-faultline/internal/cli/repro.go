package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/repro"
)

func reproCommand(s *session) *cobra.Command {
	var o reproOptions
	c := &cobra.Command{
		Use: "repro DIR", Short: "write a Go test that fails as the artifact's run did",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.repro(args[0], o) },
	}
	c.Flags().StringVarP(&o.output, "output", "o", "", "`FILE`: write to this new file; '-' is standard output; made from check and seed, in the package of the test, if not given")
	c.Flags().StringVar(&o.dir, "dir", "", "`DIR`: directory of the test's package; looked up with go list, or taken from the artifact, if not given")
	c.Flags().StringVar(&o.name, "name", "", "`NAME`: name of the test function, such as TestLostWrite; made from the check, and the seed if that is taken, if not given")
	c.Flags().BoolVar(&o.full, "full", false, "use schedule.json, also if there is a schedule.min.json")
	return c
}

type reproOptions struct {
	output, dir, name string
	full              bool
}

func (s *session) repro(dir string, o reproOptions) error {
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	sch, err := chosen(a, o.full)
	if err != nil {
		return err
	}
	if a.Report.Failure == nil || a.Schedule == nil {
		return fmt.Errorf("%s has no failure with a schedule, so there is nothing to reproduce", dir)
	}
	if o.name != "" && !isTestName(o.name) {
		return usagef("--name %q is no name of a test function; write one like TestLostWrite", o.name)
	}
	if strings.HasSuffix(o.output, ".go") && !strings.HasSuffix(o.output, "_test.go") {
		return usagef("-o %s would be part of the package itself; let the name end in _test.go", o.output)
	}
	pkg, err := packageDir(a.Report, o.dir)
	if err != nil {
		return err
	}
	original, _, _ := strings.Cut(a.Report.Test, "/")
	x := repro.Test{Original: original, Seed: uint64(a.Report.Seed), Schedule: sch, About: aboutRepro(a.Report)}
	files, err := repro.ReadDir(pkg)
	if err != nil {
		return err
	}
	if x.Place, err = files.Find(original); err != nil {
		return err
	}
	if x.Name, err = freeName(files, a.Report, o.name); err != nil {
		return err
	}
	sch.Test, sch.Expect = a.Report.Test, nil
	source, err := x.Source()
	if err != nil {
		return err
	}
	if o.output == "-" {
		_, err = s.Out.Write(source)
		return err
	}
	if o.output == "" {
		o.output = filepath.Join(pkg, "repro_"+strings.ReplaceAll(defaultPinName(a.Report), "-", "_")+"_test.go")
	}
	if err := writeNew(o.output, source); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, o.output)
	return nil
}

// writeNew writes a file that is not there yet, all of it or none.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is not replaced; remove it, or give another file with -o", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// freeName returns the name of the test function: the given one, or else one of
// the check that no file of the package has.
func freeName(files *repro.Dir, r *artifact.Report, given string) (string, error) {
	if given == "" {
		return files.Free(reproName(r.Failure.Check), uint64(r.Seed)), nil
	}
	if file := files.Declares(given); file != "" {
		return "", fmt.Errorf("--name %s: %s has it already; give another one", given, file)
	}
	return given, nil
}

// reproName makes a name of a test function from that of a check.
func reproName(check string) string {
	name := "TestRepro"
	up := true
	for _, c := range check {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		switch {
		case !letter:
			up = true
			continue
		case up && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		if name += string(c); len(name) >= 60 {
			break
		}
	}
	return name
}

// isTestName reports whether go test runs a function of that name.
func isTestName(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	if !ok || rest == "" || rest[0] >= 'a' && rest[0] <= 'z' {
		return false
	}
	return strings.IndexFunc(rest, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_')
	}) < 0
}

// aboutRepro says what failed and what it takes.
func aboutRepro(r *artifact.Report) []string {
	lines := []string{fmt.Sprintf("%s %q: %s", r.Failure.Kind, r.Failure.Check, firstLine(r.Failure.Message))}
	if r.Why != nil {
		for _, part := range r.Why.Reasons {
			lines = append(lines, part.Part)
		}
	}
	return lines
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if short := []rune(line); len(short) > 200 {
		line = string(short[:200]) + "…"
	}
	return line
}
