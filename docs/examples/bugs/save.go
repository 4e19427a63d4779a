package bugs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// retryDisk is how long a node waits before it asks a failing disk again.
const retryDisk = 10 * time.Millisecond

// Save puts a value into a file in one step: after a crash the file has the old
// value or the new one, and after Save has returned the new one. While the disk
// fails it starts again, with a new file each time, because what a failed sync
// has left in the old one counts for nothing.
func Save(p *kernel.Proc, disk *simdisk.Volume, name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("bugs: %T is not for a file: %v", value, err))
	}
	disk = disk.In(p)
	for replace(disk, name, data) != nil {
		p.Sleep(retryDisk)
	}
}

// replace writes a file beside the old one and puts it in its place.
func replace(disk *simdisk.Volume, name string, data []byte) error {
	f, err := disk.Create(name + ".new")
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = disk.Rename(name+".new", name); err != nil {
		return err
	}
	return disk.SyncDir(".")
}

// Load reads what Save has put into a file; the value stays as it is when there
// is none. What it reads is durable: the name may not have been when the
// process was killed.
func Load(p *kernel.Proc, disk *simdisk.Volume, name string, value any) {
	disk = disk.In(p)
	for {
		data, err := disk.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil {
			err = disk.SyncDir(".")
		}
		if err == nil {
			err = json.Unmarshal(data, value)
		}
		if err == nil {
			return
		}
		p.Sleep(retryDisk)
	}
}
