package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/tell"
	"github.com/hmdsefi/faultline/fault"
)

const scheduleArgument = "a schedule.json or an artifact directory"

func scheduleListCommand(s *session) *cobra.Command {
	choices, asJSON := false, false
	c := &cobra.Command{
		Use: "list FILE", Short: "print the faults of a schedule",
		Args: exactly(1, scheduleArgument),
		RunE: func(_ *cobra.Command, args []string) error {
			sch, err := readSchedule(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				_, err := s.Out.Write(sch.Encode())
				return err
			}
			return s.listSchedule(sch, choices)
		},
	}
	c.Flags().BoolVar(&choices, "choices", false, "print the choices too")
	c.Flags().BoolVar(&asJSON, "json", false, "print it in the format of schedule.json")
	return c
}

// counted says how much a schedule holds, in the words of the report.
func counted(sch *fault.Schedule) string {
	faults, choices, operations := sch.Count()
	text := tell.Count(faults, "fault") + ", " + tell.Count(choices, "choice")
	if operations > 0 {
		text += ", " + tell.Count(operations, "operation")
	}
	return text
}

func (s *session) listSchedule(sch *fault.Schedule, choices bool) error {
	out := &lines{w: s.Out}
	quiet := ""
	if sch.Quiet > 0 {
		quiet = fmt.Sprintf(", quiet from %v on", sch.Quiet)
	}
	out.print(artifact.Visible(fmt.Sprintf("%s, seed 0x%016x, %v%s", sch.Test, sch.Seed, sch.Duration, quiet)))
	if e := sch.Expect; e != nil {
		out.print(artifact.Visible(fmt.Sprintf("expects %s %q at %v, event %d", e.Kind, e.Check, e.Time, e.Event)))
	}
	out.print(counted(sch))
	if len(sch.Faults) > 0 {
		out.print()
		places := make([]int, len(sch.Faults))
		for i := range places {
			places[i] = i + 1
		}
		for i, row := range faultTable(sch.Faults, places) {
			color := ""
			if i == 0 {
				color = dim
			}
			out.print(s.paint(color, row))
		}
	}
	if choices && len(sch.Choices) > 0 {
		rows := [][]string{{"time", "value", "number", "point"}}
		for _, c := range sch.Choices {
			rows = append(rows, []string{time.Duration(c.Time).String(), fmt.Sprint(c.Value), fmt.Sprint(c.N), c.Point})
		}
		out.print()
		for _, row := range columns(rows) {
			out.print(row)
		}
	}
	return out.flush()
}
