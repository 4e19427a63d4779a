package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/scripts/internal/fileproxy"
	"github.com/hmdsefi/faultline/scripts/internal/testtree"
)

const goodUser = `-- user.go --
package user

import "github.com/hmdsefi/faultline/simdisk"

const two = simdisk.Two
-- user_test.go --
package user

import "testing"

func TestTwo(t *testing.T) {
	if two != 2 {
		t.Error(two)
	}
}
`

// TestProve plants what a consumer would trip over.
func TestProve(t *testing.T) {
	for _, test := range []struct {
		name, module, plant string
		user                string // archive of the user; empty takes a good one
		want                string // part of the error; empty wants none
	}{
		{name: "good", module: "simdisk"},
		{name: "program", module: "cmd-faultline"},
		{
			name: "unpromised module", module: "simdisk",
			plant: "-- simdisk/go.mod --\nmodule github.com/hmdsefi/faultline/simdisk\n\ngo 1.26.0\n\n" +
				"require (\n\tgithub.com/hmdsefi/faultline/cmd-faultline v0.1.0\n\tgithub.com/hmdsefi/faultline/kernel v0.1.0\n)\n" +
				"-- simdisk/more.go --\npackage simdisk\n\nimport _ \"github.com/hmdsefi/faultline/cmd-faultline/lib\"\n" +
				"-- cmd-faultline/lib/lib.go --\npackage lib\n",
			want: "brings cmd-faultline, which is not promised",
		},
		{
			name: "missing module", module: "simdisk",
			plant: "-- simdisk/doc.go --\npackage simdisk\n\nconst Two = 2\n" +
				"-- simdisk/go.mod --\nmodule github.com/hmdsefi/faultline/simdisk\n\ngo 1.26.0\n",
			want: "does not bring kernel, which is promised",
		},
		{
			name: "replace", module: "cmd-faultline",
			plant: "-- cmd-faultline/go.mod --\nmodule github.com/hmdsefi/faultline/cmd-faultline\n\ngo 1.26.0\n\nreplace example.com/x v1.0.0 => ../x\n",
			want:  "replace",
		},
		{
			name: "wrong version", module: "cmd-faultline",
			plant: "-- cmd-faultline/faultline/main.go --\npackage main\n\nfunc main() { println(\"v0.0.1\") }\n",
			want:  "does not name v0.1.0",
		},
		{
			name: "does not build", module: "simdisk",
			plant: "-- simdisk/doc.go --\npackage simdisk\n\nimport \"github.com/hmdsefi/faultline/kernel\"\n\nconst Two = kernel.Three\n",
			want:  "undefined: kernel.Three",
		},
		{
			name: "test fails", module: "simdisk",
			plant: "-- simdisk/doc.go --\npackage simdisk\n\nimport \"github.com/hmdsefi/faultline/kernel\"\n\nconst Two = 2 * kernel.One + 1\n",
			want:  "go test",
		},
		{
			name: "user without a test", module: "simdisk",
			user: "-- user.go --\npackage user\n\nimport _ \"github.com/hmdsefi/faultline/simdisk\"\n",
			want: "has no test file",
		},
		{
			name: "user of something else", module: "simdisk",
			user: "-- user_test.go --\npackage user\n\nimport _ \"github.com/hmdsefi/faultline/kernel\"\n",
			want: "imports no package of the module",
		},
		{name: "no user", module: "kernel", want: "kernel.txtar"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := proveOne(t, test.module, test.plant, test.user)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func proveOne(t *testing.T, module, plant, user string) error {
	t.Helper()
	w := testtree.Write(t, testtree.Three, plant)
	dir := t.TempDir()
	proxy, err := fileproxy.Publish(w, dir, "off")
	if err != nil {
		t.Fatal(err)
	}
	if user == "" {
		user = goodUser
	}
	users := filepath.Join(dir, "archives")
	if err := os.MkdirAll(users, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(users, "simdisk.txtar"), []byte(user), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &prover{workspace: w, proxy: proxy, users: users, dir: filepath.Join(dir, "users")}
	for _, m := range w.Modules {
		if m.Name == module {
			return p.prove(m)
		}
	}
	t.Fatalf("no module %s", module)
	return nil
}

func TestCompareModules(t *testing.T) {
	const path = "github.com/hmdsefi/faultline/"
	const all = "example.com/user\n" + path + "kernel v0.1.0\n" + path + "simnet v0.1.0\n" + gograph + " v0.7.0\n"
	for _, test := range []struct {
		name, all string
		promised  []string
		want      string
	}{
		{"equal", all, []string{"simnet", "kernel", gograph}, ""},
		{"nothing", "example.com/user\n", nil, ""},
		{"more", all, []string{"simnet", "kernel"}, "brings " + gograph + ", which is not promised"},
		{"less", all, []string{"simnet", "kernel", "fault", gograph}, "does not bring fault, which is promised"},
		{"other version", "example.com/user\n" + path + "kernel v0.0.9\n", []string{"kernel"}, "brings kernel at v0.0.9, want v0.1.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := compareModules(test.all, test.promised, "v0.1.0")
			if test.want == "" && err == nil {
				return
			}
			if test.want == "" || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
