package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/timeline"
)

func renderCommand(s *session) *cobra.Command {
	var o renderOptions
	c := &cobra.Command{
		Use: "render DIR", Short: "make every view of an artifact anew",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.render(args[0], o) },
	}
	c.Flags().BoolVar(&o.All, "all", false, "show every record in the timeline")
	c.Flags().BoolVar(&o.stdout, "stdout", false, "print the timeline, and write no file")
	c.Flags().IntVar(&o.Width, "width", 0, "`N`: width of the timeline in characters, at least 40; 0 means 120")
	c.Flags().IntVar(&o.MaxLines, "max-lines", 0, "show at most the last `N` records; 0 means 2000, with --all 200000")
	c.Flags().BoolVar(&o.json, "json", false, "print the paths as JSON")
	return c
}

type renderOptions struct {
	timeline.Options
	stdout bool
	json   bool
}

// renderJSON is what render --json prints.
type renderJSON struct {
	Files []string `json:"files"`
}

func (o renderOptions) check() error {
	switch {
	case o.Width < 0:
		return usagef("--width %d is negative; use 40 or more, or 0 for the default", o.Width)
	case o.Width > 0 && o.Width < 40:
		return usagef("--width %d is too narrow; use 40 or more, or 0 for the default", o.Width)
	case o.MaxLines < 0:
		return usagef("--max-lines %d is negative; use 1 or more, or 0 for the default", o.MaxLines)
	case o.stdout && o.json:
		return usagef("--stdout prints the timeline and --json the paths; use one of them")
	}
	return nil
}

func (s *session) render(dir string, o renderOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	if o.stdout {
		text, err := timeline.Text(a, o.Options)
		if err != nil {
			return err
		}
		if s.colored() {
			text = paintTimeline(text)
		}
		_, err = s.Out.Write(text)
		return err
	}
	made := map[string][]byte{}
	for _, v := range views() { // all of them before any is written
		if made[v.name], err = v.make(a, o.Options); err != nil {
			return err
		}
	}
	var out renderJSON
	for _, v := range views() {
		if err := replace(dir, v.name, made[v.name]); err != nil {
			return err
		}
		out.Files = append(out.Files, filepath.Join(dir, v.name))
	}
	if o.json {
		return printJSON(s.Out, out)
	}
	for _, name := range out.Files {
		fmt.Fprintln(s.Out, name)
	}
	return nil
}
