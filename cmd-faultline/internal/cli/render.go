package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/timeline"
)

func renderCommand(env Env) *cobra.Command {
	var o renderOptions
	c := flagErrors(&cobra.Command{
		Use:  "render",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return render(env, args[0], o) },
	})
	c.Flags().BoolVar(&o.All, "all", false, "")
	c.Flags().IntVar(&o.Width, "width", 0, "")
	c.Flags().IntVar(&o.MaxLines, "max-lines", 0, "")
	c.Flags().BoolVar(&o.stdout, "stdout", false, "")
	c.Flags().StringVar(&o.color, "color", "auto", "")
	return c
}

type renderOptions struct {
	timeline.Options
	stdout bool
	color  string
}

func (o renderOptions) check() error {
	switch {
	case o.Width < 0:
		return usageError{fmt.Errorf("--width %d is negative; use 40 or more, or 0 for the default", o.Width)}
	case o.MaxLines < 0:
		return usageError{fmt.Errorf("--max-lines %d is negative; use 1 or more, or 0 for the default", o.MaxLines)}
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return usageError{fmt.Errorf("--color %q is unknown; use auto, always or never", o.color)}
	}
	return nil
}

func render(env Env, dir string, o renderOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	text, err := timeline.Text(a, o.Options)
	if err != nil {
		return err
	}
	if o.stdout {
		if wantsColor(env, o.color) {
			text = paint(text)
		}
		_, err := env.Out.Write(text)
		return err
	}
	causes, err := timeline.Mermaid(a, 0)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{artifact.TimelineFile, text}, {artifact.CausesFile, causes}} {
		if err := replace(dir, f.name, f.data); err != nil {
			return err
		}
		fmt.Fprintln(env.Out, filepath.Join(dir, f.name))
	}
	return nil
}

// replace writes a file of a directory aside and renames it. A link in its
// place is replaced, not followed.
func replace(dir, name string, data []byte) (err error) {
	f, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	return err
}
