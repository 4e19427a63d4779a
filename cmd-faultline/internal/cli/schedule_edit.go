package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/edit"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/tell"
	"github.com/hmdsefi/faultline/fault"
)

func scheduleDropCommand(s *session) *cobra.Command {
	return filterCommand(s, "drop", "write a schedule without some of its entries", edit.Drop,
		"`POINT`: drop the choices at these points, such as 'net/*'; can be repeated")
}

func scheduleKeepCommand(s *session) *cobra.Command {
	return filterCommand(s, "keep", "write a schedule with some of its entries only", edit.Keep,
		"`POINT`: keep only the choices at these points, such as 'net/*'; can be repeated")
}

func filterCommand(s *session, name, short string, do func(*fault.Schedule, edit.Entries) (*fault.Schedule, error), choices string) *cobra.Command {
	var o outputOptions
	var points []string
	c := &cobra.Command{
		Use: name + " FILE [FAULT...]", Short: short,
		Args: between(1, -1, scheduleArgument+" and faults"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && len(points) == 0 {
				return usagef("%s needs faults or --choices; 'faultline schedule list' shows what there is", name)
			}
			return s.edit(args[0], o, func(sch *fault.Schedule) (*fault.Schedule, error) {
				return do(sch, edit.Entries{Faults: args[1:], Choices: points})
			})
		},
	}
	c.Flags().StringArrayVar(&points, "choices", nil, choices)
	o.flags(c)
	return c
}

func scheduleShiftCommand(s *session) *cobra.Command {
	var o outputOptions
	var by time.Duration
	c := &cobra.Command{
		Use: "shift FILE FAULT...", Short: "write a schedule with some faults moved in time",
		Args: between(2, -1, scheduleArgument+" and faults"),
		RunE: func(_ *cobra.Command, args []string) error {
			if by == 0 {
				return usagef("shift needs --by and a duration other than 0, such as 200ms or -1s")
			}
			return s.edit(args[0], o, func(sch *fault.Schedule) (*fault.Schedule, error) {
				return edit.Shift(sch, args[1:], by)
			})
		},
	}
	c.Flags().DurationVar(&by, "by", 0, "`TIME`: how far, such as 200ms; negative is earlier")
	o.flags(c)
	return c
}

// outputOptions say where an edited schedule goes.
type outputOptions struct {
	file    string
	inPlace bool
}

func (o *outputOptions) flags(c *cobra.Command) {
	c.Flags().StringVarP(&o.file, "output", "o", "", "`FILE`: write to this new file; - is standard output")
	c.Flags().BoolVar(&o.inPlace, "in-place", false, "replace the file; not for the schedule of an artifact")
}

func (o *outputOptions) check() error {
	if (o.file == "") == !o.inPlace {
		return usagef("say where the result goes: -o FILE, -o - or --in-place")
	}
	return nil
}

// edit reads a schedule, changes it and writes it.
func (s *session) edit(arg string, o outputOptions, change func(*fault.Schedule) (*fault.Schedule, error)) error {
	if err := o.check(); err != nil {
		return err
	}
	path, fromDir, err := schedulePath(arg)
	if err != nil {
		return err
	}
	if fromDir && o.inPlace {
		return usagef("an artifact stays as it was recorded; write to a new file with -o")
	}
	before, err := readSchedule(arg)
	if err != nil {
		return err
	}
	after, err := change(before)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := encodeValid(after)
	if err != nil {
		return err
	}
	target := path
	switch {
	case o.file == "-":
		_, err := s.Out.Write(data)
		return err
	case !o.inPlace:
		target = filepath.Clean(o.file)
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists; name a new file, or use --in-place", target)
		}
	}
	if err := replace(filepath.Dir(target), filepath.Base(target), data); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s: %s\n", target, kept(before, after))
	return nil
}

// kept says how much of a schedule is in another, in the words of the report.
func kept(before, after *fault.Schedule) string {
	faults0, choices0, operations0 := before.Count()
	faults, choices, operations := after.Count()
	text := fmt.Sprintf("%d of %s, %d of %s", faults, tell.Count(faults0, "fault"), choices, tell.Count(choices0, "choice"))
	if operations0 > 0 {
		text += fmt.Sprintf(", %d of %s", operations, tell.Count(operations0, "operation"))
	}
	return text
}

// encodeValid returns the text of a schedule that the reader takes.
func encodeValid(sch *fault.Schedule) ([]byte, error) {
	data := sch.Encode()
	if _, err := fault.ParseSchedule(data, "the result"); err != nil {
		return nil, err
	}
	return data, nil
}
