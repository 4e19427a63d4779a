package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

func replayCommand(s *session) *cobra.Command {
	printOnly := false
	c := &cobra.Command{
		Use: "replay DIR", Short: "run the command that makes the failure happen again",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.replay(args[0], printOnly) },
	}
	c.Flags().BoolVar(&printOnly, "print", false, "print the command, and do not run it")
	return c
}

// shellCommand returns the command that an artifact records, to be run in the
// shell, and shows it first.
func (s *session) shellCommand(a *artifact.Artifact, dir string) (*exec.Cmd, error) {
	command, err := recordedCommand(a, dir)
	if err != nil {
		return nil, err
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil, fmt.Errorf("there is no shell 'sh' to run it in; run it yourself: %s", command)
	}
	fmt.Fprintln(s.Err, command)
	run := exec.Command(shell, "-c", command)
	run.Dir = a.Report.Replay.Dir
	return run, nil
}

// recordedCommand returns the text of the command, which must show all of
// itself.
func recordedCommand(a *artifact.Artifact, dir string) (string, error) {
	command := a.Report.Replay.Command
	switch {
	case command == "":
		return "", fmt.Errorf("%s has no command to run; set FAULTLINE_REPLAY to it and run go test", dir)
	case artifact.Visible(command) != command:
		return "", fmt.Errorf("the command of %s has hidden characters and is not run: %s", dir, command)
	}
	return command, nil
}

func (s *session) replay(dir string, printOnly bool) error {
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	if printOnly {
		command, err := recordedCommand(a, dir)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.Out, command)
		return nil
	}
	run, err := s.shellCommand(a, dir)
	if err != nil {
		return err
	}
	run.Stdin, run.Stdout, run.Stderr = s.In, s.Out, s.Err
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
	}
	return nil
}
