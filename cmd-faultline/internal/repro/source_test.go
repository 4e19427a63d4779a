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
