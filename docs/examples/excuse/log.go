// Package excuse shows how a loss that no program can prevent is told from a bug.
//
// A server keeps records in one file, and acknowledges one when its sync has
// succeeded. A device that says so and writes nothing, or that damages what it
// has, loses acknowledged records, and the server is not to blame. The disk knows
// which ranges those are ([simdisk.Volume.Indeterminate], [simdisk.Volume.Injected]);
// [Excuse] makes a reason of that for the check of durability, which blames the
// server for every other loss.
package excuse

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const (
	file = "log"
	size = 8 // bytes of a record
)

// put asks for a record to be kept, done says that it is.
type (
	put  struct{ Record int }
	done struct{ Record int }
)

func (m put) text() string { return fmt.Sprintf("r%07d", m.Record) }

func (m put) place() int64 { return int64(m.Record) * size }

// Log is the program of the server.
type Log struct {
	kernel.Idle
	node  *faultline.Node
	early bool // a bug: it acknowledges before the sync
	disk  *simdisk.File
}

// Start opens the file.
func (l *Log) Start() {
	l.disk, _ = l.node.Disk().OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	_ = l.node.Disk().SyncDir(".")
}

// Receive keeps a record at its place.
func (l *Log) Receive(from string, msg any) {
	m := msg.(put)
	if _, err := l.disk.WriteAt([]byte(m.text()), m.place()); err != nil {
		return
	}
	if l.early {
		l.node.Send(from, done(m))
	}
	l.disk.SyncThen(func(err error) {
		if err == nil && !l.early {
			l.node.Send(from, done(m))
		}
	})
}

// Kept reports whether a record can be read from a disk after a power loss.
func Kept(disk *simdisk.Volume, record int) bool {
	data, err := fs.ReadFile(disk.Durable(), file)
	m := put{record}
	return err == nil && len(data) >= int(m.place())+size && string(data[m.place():][:size]) == m.text()
}

// Excuse returns why a record that is lost is not held against the server, or
// the empty string.
func Excuse(disk *simdisk.Volume, record int) string {
	m := put{record}
	for _, doubt := range []struct {
		ranges []simdisk.Range
		why    string
	}{
		{disk.Indeterminate(), "a sync of its range failed, or lied"},
		{disk.Injected(), "a fault damaged it on the device"},
	} {
		for _, r := range doubt.ranges {
			if r.Off < m.place()+size && m.place() < r.Off+r.Len {
				return fmt.Sprintf("%s: bytes %d to %d of %s", doubt.why, r.Off, r.Off+r.Len, r.Path)
			}
		}
	}
	return ""
}
