package artifact_test

import (
	"fmt"
	"os"

	"github.com/hmdsefi/faultline/artifact"
)

// Files appear all at once, with Commit; what Abort leaves is nothing.
func ExampleWriter() {
	root, err := os.MkdirTemp("", "artifacts")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	w, err := artifact.Create(root, artifact.Key{Package: "example.org/lamp", Test: "TestLamp", Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.File("notes.txt", []byte("it flickers")))
	fmt.Println(w.File("../notes.txt", nil))
	w.Abort()
	left, err := os.ReadDir(root)
	fmt.Println(len(left), err)
	// Output:
	// <nil>
	// artifact: file: "../notes.txt" is no safe file name; use up to 100 letters, digits, '.', '-', '_' and ',', starting with a letter or digit
	// 0 <nil>
}
