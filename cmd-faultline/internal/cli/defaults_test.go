package cli

import (
	"regexp"
	"testing"
	"time"
)

var defaultRow = regexp.MustCompile("(?m)^\\| (?:`-[a-z]`, )?`--([a-z-]+)[^|]*\\|.*?([0-9]+[a-z]*) if not given")

// What the page calls the default of an option is its default.
func TestReferenceNamesDefaults(t *testing.T) {
	commands, found := every(), 0
	for path, section := range reference(t) {
		c := commands[path]
		for _, m := range defaultRow.FindAllStringSubmatch(section, -1) {
			found++
			f := c.Flags().Lookup(m[1])
			if f == nil {
				t.Errorf("%s has no option --%s", path, m[1])
				continue
			}
			told, err := time.ParseDuration(m[2])
			is, isErr := time.ParseDuration(f.DefValue)
			if f.DefValue != m[2] && (err != nil || isErr != nil || told != is) {
				t.Errorf("cli.md, %s: --%s is %s if not given; the command takes %s", path, m[1], m[2], f.DefValue)
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d defaults were found; the pattern may be wrong", found)
	}
}
