package repro

import (
	"strings"
	"testing"
)

func TestFindWhatCanBeCalled(t *testing.T) {
	const head = "package a\n\nimport (\n\t\"testing\"\n\n\t%\"github.com/hmdsefi/faultline/faultline\"\n)\n\n"
	for _, c := range []struct{ as, function, want string }{
		{"", "func TestIt(t *testing.T) { x.Reproduce(t, s, TestKV); Reproduce() }", ""},
		{"", "func TestIt(*T) {}", ""},
		{"", "func TestIt(f *testing.F) {}", "is no func(t *testing.T)"},
		{"", "func TestIt(t, u *testing.T) {}", "is no func(t *testing.T)"},
		{"", "func TestIt(t testing.T) {}", "is no func(t *testing.T)"},
		{"", "func TestIt(t *testing.T) int { return 1 }", "is no func(t *testing.T)"},
		{"", "func TestIt[T any](t *testing.T) {}", "is no func(t *testing.T)"},
		{"", "func TestIt(t *testing.T) { faultline.Reproduce(t, s, TestKV) }", "calls faultline.Reproduce"},
		{"fl ", "func TestIt(t *testing.T) { t.Run(s, func() { fl.Reproduce(t, s, TestKV) }) }", "calls faultline.Reproduce"},
		{". ", "func TestIt(t *testing.T) { Reproduce(t, s, TestKV) }", "calls faultline.Reproduce"},
	} {
		_, err := dir(t, map[string]string{"a_test.go": strings.Replace(head, "%", c.as, 1) + c.function + "\n"}).Find("TestIt")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), "a_test.go: TestIt "+c.want)) {
			t.Errorf("%s: got %v", c.function, err)
		}
	}
}
