package artifact_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

func TestSafeName(t *testing.T) {
	for _, c := range [][2]string{
		{"", "="},
		{"github.com/acme/kv", "github.com+acme+kv"},
		{"TestKV", "TestKV~31"},
		{"TestKv", "TestKv~11"},
		{"..", "=2e=2e"},
		{".hidden", "=2ehidden"},
		{"ends.", "ends=2e"},
		{"a b:*?\\\"<>|", "a=20b=3a=2a=3f=5c=22=3c=3e=7c"},
		{"con", "=63on"},
		{"CON.txt", "=43ON.txt~7"},
		{"lpt1", "=6cpt1"},
		{"com", "com"},
		{"a+b=c~d", "a=2bb=3dc=7ed"},
		{"é\x00", "=c3=a9=00"},
		{"-rf", "=2drf"},
	} {
		if got := artifact.SafeName(c[0]); got != c[1] {
			t.Errorf("SafeName(%q) = %s, want %s", c[0], got, c[1])
		}
	}
}

func TestSafeNamesOfLongNamesDiffer(t *testing.T) {
	long := strings.Repeat("Test/", 100)
	a, b := artifact.SafeName(long+"a"), artifact.SafeName(long+"b")
	if a == b || len(a) > 100 || len(b) > 100 {
		t.Errorf("%s and %s", a, b)
	}
}

// Two names never share a file, not even where letter case does not count.
func FuzzSafeName(f *testing.F) {
	f.Add("TestA", "Testa")
	f.Add("a/b", "a+b")
	f.Add("", "=")
	f.Add("Con", "con")
	f.Add("a~3", "A")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := artifact.SafeName(a), artifact.SafeName(b)
		if a != b && strings.EqualFold(x, y) {
			t.Errorf("%q and %q are both %s", a, b, x)
		}
		for _, s := range []string{x, y} {
			if len(s) == 0 || len(s) > 100 || s == "." || s == ".." || strings.HasSuffix(s, ".") || strings.ContainsAny(s, "/\\:*?\"<>| \x00") {
				t.Errorf("%q is not safe", s)
			}
		}
	})
}

func TestPinDirNamesPlainTestsAsTheyAre(t *testing.T) {
	for test, want := range map[string]string{
		"TestKV":       "TestKV",
		"Test_kv2":     "Test_kv2",
		"TestKV/small": artifact.SafeName("TestKV/small"),
		"TestÄ":        artifact.SafeName("TestÄ"),

		"TestPlanted/KeepConflict": "TestPlanted+KeepConflict~8811", // as the guide says

		"..": artifact.SafeName(".."),
		"":   "=",
	} {
		if got := artifact.PinDir(test); got != filepath.Join("testdata", "faultline", want) {
			t.Errorf("%q: got %s, want it to end in %s", test, got, want)
		}
	}
}

func TestPinNameIsOfCheckAndSeed(t *testing.T) {
	for check, want := range map[string]string{
		"acknowledged writes survive": "acknowledged-writes-survive-0000000000000007",
		"One Leader / term!":          "one-leader-term-0000000000000007",
		"…":                           "seed-0000000000000007",
		"":                            "seed-0000000000000007",

		strings.Repeat("long ", 20): "long-long-long-long-long-long-long-long-0000000000000007",
	} {
		if got := artifact.PinName(check, 7); got != want {
			t.Errorf("%q: got %s, want %s", check, got, want)
		}
	}
}
