package artifact_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

func reasons() *artifact.Why {
	return &artifact.Why{
		Reasons: []artifact.Reason{{Part: "1s kill on n1", Outcome: "it passes"}, {Part: "c1: put \x1b[2K", Outcome: "it fails otherwise"}},
		Moments: []artifact.Moment{{Time: 0, Runs: 10, Failed: 1}, {Time: 1e9, Runs: 10, Failed: 9}, {Time: 2e9, Runs: 10, Failed: 10}},
		Untried: 3,
		Decided: 1e9,
		Nearest: &artifact.Nearest{Without: "1s kill on n1", Time: 1e9, Event: 7, Record: 12, Fails: "fault/fire", Passes: "timer"},
	}
}

func TestWhyIsReadBack(t *testing.T) {
	r := fullReport()
	r.Why = reasons()
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := artifact.ParseReport(data, "report.json")
	if err != nil || !reflect.DeepEqual(got.Why, r.Why) {
		t.Errorf("read back %+v (%v)", got, err)
	}
	if err := loadSchema(t, "report").validate(data); err != nil {
		t.Error(err)
	}
}

func TestWhyForPeople(t *testing.T) {
	text := string(reasons().Text())
	for _, want := range []string{
		"    1s kill on n1\n        it passes\n", `c1: put \x1b[2K`, "    there was no time for 3 more\n", "1s                9 of 10  #########\n", "decided by 1s\n",
		"it parts at 1s, event 7, record 12:\n    this run: fault/fire\n    that one: timer\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	d := xml.NewDecoder(bytes.NewReader(reasons().Plot()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
	}
	if plot := (&artifact.Why{Moments: reasons().Moments[:1]}).Plot(); plot != nil {
		t.Errorf("a plot of one moment: %s", plot)
	}
}
