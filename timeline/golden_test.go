package timeline_test

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/timeline"
)

func TestGoldenText(t *testing.T) {
	a := lostWrite()
	for name, o := range map[string]timeline.Options{
		"columns.txt": {},
		"narrow.txt":  {Width: 70},
		"all.txt":     {All: true},
		"few.txt":     {MaxLines: 5, MaxSteps: 3},
	} {
		text, err := timeline.Text(a, o)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, text)
	}
}

func TestGoldenMermaid(t *testing.T) {
	text, err := timeline.Mermaid(lostWrite(), 0)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "causes.mmd", text)
}

func TestGoldenStory(t *testing.T) {
	golden(t, "story.txt", []byte(strings.Join(timeline.Story(lostWrite()), "\n")+"\n"))
}

// Names and messages that try to get out of their place.
func TestGoldenHostile(t *testing.T) {
	a := lostWriteNamed("n\"];evil", "<b\u009b31mred&amp;", "\u202etfel", "end")
	text, err := timeline.Text(a, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "hostile.txt", text)
	text, err = timeline.Mermaid(a, 0)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "hostile.mmd", text)
}

// A failure at the end of a run is told from the operations it speaks of.
func TestGoldenLateFinding(t *testing.T) {
	a := lateFinding()
	text, err := timeline.Mermaid(a, 0)
	if err != nil {
		t.Fatal(err)
	}
	story := strings.Join(timeline.Story(a), "\n") + "\n"
	golden(t, "late.txt", []byte(story+"\n"+string(text)))
}
