package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
)

func main() {
	flag.Parse()
	dir, _ := os.MkdirTemp("", "raftpatch-")
	defer os.RemoveAll(dir)
	b, err := patch.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	const pkg = "github.com/hmdsefi/faultline/harness-etcdraft/raftpatch"
	where, err := b.Dir(pkg)
	fmt.Println(where, err)
	list, err := patch.Catalog()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range list {
		ok := flag.NArg() == 0
		for _, a := range flag.Args() {
			if m, _ := filepath.Match(a, p.Name); m {
				ok = true
			}
		}
		if !ok {
			continue
		}
		bin := filepath.Join(dir, "sweep.test")
		t0 := time.Now()
		if err := b.Build(p, pkg, bin); err != nil {
			fmt.Println(p.Name, err)
			continue
		}
		t1 := time.Now()
		f, err := patch.Hunt(bin, where, "^TestClusters$", 1000, 3*time.Minute)
		if err != nil {
			fmt.Println(p.Name, err)
			continue
		}
		fmt.Printf("%-28s %4d %-40s build %.1fs hunt %.1fs (%v) %.200q\n", p.Name, f.Seeds, f.Check, t1.Sub(t0).Seconds(), time.Since(t1).Seconds(), p.Breaks, f.Message)
	}
}
