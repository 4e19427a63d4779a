package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

func replayCommand(s *session) *cobra.Command {
	var o replayOptions
	c := &cobra.Command{
		Use: "replay DIR", Short: "run the command that makes the failure happen again",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.replay(args[0], o) },
	}
	c.Flags().BoolVar(&o.print, "print", false, "print the command, and do not run it")
	c.Flags().StringVar(&o.schedule, "schedule", "", "`FILE`: replay this schedule in place of the seed")
	withinFlag(c, &o.within)
	return c
}

type replayOptions struct {
	print    bool
	schedule string
	within   string
}

func (s *session) replay(dir string, o replayOptions) error {
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	run, text, err := s.testCommand(a, dir, o.schedule, o.within)
	if err != nil {
		return err
	}
	seed := a.Report.Seed
	if o.schedule != "" {
		sch, err := readSchedule(o.schedule)
		if err != nil {
			return err
		}
		seed = artifact.Hex64(sch.Seed)
	}
	if o.print {
		fmt.Fprintln(s.Out, text)
		return nil
	}
	fmt.Fprintln(s.Err, text)
	w, err := watch(run, a.Report, seed)
	if err != nil {
		return err
	}
	defer w.close()
	seen := &lookout{Writer: s.Out, text: noTests}
	run.Stdin, run.Stdout, run.Stderr = s.In, seen, s.Err
	// An interrupt from the keyboard goes to the command too, and it decides.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err = run.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return exit(ended.ExitCode())
	case err != nil:
		return fmt.Errorf("the command did not end by itself: %w", err)
	case seen.found:
		return fmt.Errorf("there is no test %s any more, so nothing was replayed", a.Report.Test)
	}
	if ran, err := w.saw(); err != nil || ran {
		return err
	}
	return s.nothingRun(run, a.Report.Test, "the command has ended well without a run of this seed; does the test still reach faultline.Run?")
}

// lookout passes text on and notes whether another text was in it.
type lookout struct {
	io.Writer
	text  string
	tail  string // of what was written, shorter than the text
	found bool
}

func (l *lookout) Write(p []byte) (int, error) {
	all := l.tail + string(p)
	l.found = l.found || strings.Contains(all, l.text)
	l.tail = all[max(0, len(all)-len(l.text)+1):]
	return l.Writer.Write(p)
}
