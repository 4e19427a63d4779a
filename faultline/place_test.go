package faultline

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestPlaceOfThisTest(t *testing.T) {
	t.Run("a (b)/c.d", func(t *testing.T) {
		p := findPlace(t.Name())
		t.Chdir(t.TempDir())
		if p := findPlace(t.Name()); p.dir != startDir {
			t.Errorf("in another directory: found %+v", p)
		}
		if p.pkg != "github.com/hmdsefi/faultline/faultline" || !strings.HasSuffix(p.dir, "faultline") {
			t.Errorf("found %+v", p)
		}
		want := `^TestPlaceOfThisTest$/^a_\(b\)$/^c\.d$`
		if p.pattern() != want {
			t.Errorf("pattern %s, want %s", p.pattern(), want)
		}
	})
}

func TestCommandKeepsBuildFlags(t *testing.T) {
	p := place{dir: "/a b", test: "TestX", flags: []string{"-tags=x,y", "-race"}}
	want := `cd '/a b' && FAULTLINE_SEED=0x1 go test -tags=x,y -race -count=1 -run '^TestX$' .`
	if got := p.command("FAULTLINE_SEED=0x1"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestQuoteSurvivesAShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the replay command is for a POSIX shell")
	}
	for _, text := range []string{"", "plain-1.2_x/y:z=@+,", "a b", "it's", `"$HOME" \ * ; & | <`, "^A$/^b\\.c$", "line\nbreak", "ü"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quote(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q came out as %q (%v)", text, out, err)
		}
	}
}
