package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
)

// faultTable returns faults as rows under a heading; the places are those of
// the schedule, from 1. The texts are safe to show.
func faultTable(list []fault.Fault, places []int) []string {
	rows := [][]string{{"#", "at", "for", "kind", "hits", "strength", "outcome", "id"}}
	for i := range list {
		f := &list[i]
		rows = append(rows, []string{fmt.Sprint(places[i]), when(f), span(f.For), string(f.Kind), hits(f), strength(f), outcome(f), f.ID})
	}
	return columns(rows)
}

// when says when a fault comes: its time, or what triggers it after that.
func when(f *fault.Fault) string {
	t, at := f.When, f.At.String()
	switch {
	case t.Point != "":
		at += " at point " + t.Point
	case t.Op != "":
		word := " before "
		if t.After {
			word = " after "
		}
		at += word + t.Op
		if t.File != "" {
			at += " of " + t.File
		}
	case t.State != "":
		at += fmt.Sprintf(" in state %q", t.State)
	default:
		return at
	}
	if t.Chance > 0 {
		at += fmt.Sprintf(" by a chance of %d ppm", t.Chance)
	}
	if t.Nth > 1 {
		at += fmt.Sprintf(" number %d", t.Nth)
	}
	if t.Node != "" {
		at += " on " + t.Node
	}
	return at
}

func span(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.String()
}

// hits says whom a fault hit, or whom it is to hit.
func hits(f *fault.Fault) string {
	t := f.Target
	text := ""
	switch {
	case len(f.Nodes) > 0:
		text = strings.Join(f.Nodes, " ")
	case len(t.Nodes) > 0:
		text = strings.Join(t.Nodes, " ")
	case t.Group != "":
		text = string(t.Pick)
		if text == "" {
			text = string(fault.One)
		}
		text += " of " + t.Group
		if t.Role != "" {
			text += ", " + t.Role
		}
	default:
		text = "-"
	}
	if len(f.Peers) > 0 {
		text += " to " + strings.Join(f.Peers, " ")
	}
	return text
}

func strength(f *fault.Fault) string {
	var out []string
	if f.File != "" {
		out = append(out, "files "+f.File)
	}
	if f.Rate != 0 {
		out = append(out, fmt.Sprintf("rate %d", f.Rate))
	}
	if f.Amount != 0 {
		out = append(out, f.Amount.String())
	}
	if f.Count != 0 {
		out = append(out, fmt.Sprintf("count %d", f.Count))
	}
	if f.Message != "" {
		out = append(out, "messages "+f.Message)
	}
	if f.Profile != "" {
		out = append(out, f.Profile)
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ", ")
}

func outcome(f *fault.Fault) string {
	if f.Outcome == "" {
		return "-"
	}
	return string(f.Outcome)
}

// columns lines up rows of cells; the last one is not padded.
func columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = artifact.Visible(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	out := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-len([]rune(cell))+2))
			}
		}
		out[n] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// faultsJSON returns faults as schedule.json has them.
func faultsJSON(list []fault.Fault) json.RawMessage {
	var s struct {
		Faults json.RawMessage `json:"faults"`
	}
	part := fault.Schedule{Faults: list}
	if json.Unmarshal(part.Encode(), &s) != nil {
		return json.RawMessage("[]")
	}
	return s.Faults
}
