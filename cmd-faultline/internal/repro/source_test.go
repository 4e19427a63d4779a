package repro

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// An import may not be called like anything that the package declares.
func TestSourceNames(t *testing.T) {
	d := dir(t, map[string]string{
		"a.go":      "package a\n\nvar fault, faultpkg int\n\ntype kernel struct{}\n\nfunc time() {}\n",
		"a_test.go": strings.Replace(plain, "a_test", "a", 1),
		"b_test.go": "package a_test\n\nvar testing int\n",
	})
	p, err := d.Find("TestIt")
	if err != nil {
		t.Fatal(err)
	}
	x := Test{Place: p, Name: "TestRepro", Original: "TestIt", Schedule: &fault.Schedule{
		Duration: time.Second, Faults: []fault.Fault{{When: fault.Trigger{Op: "sync"}, Target: fault.Target{Group: "servers"}}}, Choices: []kernel.Choice{{Point: "x"}},
	}}
	source, err := x.Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\t\"testing\"\n\ttimepkg \"time\"\n\n", "\tfaultpkgpkg \"github.com/hmdsefi/faultline/fault\"\n\t\"github.com/hmdsefi/faultline/faultline\"\n\tkernelpkg \"github.com/",
		"faultline.Reproduce(t, &faultpkgpkg.Schedule{", "[]faultpkgpkg.Fault{", "faultpkgpkg.Trigger{", "faultpkgpkg.Target{", "[]kernelpkg.Choice{", "1 * timepkg.Second,",
	} {
		if !strings.Contains(string(source), want) {
			t.Errorf("the source lacks %q:\n%s", want, source)
		}
	}
}

// Reproduce sets variables of the environment, which a test that is parallel
// may not; one below it may be.
func TestSourceParallel(t *testing.T) {
	for body, want := range map[string]string{
		"t.Parallel()":                         "Test: \"TestIt/TestIt/a\",|}, func(t *testing.T) { t.Run(\"TestIt\", TestIt) })",
		"if x { t.Parallel() }":                "Test: \"TestIt/TestIt/a\",|}, func(t *testing.T) { t.Run(\"TestIt\", TestIt) })",
		"t.Run(x, func(t T) { t.Parallel() })": "Test: \"TestIt/a\",|}, TestIt)",
		"x.Parallel(); t.Helper(); Parallel()": "Test: \"TestIt/a\",|}, TestIt)",
	} {
		p, err := dir(t, map[string]string{"a_test.go": strings.Replace(plain, "{}", "{ "+body+" }", 1)}).Find("TestIt")
		if err != nil {
			t.Fatal(err)
		}
		x := Test{Place: p, Name: "TestRepro", Original: "TestIt", Schedule: &fault.Schedule{Test: "TestIt/a"}}
		source, err := x.Source()
		if err != nil {
			t.Fatal(err)
		}
		flat := strings.Join(strings.Fields(string(source)), " ")
		for _, part := range strings.Split(want, "|") {
			if !strings.Contains(flat, part) {
				t.Errorf("%s: the source lacks %q:\n%s", body, part, source)
			}
		}
	}
}

// A name of a test, which an artifact may have from anywhere, is no code.
func TestSourceComment(t *testing.T) {
	x := Test{Place: Place{Package: "a"}, Name: "TestRepro", Original: "TestIt", Seed: 42, About: []string{"a\r\nb \x00\xff\ufeff"},
		Schedule: &fault.Schedule{Seed: 1, Test: "TestIt/a\nfunc init() {}\r\x00\ufeff"}}
	source, err := x.Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n// TestRepro fails as seed 0x000000000000002a of TestIt/a func init() {} \\x00\\u{feff} did. Written by faultline repro.\n",
		"\n//\ta b \\x00\\xff\\u{feff}\nfunc TestRepro(",
	} {
		if !strings.Contains(string(source), want) {
			t.Errorf("the source lacks %q:\n%s", want, source)
		}
	}
}
