package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/simdisk"
)

// corruptions are the profiles of [Corrupt].
var corruptions = map[string]simdisk.Damage{
	"":       {Kind: simdisk.FlipBits},
	"flip":   {Kind: simdisk.FlipBits},
	"sticky": {Kind: simdisk.FlipBits, Sticky: true},
	"zero":   {Kind: simdisk.ZeroSector},
	"dead":   {Kind: simdisk.DeadSector},
	"cut":    {Kind: simdisk.CutTail},
	"stale":  {Kind: simdisk.StaleSector},
}

// corrupt damages one file, drawn so that each byte of the volume is
// equally likely. It is not undone: only writing the bytes again mends them.
func (p *planned) corrupt(v *simdisk.Volume) error {
	var files []string
	var ends []int64 // of each file, all of them laid end to end
	total := int64(0)
	err := fs.WalkDir(v.Durable(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !p.covers(name) {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			total += info.Size()
			files, ends = append(files, name), append(ends, total)
		}
		return err
	})
	if err != nil || total == 0 {
		return err
	}
	at := int64(p.stream.Derive("file/"+v.Node().Name()).Below(0, uint64(total)))
	i := 0
	for ends[i] <= at {
		i++
	}
	damage := corruptions[p.Profile]
	damage.File, damage.Bits = files[i], int(max(p.Rate, 1))
	before := v.Injected()
	_, err = v.Damage(damage)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed, which no directory sync has made durable
	}
	// Of a file that was never overwritten no sector can be stale.
	p.changed = p.changed || damage.Kind != simdisk.StaleSector || !slices.Equal(before, v.Injected())
	return err
}

// covers reports whether the fault is about a file.
func (p *planned) covers(name string) bool {
	if p.File == "" {
		return true
	}
	if !strings.Contains(p.File, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(p.File, name)
	return ok
}

// validateDisk reports what a disk fault cannot use.
func (f Fault) validateDisk() error {
	if _, err := path.Match(f.File, ""); err != nil {
		return fmt.Errorf("File is %q, which is no pattern of path.Match", f.File)
	}
	least, most, takes := int64(0), int64(1_000_000), "parts per million, 0 to 1000000, 0 meaning all"
	profiles := []string{""}
	switch f.Kind {
	case SyncFail:
		profiles = failModes()
	case WriteFail:
		profiles = []string{"error", "short", "phantom", "misdirected"}
	case ReadFail:
	case SlowDisk:
		least, takes = 1, "a factor, 1 to 1000000"
		profiles = []string{"read", "write", "sync", "meta"}
		if f.Amount < 0 {
			return fmt.Errorf("Amount is %v; it must not be negative", f.Amount)
		}
	case FullDisk:
		most, takes = 1<<40, "what is left, 0 to 1099511627776 bytes or inodes"
		profiles = []string{"inodes"}
	case Corrupt:
		most, takes = 1024, "a number of bits, 0 to 1024, 0 meaning 1"
		profiles = []string{"flip", "sticky", "zero", "dead", "cut", "stale"}
	default:
		return nil
	}
	if f.Rate < least || f.Rate > most {
		return fmt.Errorf("Rate is %d; a %s fault takes %s", f.Rate, f.Kind, takes)
	}
	for _, p := range profiles {
		if p == f.Profile {
			return nil
		}
	}
	if f.Profile == "" {
		return nil
	}
	if profiles[0] == "" {
		return fmt.Errorf("Profile is %q; a %s fault takes none", f.Profile, f.Kind)
	}
	return fmt.Errorf("Profile is %q; a %s fault takes %s", f.Profile, f.Kind, strings.Join(profiles, ", "))
}

func failModes() []string {
	var out []string
	for m := simdisk.DropDirty; m <= simdisk.GoReadOnly; m++ {
		out = append(out, m.String())
	}
	return out
}
