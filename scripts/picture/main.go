// Command picture runs the README's first command and draws what it prints as
// docs/picture.svg: a picture of a terminal, in text. Nothing in it is made up;
// paths of the machine are shortened, and long lines are cut where a window
// would end.
package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// command is the README's first command.
const command = "go test -count=1 -run TestFindsPlantedBug -v ./docs/examples/kv"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run() error {
	w, err := workspace.Open(".")
	if err != nil {
		return err
	}
	args := strings.Fields(command)
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env = w.Root, w.Env()
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	text := "$ " + command + "\n" + shorten(string(out), w.Root)
	return os.WriteFile(filepath.Join(w.Root, "docs", "picture.svg"), draw(strings.Split(strings.TrimRight(text, "\n"), "\n")), 0o644)
}

// shorten takes the machine out of a text.
func shorten(text, root string) string {
	return strings.NewReplacer(root, "…", filepath.Join(os.TempDir(), "faultline"), "/tmp/faultline", "\t", "    ").Replace(text)
}

const (
	columns    = 132
	lineHeight = 17
	charWidth  = 7.25
	margin     = 16
)

// draw draws lines as a terminal does. Spaces are hard ones, because viewers
// differ in what they do with others.
func draw(lines []string) []byte {
	var b strings.Builder
	width, height := int(columns*charWidth)+2*margin, len(lines)*lineHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="What the first command prints">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#14171c"/>`+"\n", width, height)
	b.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12" style="white-space: pre">` + "\n")
	for i, line := range lines {
		line = cut(line)
		if line == "" {
			continue
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, margin+i*lineHeight+12, color(line), html.EscapeString(strings.ReplaceAll(line, " ", "\u00a0")))
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}

// cut ends a line at the window's edge.
func cut(line string) string {
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	return string([]rune(line)[:columns-1]) + "…"
}

// color says what kind of line it is.
func color(line string) string {
	t := strings.TrimSpace(line)
	for _, c := range []struct{ prefix, color string }{
		{"$", "#ffffff"}, {"--- FAIL", "#ff7b72"}, {"FAIL", "#ff7b72"}, {"run.go", "#ff7b72"},
		{"--- PASS", "#7ee787"}, {"PASS", "#7ee787"}, {"ok ", "#7ee787"},
		{"seed:", "#79c0ff"}, {"replay:", "#79c0ff"}, {"shrunk:", "#79c0ff"}, {"artifact:", "#79c0ff"}, {"next:", "#79c0ff"}, {"pin:", "#79c0ff"},
	} {
		if strings.HasPrefix(t, c.prefix) {
			return c.color
		}
	}
	return "#c9d1d9"
}
