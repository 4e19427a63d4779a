package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
)

func scheduleCommand(s *session) *cobra.Command {
	c := &cobra.Command{
		Use: "schedule COMMAND", Short: "list, check and edit a schedule of faults",
		Args: noCommand,
		RunE: func(*cobra.Command, []string) error {
			return usagef("schedule needs a command: list, check, drop, keep or shift")
		},
	}
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(scheduleListCommand(s), scheduleCheckCommand(s), scheduleDropCommand(s), scheduleKeepCommand(s), scheduleShiftCommand(s))
	return c
}

// schedulePath returns the schedule that an argument means: a file, or that of
// an artifact directory.
func schedulePath(arg string) (path string, fromDir bool, err error) {
	info, err := os.Stat(arg)
	switch {
	case err != nil:
		return "", false, fmt.Errorf("%w; give a schedule.json or an artifact directory", err)
	case info.IsDir():
		return filepath.Join(arg, artifact.ScheduleFile), true, nil
	}
	return arg, false, nil
}

// readBytes reads the file of a schedule.
func readBytes(arg string) (path string, data []byte, err error) {
	path, _, err = schedulePath(arg)
	if err != nil {
		return "", nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, fmt.Errorf("%w; give a schedule.json or an artifact directory that has one", err)
	}
	data, err = io.ReadAll(io.LimitReader(f, fault.MaxSchedule+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", nil, err
	}
	return path, data, nil
}

// readSchedule reads a schedule strictly.
func readSchedule(arg string) (*fault.Schedule, error) {
	path, data, err := readBytes(arg)
	if err != nil {
		return nil, err
	}
	return fault.ParseSchedule(data, path)
}
