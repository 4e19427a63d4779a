// Command raftpatch asks whether a test would notice a mistake in
// go.etcd.io/raft/v3. It plants one mistake after the other in a copy of the
// library that the current module uses, builds the test with the copy in its
// place, as a replace directive would, and runs seeds until the test fails.
//
//	go run github.com/hmdsefi/faultline/harness-etcdraft/raftpatch                    a test of this module
//	go run …/raftpatch -package ./mine -run '^TestCluster$'                           yours: any that uses faultline.Run
//	go run …/raftpatch 'vote-.*' read-one-ack                                         some of the mistakes
//	go run …/raftpatch -patches ./patches                                             mistakes of your own, see the package internal/patch
//
// It exits with 1 if a mistake was not found. The mistakes are in
// internal/patch/patches; docs/reference/raft-patches.md lists them with the
// seeds that it took to find each.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "raftpatch:", err)
		os.Exit(1)
	}
}

func run() error {
	s := patch.Search{Out: os.Stdout}
	flag.StringVar(&s.Package, "package", "github.com/hmdsefi/faultline/harness-etcdraft/raftpatch", "package of the test")
	flag.StringVar(&s.Tests, "run", "^TestClusters$", "regular expression of the tests to run")
	flag.IntVar(&s.Seeds, "seeds", 1000, "how many seeds may be run to find a mistake")
	flag.IntVar(&s.Jobs, "jobs", 1, "how many mistakes to try at once")
	flag.DurationVar(&s.Limit, "limit", 10*time.Minute, "how long the test may run for one mistake")
	dir := flag.String("patches", "", "folder of the mistakes, in place of the built-in ones")
	table := flag.String("table", "", "put the results into the table in this Markdown file")
	driver := flag.Bool("driver", false, "run the small driver of the package raftcheck instead of clusters; in the table it counts where clusters find nothing")
	flag.Parse()
	if *driver {
		s.Package, s.Tests = "github.com/hmdsefi/faultline/harness-etcdraft/raftcheck", "^TestSearch$"
	}
	all, err := patch.Catalog()
	if *dir != "" {
		all, err = patch.ReadAll(os.DirFS(*dir))
	}
	if err != nil {
		return err
	}
	list, err := patch.Select(all, flag.Args())
	if err != nil {
		return err
	}
	if *table != "" {
		s.Done = func(f *patch.Found) error { return updateTable(*table, all, f, *driver) }
	}
	found, err := s.Run(list)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Check == "" && f.Patch.Beyond == "" {
			return fmt.Errorf("not every mistake was found")
		}
	}
	return nil
}
