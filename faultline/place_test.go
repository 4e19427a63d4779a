package faultline

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
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

func TestSiteForgetsNumbers(t *testing.T) {
	a := site(failureWith("node n1 lost key 17 after 1.5s (0xdeadbeef)", ""))
	b := site(failureWith("node n2 lost key 3 after 20ms (0x1)", ""))
	if a != b || !strings.Contains(a, "lost key #") {
		t.Errorf("sites differ: %q and %q", a, b)
	}
	stack := "goroutine 5 [running]:\nruntime/debug.Stack()\n\t/go/stack.go:1\ngithub.com/hmdsefi/faultline/kernel.(*Sim).guarded.func1()\n\t/k.go:2\n" +
		"panic({0x1, 0x2})\n\t/p.go:3\nexample.com/kv.(*Server).Receive(0xc0, {0x1, 0x2})\n\t/s.go:4\n"
	if got := site(failureWith("x", stack)); got != "example.com/kv.(*Server).Receive" {
		t.Errorf("site of a panic is %q", got)
	}
}

func failureWith(message, stack string) *kernel.Failure {
	return &kernel.Failure{Kind: "invariant", Check: "c", Message: message, Stack: stack}
}
