package faultline

import (
	"regexp"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// signature tells repeats of a failure from new ones.
func signature(f *kernel.Failure) string { return f.Kind + " | " + f.Check + " | " + site(f) }

// quoted is a value in a message, as %q writes it.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"`)

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+(\.[0-9]+)?(ns|µs|ms|s|m|h)?`)

// site returns what tells a failure from others of the same check, without
// what changes from seed to seed: the place of a panic in the user's code, or
// the message with every number and everything in quotes replaced.
func site(f *kernel.Failure) string {
	if f.Stack != "" {
		if place := userFrame(f.Stack); place != "" {
			return place
		}
	}
	line, _, _ := strings.Cut(f.Message, "\n")
	line = numbers.ReplaceAllString(quoted.ReplaceAllString(line, `"#"`), "#")
	if len(line) > 160 {
		line = line[:160]
	}
	return line
}

// userFrame returns the first function in a stack that is neither the
// runtime's nor the testing machinery's nor faultline's own.
func userFrame(stack string) string {
	const ours = "github.com/hmdsefi/faultline/"
	for line := range strings.Lines(stack) {
		line = strings.TrimSpace(line)
		name, _, isCall := strings.Cut(line, "(")
		if i := strings.LastIndex(line, "("); isCall && i > 0 {
			name = line[:i]
		}
		switch {
		case !isCall, strings.HasPrefix(line, "goroutine "), strings.HasPrefix(line, "created by"),
			strings.HasPrefix(line, "runtime"), strings.HasPrefix(line, "panic("), strings.HasPrefix(line, "testing."):
			continue
		}
		if rest, is := strings.CutPrefix(name, ours); is {
			module, _, _ := strings.Cut(rest, ".")
			switch module {
			case "kernel", "simnet", "simdisk", "fault", "history", "faultline":
				continue
			}
		}
		return name
	}
	return ""
}
