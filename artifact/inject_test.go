package artifact

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// An error at any step leaves what was there before, and nothing else.
func TestErrorAtEveryStepLeavesNothingHalfWritten(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		steps := 0
		for failAt := 0; ; failAt++ {
			root := t.TempDir()
			if earlier {
				if err := writeSmall(root, "first", func(string) error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
			n, failed := 0, ""
			err := writeSmall(root, "second", func(step string) error {
				if n++; n-1 == failAt {
					failed = step
					return errors.New("no more disk")
				}
				return nil
			})
			if failed == "" {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			steps++
			where := fmt.Sprintf("earlier %v, failed at %q", earlier, failed)
			if err == nil {
				t.Errorf("%s: no error", where)
			}
			checkLeft(t, where, root, earlier)
		}
		if steps < 9 {
			t.Errorf("only %d steps failed", steps)
		}
	}
}

func writeSmall(root, signature string, before func(string) error) error {
	w, err := create(root, Key{"p", "T", 1, ""}, before)
	if err != nil {
		return err
	}
	w.Report(&Report{Result: Failed, Test: "T", Package: "p", Seed: 1, Failure: &Failure{}, Signature: signature})
	w.File("extra.txt", []byte("x"))
	_, err = w.Commit()
	return err
}

func checkLeft(t *testing.T, where, root string, earlier bool) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, _ := filepath.Glob(filepath.Join(root, "*", "*", ".*"))
	if len(hidden) > 0 {
		t.Errorf("%s: left %q", where, hidden)
	}
	if !earlier {
		if entries, _ := os.ReadDir(root); len(entries) > 0 {
			t.Errorf("%s: left %v", where, entries)
		}
		return
	}
	if len(found) != 1 {
		t.Fatalf("%s: found %q", where, found)
	}
	a, err := Read(found[0])
	if err != nil || a.Report.Signature != "first" {
		t.Errorf("%s: read %+v, %v", where, a, err)
	}
}
