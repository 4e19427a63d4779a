package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
)

// head is the beginning of the table, up to the first row.
const head = `# Mistakes in raft that are found

Each row is a small change to the sources of go.etcd.io/raft/v3 v3.7.0, from
harness-etcdraft/internal/patch/patches. "seeds" is how many seeds of whole clusters,
those of the command's test TestClusters, it took until one failed, and "first check"
the check that failed. Where 1,000 of them find nothing, and 2,000 of the small driver
of the package raftcheck's own tests do, which has no disks and no clients, its seeds
are given and marked. A dash means that neither finds it; a row without figures was not
tried. The table is written by

    go run ./harness-etcdraft/raftpatch -table docs/reference/raft-patches.md
    go run ./harness-etcdraft/raftpatch -table docs/reference/raft-patches.md -driver -seeds 2000 'ack-.*'

which change the rows of the patches that they try, and only these: a row is of
the version of the harness that it was last tried with. Most are from before the fates and
latencies of messages got other names: their seeds are other runs now, and about as many
of them are needed. Not looked for are mistakes in
MemoryStorage, Node and Bootstrap, which the harness does not use, and such as cost
performance alone.

| patch | mistake | seeds | first check |
|---|---|--:|---|
`

// row is a line of the table.
type row struct{ name, what, seeds, check string }

const (
	nothing  = "–"
	byDriver = " (driver)" // behind the seeds
)

// take puts a result into the row. What clusters have found stays when the driver
// is tried, and what the driver has found when clusters find nothing.
func (r *row) take(f *patch.Found, driver bool) {
	has := r.seeds != "" && r.seeds != nothing
	hasByOther := has && driver != strings.HasSuffix(r.seeds, byDriver)
	switch found := f.Check != ""; {
	case found && !driver:
		r.seeds, r.check = fmt.Sprint(f.Seeds), f.Check
	case hasByOther: // stays
	case found:
		r.seeds, r.check = fmt.Sprint(f.Seeds)+byDriver, f.Check
	default:
		r.seeds, r.check = nothing, ""
		if f.Patch.Beyond != "" {
			r.check = "not met: " + f.Patch.Beyond
		}
	}
}

func (r *row) String() string {
	return "| " + strings.Join([]string{r.name, r.what, r.seeds, r.check}, " | ") + " |\n"
}

// updateTable puts a result into the table in a file, which is made if there is
// none. Patches that are no longer in the catalog leave it.
func updateTable(file string, catalog []*patch.Patch, f *patch.Found, driver bool) error {
	rows, err := readTable(file)
	if err != nil {
		return err
	}
	text := head
	for _, p := range catalog {
		r := rows[p.Name]
		if r == nil {
			r = &row{}
		}
		r.name, r.what = p.Name, p.What
		if p == f.Patch {
			r.take(f, driver)
		}
		text += r.String()
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// readTable reads the rows of a table by the names of their patches.
func readTable(file string) (map[string]*row, error) {
	rows := map[string]*row{}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return rows, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 {
			continue
		}
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		rows[cells[1]] = &row{cells[1], cells[2], cells[3], cells[4]}
	}
	return rows, nil
}
