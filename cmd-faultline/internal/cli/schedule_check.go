package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/fault"
)

// checkJSON is what schedule check --json prints.
type checkJSON struct {
	File       string `json:"file"`
	Valid      bool   `json:"valid"`
	Error      string `json:"error,omitempty"`
	Faults     int    `json:"faults"`
	Choices    int    `json:"choices"`
	Operations int    `json:"operations"`
}

func scheduleCheckCommand(s *session) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "check FILE", Short: "say whether a schedule is valid",
		Args: exactly(1, scheduleArgument),
		RunE: func(_ *cobra.Command, args []string) error { return s.checkSchedule(args[0], asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

func (s *session) checkSchedule(arg string, asJSON bool) error {
	path, data, err := readBytes(arg)
	if err != nil {
		return err
	}
	out := checkJSON{File: path, Valid: true}
	sch, err := fault.ParseSchedule(data, path)
	if err == nil {
		out.Faults, out.Choices, out.Operations = sch.Count()
		if err = sch.Validate(); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		out.Valid, out.Error = false, err.Error()
	}
	switch {
	case asJSON:
		if printErr := printJSON(s.Out, out); printErr != nil {
			return printErr
		}
		if err != nil {
			return exit(ExitNo)
		}
		return nil
	case err != nil:
		return answerNo{err}
	}
	fmt.Fprintf(s.Out, "%s is valid: %s\n", path, counted(sch))
	return nil
}
