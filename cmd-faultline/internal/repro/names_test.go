package repro

import "testing"

// Names are looked for in all files, those of both packages and of any build.
func TestFree(t *testing.T) {
	d := dir(t, map[string]string{
		"a.go":              "package a\n\ntype (\n\tTestType int\n)\n\nvar x, TestVar int\n\nfunc (m T) TestMethod() {}\n",
		"a_test.go":         "package a_test\n\nfunc TestIt() {}\n",
		"b_windows_test.go": "package a_test\n\nfunc TestItSeed000000000000002a() {}\n",
		"testdata.txt":      "func TestText() {}",
	})
	for name, want := range map[string]string{
		"TestType": "TestTypeSeed000000000000002a", "TestVar": "TestVarSeed000000000000002a", "TestMethod": "TestMethod",
		"TestText": "TestText", "TestIt": "TestItSeed000000000000002a_2",
	} {
		if got := d.Free(name, 42); got != want {
			t.Errorf("for %s: %s, want %s", name, got, want)
		}
	}
}
