package fault

import (
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// losePower takes the power from a node whose disk is left as Profile says.
func (p *planned) losePower(n *kernel.Node) {
	if v := p.volume(n); v != nil && p.Profile != "" {
		profile, err := parseProfile(p.Kind, p.Profile)
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

// applyDisks makes a disk fault happen to the disks of nodes. Those without a
// disk are left alone.
func (p *planned) applyDisks(nodes []*kernel.Node) {
	if p.Kind == SwapDisks {
		p.swap(nodes)
		return
	}
	for _, n := range nodes {
		v := p.volume(n)
		switch {
		case v == nil:
		case p.Kind == Corrupt:
			p.must(p.corrupt(v))
		case p.Kind == WipeDisk:
			p.off(n)
			v.Wipe()
			p.changed = true
		default:
			p.affect(v)
		}
	}
}

// off takes the power from a node until the fault is over.
func (p *planned) off(n *kernel.Node) {
	n.PowerLoss()
	p.onEnd(func() { p.in.restart(n) })
}

// affect puts the effect of the fault on a disk.
func (p *planned) affect(v *simdisk.Volume) {
	some := simdisk.Fail{Match: p.File, PPM: uint32(p.Rate), ID: p.ID}
	var e *simdisk.Effect
	var err error
	switch p.Kind {
	case SyncFail:
		mode := simdisk.DropDirty
		if p.Profile != "" {
			mode, err = simdisk.ParseFailMode(p.Profile)
			p.must(err)
		}
		e, err = v.FailSync(simdisk.FailSync{Fail: some, Mode: mode})
	case WriteFail:
		mode := simdisk.WriteError
		if p.Profile != "" {
			mode, err = simdisk.ParseWriteMode(p.Profile)
			p.must(err)
		}
		e, err = v.FailWritesAs(mode, some)
	case ReadFail:
		e, err = v.FailReads(some)
	case SlowDisk:
		if p.Amount > 0 {
			e, err = v.Jitter(p.Amount)
			p.must(err)
			p.follow(e)
		}
		e, err = v.Slow(int(p.Rate), slowable[p.Profile]...)
	case StallDisk:
		e = v.Stall()
	case FullDisk:
		if p.Profile == "inodes" {
			e, err = v.FullInodes(p.Rate)
		} else {
			e, err = v.Full(p.Rate)
		}
	case ReadOnlyDisk:
		e = v.ReadOnly()
	}
	p.must(err)
	if err == nil {
		p.follow(e)
	}
}

// slowable are the profiles of [SlowDisk].
var slowable = map[string][]simdisk.Kind{
	"":      nil,
	"read":  {simdisk.Read},
	"write": {simdisk.Write},
	"sync":  {simdisk.Sync},
	"meta":  {simdisk.Open},
}

// swap exchanges the disks of two nodes.
func (p *planned) swap(nodes []*kernel.Node) {
	if len(nodes) < 2 || p.volume(nodes[0]) == nil || p.volume(nodes[1]) == nil {
		return
	}
	p.off(nodes[0])
	p.off(nodes[1])
	p.must(p.in.sys.Disks.Swap(p.volume(nodes[0]), p.volume(nodes[1])))
	p.changed = true
}

// pair adds to the one node that a swap has drawn a second one of the group.
func (p *planned) pair(drawn, group []*kernel.Node) []*kernel.Node {
	if p.Kind != SwapDisks || len(drawn) != 1 {
		return drawn
	}
	var others []*kernel.Node
	for _, n := range group {
		if n != drawn[0] && n.Alive() {
			others = append(others, n)
		}
	}
	if len(others) == 0 {
		return drawn
	}
	return append(drawn, others[p.stream.Derive("second").Below(0, uint64(len(others)))])
}

// parseProfile reads the name of a crash profile for a kind.
func parseProfile(k Kind, name string) (simdisk.Profile, error) {
	var known []string
	for p := simdisk.LoseAll; p <= simdisk.Adversary; p++ {
		if p.String() == name {
			return p, nil
		}
		known = append(known, p.String())
	}
	a := "a"
	if k == Outage {
		a = "an"
	}
	return 0, fmt.Errorf("Profile is %q; %s %s fault takes %s", name, a, k, strings.Join(known, ", "))
}
