package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// The picture is well-formed, whatever is printed, and lines end at its edge.
func TestDraw(t *testing.T) {
	long := strings.Repeat("x", 500)
	out := string(draw([]string{"$ a command", `  <b> & "quotes"`, "", long}))
	d := xml.NewDecoder(strings.NewReader(out))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(out, "<b>") || strings.Contains(out, long) || !strings.Contains(out, strings.Repeat("x", columns-1)+"…") {
		t.Error(out)
	}
	if got := shorten("cd /some/repo/kv && go", "/some/repo"); got != "cd …/kv && go" {
		t.Errorf("shortened to %q", got)
	}
}
