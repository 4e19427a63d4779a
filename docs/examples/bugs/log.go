package bugs

import (
	"fmt"

	"github.com/hmdsefi/faultline/simdisk"
)

// Log is a log of records that stands what a disk may do: each incarnation of a
// node writes a file of its own, and reads those of the earlier ones up to the
// first record that a crash has left out. A record is safe once Sync has
// returned without an error after it. After any error the log must be opened
// anew.
type Log struct {
	Records []string // those that were read, and those that were appended since
	file    *simdisk.File
}

// OpenLog reads what there is and begins a new file: after the last, not after as
// many as there are, since a power loss may have taken the name of one in between.
func OpenLog(disk *simdisk.Volume) (*Log, error) {
	l, last := &Log{}, 0
	files, err := disk.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, f := range files { // in the order of their names
		data, err := disk.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		l.Records = append(l.Records, Records(data)...)
		if _, err := fmt.Sscanf(f.Name(), "log-%d", &last); err != nil {
			return nil, err
		}
	}
	if l.file, err = disk.Create(fmt.Sprintf("log-%06d", last+1)); err != nil {
		return nil, err
	}
	return l, disk.SyncDir(".")
}

// Append writes a record, which is one line, into the page cache.
func (l *Log) Append(record string) error {
	l.Records = append(l.Records, record)
	_, err := l.file.Append([]byte(record + "\n"))
	return err
}

// Sync makes the records safe that were appended.
func (l *Log) Sync() error { return l.file.Sync() }
