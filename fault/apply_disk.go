package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// losePower takes the power from a node whose disk is left as Profile says.
func (p *planned) losePower(n *kernel.Node) {
	if v := p.volume(n); v != nil && p.Profile != "" {
		profile, err := parseProfile(p.Profile)
		p.must(err)
		p.must(v.SetNextCrash(profile))
	}
	n.PowerLoss()
}

// volume returns the disk of a node, or nil if it has none.
func (p *planned) volume(n *kernel.Node) *simdisk.Volume {
	if p.in.sys.Disks == nil {
		return nil
	}
	return p.in.sys.Disks.Volume(n)
}

func (p *planned) applyDisk(n *kernel.Node) {
	v := p.volume(n)
	if v == nil {
		return
	}
	var e *simdisk.Effect
	var err error
	switch p.Kind {
	case SyncFail:
		mode := simdisk.DropDirty
		if p.Profile == "keep-dirty" {
			mode = simdisk.KeepDirty
		}
		e, err = v.FailSync(simdisk.FailSync{Mode: mode})
	case SlowDisk:
		e, err = v.Slow(int(p.Rate))
	case FullDisk:
		e, err = v.Full(0)
	case Corrupt:
		p.must(p.corrupt(v))
		return
	}
	p.must(err)
	if err == nil {
		p.follow(e)
	}
}

// corrupt flips bits in one file, drawn so that each byte of the volume is
// equally likely. It is not undone: only writing the bytes again mends them.
func (p *planned) corrupt(v *simdisk.Volume) error {
	var files []string
	var ends []int64 // of each file, all of them laid end to end
	total := int64(0)
	err := fs.WalkDir(v.Durable(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
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
	_, err = v.Corrupt(files[i], 0, 0, int(max(p.Rate, 1)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed, which no directory sync has made durable
	}
	p.changed = true
	return err
}

// parseProfile reads the name of a crash profile.
func parseProfile(name string) (simdisk.Profile, error) {
	var known []string
	for p := simdisk.LoseAll; p <= simdisk.Adversary; p++ {
		if p.String() == name {
			return p, nil
		}
		known = append(known, p.String())
	}
	return 0, fmt.Errorf("Profile is %q; a power-loss fault takes %s", name, strings.Join(known, ", "))
}
