package artifact_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// A run of the kernel alone, its artifact, and the artifact read back.
func ExampleArtifact() {
	root, err := os.MkdirTemp("", "artifacts")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)

	sim := kernel.New(kernel.Config{Seed: 42, Level: kernel.LevelFull})
	sim.After(1e9, func() { sim.Log("lamp", kernel.Bool("on", true)) })
	res := sim.Run()

	w, err := artifact.Create(root, artifact.Key{Package: "example.org/lamp", Test: "TestLamp", Seed: 42})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Trace(sim.Records())
	w.Report(&artifact.Report{
		Result: artifact.Passed, Package: "example.org/lamp", Test: "TestLamp", Seed: 42,
		TraceHash: fmt.Sprintf("%x", res.Hash),
	})
	dir, err := w.Commit() // errors of the calls above come back here
	if err != nil {
		fmt.Println(err)
		return
	}

	a, err := artifact.Read(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	rel, _ := filepath.Rel(root, dir)
	fmt.Println(filepath.ToSlash(rel), a.Report.Result)
	for r, err := range a.Records() {
		fmt.Println(r.Time, r.Kind, r.Attrs, err)
	}
	// Output:
	// example.org+lamp/TestLamp~11/0x000000000000002a pass
	// 1s call [] <nil>
	// 1s lamp [{on 3 1 }] <nil>
}
