package faultline

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// A panic in the standard library is told by who called it there.
func TestSiteBehindStandardLibrary(t *testing.T) {
	for name, f := range map[string]func(string) string{"repeatsHeader": repeatsHeader, "repeatsFooter": repeatsFooter} {
		var stack string
		func() {
			defer func() { _ = recover(); stack = string(debug.Stack()) }()
			f("=")
		}()
		// As in the code of a user.
		stack = strings.ReplaceAll(stack, "github.com/hmdsefi/faultline/faultline.repeats", "example.com/kv.repeats")
		if got, want := site(&kernel.Failure{Stack: stack}), "example.com/kv."+name; got != want {
			t.Errorf("the site is %q, want %q, of\n%s", got, want, stack)
		}
	}
}

//go:noinline
func repeatsHeader(s string) string { return strings.Repeat(s, -len(s)) }

//go:noinline
func repeatsFooter(s string) string { return strings.Repeat(s, -len(s)) }
