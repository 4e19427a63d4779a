package repro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
)

// dir returns a directory with files of these contents.
func dir(t *testing.T, files map[string]string) *Dir {
	t.Helper()
	path := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(path, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const plain = "package a_test\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {}\n"

func TestFind(t *testing.T) {
	d := dir(t, map[string]string{
		"a_test.go":  plain + "\nfunc (x T) TestMethod(t *testing.T) {}\n",
		"_b_test.go": strings.ReplaceAll(plain, "TestIt", "TestIgnored"),
		"c_test.go":  "", // as a shell makes it for -o - > c_test.go
	})
	if p, err := d.Find("TestIt"); err != nil || p.Package != "a_test" || p.Build != nil {
		t.Errorf("found %+v, %v", p, err)
	}
	for _, name := range []string{"TestMethod", "TestIgnored"} {
		if _, err := d.Find(name); err == nil || !strings.Contains(err.Error(), "one is not valid Go") {
			t.Errorf("%s was taken for a test (%v)", name, err)
		}
	}
}

// A test of that name in both packages of a directory may be either.
func TestFindWantsOne(t *testing.T) {
	d := dir(t, map[string]string{"a_test.go": plain, "b_test.go": strings.Replace(plain, "a_test", "a", 1)})
	_, err := d.Find("TestIt")
	if err == nil || !strings.Contains(err.Error(), "b_test.go, and the artifact does not say which of them failed; rename the one that did not") {
		t.Errorf("got %v", err)
	}
}

// The written test is built where the one is that failed.
func TestFindConstraint(t *testing.T) {
	for _, c := range []struct {
		files, want string // names of files, with a constraint after a blank
	}{
		{"a_test.go", ""},
		{"a_test.go integration && !race", "integration && !race"},
		{"a_linux_test.go", "linux"},
		{"linux_test.go", ""},
		{"a_linux_b_test.go", ""},
		{"a_unix_test.go", ""},
		{"a_arm64_test.go slow || integration", "arm64 && (slow || integration)"},
		{"a_windows_amd64_test.go", "windows && amd64"},
		{"a_amd64_windows_test.go", "windows"},
		{"a_b_windows_test.go", "windows"},
		{"a_linux_test.go, b_test.go windows", "linux || windows"},
		{"a_test.go, b_windows_test.go", ""},
	} {
		files := map[string]string{}
		for _, f := range strings.Split(c.files, ", ") {
			name, line, ok := strings.Cut(f, " ")
			if files[name] = plain; ok {
				files[name] = "// Copyright.\n\n//go:build " + line + "\n\n" + plain + "\n//go:build no\n"
			}
		}
		p, err := dir(t, files).Find("TestIt")
		if err != nil {
			t.Fatal(err)
		}
		x := Test{Place: p, Name: "TestRepro", Original: "TestIt", Schedule: &fault.Schedule{}}
		source, err := x.Source()
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(source), "\n\npackage a_test\n")
		if c.want == "" && p.Build != nil || c.want != "" && line != "//go:build "+c.want {
			t.Errorf("%s: the file begins with %q, want the constraint %q", c.files, line, c.want)
		}
	}
}
