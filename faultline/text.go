package faultline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// failureText is what a failing seed prints.
func (c *campaign) failureText(j job, x *execution, f *kernel.Failure, a *leftArtifact, small *shrunk, note string) string {
	var b strings.Builder
	b.WriteString("faultline: " + headline(f) + "\n")
	writeIndented(&b, f.Message)
	if other := otherThanPinned(j, f); other != "" {
		b.WriteString("\n" + other + "\n")
	}
	if len(a.story) > 0 {
		b.WriteString("\nwhat happened")
		if small != nil {
			b.WriteString(" in the shrunk run, where " + headline(small.run.failure))
		}
		b.WriteString(":\n")
		for i, line := range a.story {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, line)
		}
	}
	if f.Stack != "" {
		b.WriteString("\nstack:\n")
		writeIndented(&b, trimStack(fromUser(f.Stack)))
	}
	fmt.Fprintf(&b, "\nseed:     %s", seedText(j.seed))
	if x.world != nil {
		if drawn := x.world.intensities(); drawn != "" {
			fmt.Fprintf(&b, " (%s)", drawn)
		}
		for _, text := range x.world.said {
			fmt.Fprintf(&b, "\n          %s", text)
		}
	}
	b.WriteByte('\n')
	if small != nil {
		b.WriteString(small.text() + whyText(small.why))
	}
	if note != "" {
		fmt.Fprintf(&b, "shrunk:   %s\n", strings.ReplaceAll(note, "\n", "\n          "))
	}
	fmt.Fprintf(&b, "replay:   %s\n", c.replayCommand(j))
	switch {
	case a.err != nil && a.dir == "":
		fmt.Fprintf(&b, "artifact: none: %v\n", a.err)
	case a.dir == "":
		b.WriteString("artifact: none (they are off)\n")
	default:
		fmt.Fprintf(&b, "artifact: %s\n%s", a.dir, a.missing(small))
		files, schedule := "report.txt there, then timeline.txt; timeline.html is", filepath.Join(a.dir, "schedule.json")
		if a.small {
			files, schedule = "report.min.txt there, then timeline.min.txt, then report.txt; timeline.min.html is", filepath.Join(a.dir, "schedule.min.json")
		}
		fmt.Fprintf(&b, "next:     read %s for the browser\n", files)
		if x.world != nil {
			fmt.Fprintf(&b, "          %s\n", c.place.command(envPrefix+"SCHEDULE="+schedule))
			pin := c.place.pinFile(j, f)
			fmt.Fprintf(&b, "pin:      mkdir -p %s && cp %s %s\n", quote(filepath.Dir(pin)), quote(schedule), quote(pin))
		}
	}
	return b.String()
}

// headline says what failed, where and when.
func headline(f *kernel.Failure) string {
	what := fmt.Sprintf("%s %q failed", f.Kind, f.Check)
	switch f.Kind {
	case kernel.KindPanic:
		what = "panic"
		if f.Check != kernel.KindPanic {
			what = fmt.Sprintf("panic in check %q", f.Check)
		}
	case kernel.KindFatal, KindError, KindTimeout, KindLimit, KindDeterminism, kernel.KindMisuse:
		what = f.Kind
	}
	what += fmt.Sprintf(" at %v, event %d", f.Time, f.Event)
	if f.Node != "" {
		what += ", node " + f.Node
	}
	return what
}

// replayCommand returns the command that makes the run of a job again.
func (c *campaign) replayCommand(j job) string {
	if j.resume != nil {
		return j.resume.command
	}
	if filepath.Base(j.from) == reproFile {
		return c.place.command()
	}
	if j.near { // only its artifact has the schedule
		key := artifact.Key{Package: c.place.pkg, Test: c.place.test, Seed: j.replay.Seed, Variant: j.variant()}
		return c.place.command(envPrefix + "SCHEDULE=" + filepath.Join(c.artifactRoot(), key.Dir(), artifact.ScheduleFile))
	}
	if j.from == "" {
		return c.place.command(envPrefix + "SEED=" + seedText(j.seed))
	}
	from, err := filepath.Abs(j.from)
	if err != nil {
		from = j.from
	}
	if j.replay == nil {
		return c.place.command(envPrefix + "SEED=" + seedText(j.seed))
	}
	if c.env.replay != "" {
		return c.place.command(envPrefix + "REPLAY=" + from)
	}
	return c.place.command(envPrefix + "SCHEDULE=" + from)
}

// intensities says which rules are on in this seed, and how strongly.
func (w *World) intensities() string {
	var on []string
	for _, d := range w.drawn {
		if d.Percent > 0 {
			on = append(on, fmt.Sprintf("%s %d%%", d.Rule, d.Percent))
		}
	}
	if len(on) == 0 && len(w.drawn) > 0 {
		return "no faults drawn"
	}
	return strings.Join(on, ", ")
}

// above are the frames above the code that broke: they took its stack.
var above = []string{
	"runtime/debug.Stack(", "panic(", "runtime.", "testing.(",
	"github.com/hmdsefi/faultline/kernel.(*Sim).guarded.", "github.com/hmdsefi/faultline/kernel.(*Proc).run.func",
	"github.com/hmdsefi/faultline/faultline.(*World).build.func",
}

// fromUser lets a stack begin at the code that broke, after the line that says which
// goroutine it is.
func fromUser(stack string) string {
	head, rest, _ := strings.Cut(stack, "\n")
	for {
		if !slices.ContainsFunc(above, func(frame string) bool { return strings.HasPrefix(rest, frame) }) {
			break
		}
		_, rest, _ = strings.Cut(rest, "\n") // the function, and its place
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if rest == "" {
		return stack
	}
	return head + "\n" + rest
}

// trimStack cuts a long stack.
func trimStack(stack string) string {
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	const most = 40
	if len(lines) > most {
		lines = append(lines[:most], "… "+plural(len(lines)-most, "more line")+" in the artifact's report")
	}
	return strings.Join(lines, "\n")
}

func writeIndented(b *strings.Builder, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString("  " + line)
	}
}
