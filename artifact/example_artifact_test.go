package artifact_test

import (
	"fmt"
	"os"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// The run of a seed, and the smaller one that fails in the same way.
func ExampleArtifact() {
	root, err := os.MkdirTemp("", "artifacts")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)

	report := func(event uint64) *artifact.Report {
		return &artifact.Report{Result: artifact.Failed, Package: "example.org/kv", Test: "TestKV", Seed: 7,
			Failure: &artifact.Failure{Kind: "invariant", Check: "nothing is lost", Message: "x is lost", Event: event}}
	}
	w, err := artifact.Create(root, artifact.Key{Package: "example.org/kv", Test: "TestKV", Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Minimal(&fault.Schedule{Test: "TestKV", Seed: 9})
	w.MinimalRun(report(12), slices.Values([]kernel.Record{}), slices.Values([]*history.Operation{}))
	w.File("note.txt", []byte("as found at night"))
	w.Report(report(3400))
	dir, err := w.Commit()
	if err != nil {
		fmt.Println(err)
		return
	}

	a, err := artifact.Read(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	note, _ := a.File("note.txt")
	small, err := a.Minimal()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("event %d, %s; shrunk: event %d, seed %d\n", a.Report.Failure.Event, note, small.Report.Failure.Event, small.Schedule.Seed)
	// Output: event 3400, as found at night; shrunk: event 12, seed 9
}
