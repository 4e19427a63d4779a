package mcp

import (
	"fmt"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTools adds every tool.
func (b *bridge) addTools(s *sdk.Server) {
	reads := sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	writes := sdk.ToolAnnotations{}
	add[listFailures](b, s, "list_failures", "List the artifacts of failed runs, newest first, one JSON object a line.", reads)
	add[readStory](b, s, "read_story", "How a run ended: the failure, its story, the faults that hit, the last records of each node, the command that runs it again.", reads)
	add[explainFailure](b, s, "explain", "The events that led to the failure, or to one event, as numbered sentences, oldest first.", reads)
	add[queryTrace](b, s, "query_trace", "Records of the trace that fit all of the given filters, one JSON object a line. Returns the last 100 if no limit is given.", reads)
	add[diffTraces](b, s, "diff", "Where the traces of two artifacts part: the first record that differs, why, and what comes after.", reads)
	add[showSchedule](b, s, "show_schedule", "The faults of a schedule with their ids and what became of them, and the choices.", reads)
	add[editSchedule](b, s, "edit_schedule", "Write a new schedule without some faults, with only some, or with some moved in time. Replay it to test a hypothesis.", writes)
	add[replay](b, s, "replay", "Run the test again: the failing seed as recorded, or a schedule. Exit code 0 means that it passes now.", writes)
	add[shrinkFailure](b, s, "shrink", "Go on making the schedule of a failure smaller, by running the test.", writes)
	add[pinFailure](b, s, "pin", "Make a regression test of a failure: its schedule goes to testdata of the test's package and is run before the seeds from then on.", writes)
}

// args collects the arguments of a command.
type args []string

func (a *args) text(flag, value string) {
	if value != "" {
		*a = append(*a, flag+"="+value)
	}
}

func (a *args) texts(flag string, values []string) {
	for _, v := range values {
		a.text(flag, v)
	}
}

func (a *args) number(flag string, value int) {
	if value != 0 {
		a.text(flag, strconv.Itoa(value))
	}
}

func (a *args) is(flag string, value bool) {
	if value {
		*a = append(*a, flag)
	}
}

type listFailures struct {
	Test  string `json:"test,omitempty" jsonschema:"only failures of this test; * is any text"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most so many; 20 if not given"`
}

func (t listFailures) command(z zone) ([]string, error) {
	a := args{"list", "--failed", "--json"}
	a.text("--test", t.Test)
	if t.Limit == 0 {
		t.Limit = 20
	}
	a.number("--limit", t.Limit)
	return append(a, "--", z.artifacts), nil
}

type readStory struct {
	Dir  string `json:"dir" jsonschema:"the artifact directory, as list_failures gives it"`
	Last int    `json:"last,omitempty" jsonschema:"the last so many records of each node; 5 if not given"`
}

func (t readStory) command(z zone) ([]string, error) {
	dir, err := z.existing("dir", t.Dir)
	a := args{"show"}
	a.number("--last", t.Last)
	return append(a, "--", dir), err
}

type explainFailure struct {
	Dir   string `json:"dir" jsonschema:"the artifact directory"`
	Event int    `json:"event,omitempty" jsonschema:"explain this event in place of the failure"`
	Steps int    `json:"steps,omitempty" jsonschema:"at most so many steps; 25 if not given"`
}

func (t explainFailure) command(z zone) ([]string, error) {
	dir, err := z.existing("dir", t.Dir)
	a := args{"explain"}
	a.number("--event", t.Event)
	a.number("--steps", t.Steps)
	return append(a, "--", dir), err
}

type queryTrace struct {
	Dir     string   `json:"dir" jsonschema:"the artifact directory"`
	Nodes   []string `json:"nodes,omitempty" jsonschema:"records of these nodes; * is any text, world is no node"`
	Kinds   []string `json:"kinds,omitempty" jsonschema:"records of these kinds, such as net/send or disk/*"`
	From    string   `json:"from,omitempty" jsonschema:"from this virtual time on, such as 1.5s"`
	To      string   `json:"to,omitempty" jsonschema:"up to this virtual time"`
	Events  []int    `json:"events,omitempty" jsonschema:"records of these events"`
	Causes  int      `json:"causes,omitempty" jsonschema:"the events that led to this event"`
	Effects int      `json:"effects,omitempty" jsonschema:"the events that this event led to"`
	Slice   bool     `json:"slice,omitempty" jsonschema:"only events that led to the failure"`
	Grep    string   `json:"grep,omitempty" jsonschema:"records whose kind and words contain this text"`
	Last    int      `json:"last,omitempty" jsonschema:"only the last so many; 100 if not given"`
	Count   bool     `json:"count,omitempty" jsonschema:"count the records by kind in place of listing them"`
}

func (t queryTrace) command(z zone) ([]string, error) {
	dir, err := z.existing("dir", t.Dir)
	a := args{"trace", "--json"}
	a.texts("--node", t.Nodes)
	a.texts("--kind", t.Kinds)
	a.text("--from", t.From)
	a.text("--to", t.To)
	for _, n := range t.Events {
		a.text("--event", strconv.Itoa(n))
	}
	a.number("--causes", t.Causes)
	a.number("--effects", t.Effects)
	a.is("--slice", t.Slice)
	a.text("--grep", t.Grep)
	a.is("--count", t.Count)
	if t.Last == 0 && !t.Count {
		t.Last = 100
	}
	a.number("--last", t.Last)
	return append(a, "--", dir), err
}

type diffTraces struct {
	A     string `json:"a" jsonschema:"an artifact directory"`
	B     string `json:"b" jsonschema:"another one"`
	After int    `json:"after,omitempty" jsonschema:"line up so many records after the first difference; 20 if not given"`
}

func (t diffTraces) command(z zone) ([]string, error) {
	first, err := z.existing("a", t.A)
	if err != nil {
		return nil, err
	}
	second, err := z.existing("b", t.B)
	a := args{"diff"}
	a.number("--after", t.After)
	return append(a, "--", first, second), err
}

type showSchedule struct {
	File    string `json:"file" jsonschema:"a schedule, or an artifact directory"`
	Choices bool   `json:"choices,omitempty" jsonschema:"list the choices too: fates of messages and disk operations"`
}

func (t showSchedule) command(z zone) ([]string, error) {
	file, err := z.schedule("file", t.File)
	a := args{"schedule", "list"}
	a.is("--choices", t.Choices)
	return append(a, "--", file), err
}

type editSchedule struct {
	File    string   `json:"file" jsonschema:"a schedule, or an artifact directory"`
	Action  string   `json:"action" jsonschema:"drop, keep or shift"`
	Faults  []string `json:"faults,omitempty" jsonschema:"faults by id, kind or place; * in an id or kind is any text"`
	Choices []string `json:"choices,omitempty" jsonschema:"for drop and keep: choices at these points, such as net/*"`
	By      string   `json:"by,omitempty" jsonschema:"for shift: how far, such as 200ms or -1s"`
	Output  string   `json:"output" jsonschema:"the new file, below the artifact root; it must not exist"`
}

func (t editSchedule) command(z zone) ([]string, error) {
	switch t.Action {
	case "drop", "keep", "shift":
	default:
		return nil, fmt.Errorf("action %q is unknown; use drop, keep or shift", t.Action)
	}
	file, err := z.schedule("file", t.File)
	if err != nil {
		return nil, err
	}
	output, err := z.fresh("output", t.Output)
	a := args{"schedule", t.Action}
	a.text("--output", output)
	a.texts("--choices", t.Choices)
	a.text("--by", t.By)
	return append(append(a, "--", file), t.Faults...), err
}

type replay struct {
	Dir      string `json:"dir" jsonschema:"the artifact directory"`
	Schedule string `json:"schedule,omitempty" jsonschema:"replay this schedule in place of the seed, such as schedule.min.json of the artifact"`
}

func (t replay) command(z zone) ([]string, error) {
	dir, err := z.existing("dir", t.Dir)
	if err != nil {
		return nil, err
	}
	a := args{"replay", "--within=" + z.module}
	if t.Schedule != "" {
		file, err := z.schedule("schedule", t.Schedule)
		if err != nil {
			return nil, err
		}
		a.text("--schedule", file)
	}
	return append(a, "--", dir), nil
}

type shrinkFailure struct {
	Dir    string `json:"dir" jsonschema:"the artifact directory"`
	Budget string `json:"budget,omitempty" jsonschema:"real time to spend, such as 30s"`
}

func (t shrinkFailure) command(z zone) ([]string, error) {
	dir, err := z.existing("dir", t.Dir)
	a := args{"shrink", "--within=" + z.module, "--quiet"}
	a.text("--budget", t.Budget)
	return append(a, "--", dir), err
}

type pinFailure struct {
	Dir  string `json:"dir" jsonschema:"the artifact directory"`
	Name string `json:"name,omitempty" jsonschema:"name of the pin; made from check and seed if not given"`
}

func (t pinFailure) command(z zone) ([]string, error) {
	dir, err := z.existing("dir", t.Dir)
	a := args{"pin", "--json", "--within=" + z.module}
	a.text("--name", t.Name)
	return append(a, "--", dir), err
}
