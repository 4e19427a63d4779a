package faultline

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
)

// plantedJudge fails with an error that wraps one with a file to show.
type plantedJudge struct{}

func (plantedJudge) Check(ops iter.Seq[*history.Operation]) error {
	n := history.Count(ops).Total()
	return fmt.Errorf("planted: %w", shown(fmt.Sprint(n, " operations")))
}

type shown string

func (s shown) Error() string { return string(s) }

func (s shown) Artifacts() map[string][]byte {
	return map[string][]byte{"shown.html": []byte("<p>" + string(s))}
}

// lenientJudge excuses two operations of each run.
type lenientJudge struct{ plantedJudge }

func (lenientJudge) CheckExcusing(_ iter.Seq[*history.Operation], excused func(string)) error {
	excused("the disk lied")
	excused("the disk lied again")
	return nil
}

// What a check lets pass is in the summary.
func TestExcusesAreCounted(t *testing.T) {
	o := runScenario(t, "judge-lenient")
	o.wants(t, `excused: "history" 4 times in 2 runs, such as: the disk lied`+"\n")
	if strings.Contains(runScenario(t, "pass").text, "excused") {
		t.Error("something is excused where nothing is judged")
	}
}

func TestJudge(t *testing.T) {
	o := runScenario(t, "judge")
	o.wants(t, `faultline: final "history" failed at 2s`, "planted: 20 operations")
	r := o.report(t)
	if r.Failure.Check != "history" {
		t.Errorf("the check is %q", r.Failure.Check)
	}
	listed := false
	for _, f := range r.Files {
		listed = listed || f.Name == "shown.html"
	}
	dirs, _ := filepath.Glob(filepath.Join(o.root, "*", "*", "*", artifact.ReportFile))
	if len(dirs) != 1 || !listed {
		t.Fatalf("%d reports, and the file is listed: %v\n%s", len(dirs), listed, o.text)
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(dirs[0]), "shown.html"))
	if err != nil || string(data) != "<p>20 operations" {
		t.Errorf("the file of the check: %q, %v", data, err)
	}
	runScenario(t, "judge-nil").wants(t, `Judge("history") is given no check`)
}
