package simdisk_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// Whatever is done to a volume, under every sort of fault: the space that is
// counted is that of the files, a power loss that loses all leaves what Durable
// showed, looking at crash states changes nothing, and nothing panics.
func TestStorm(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(9, uint64(round)))
		b := newBench(t, kernel.Config{Seed: uint64(round)}, simdisk.Config{SectorSize: 16, Capacity: 400, Inodes: 9})
		b.ok(b.v.Mkdir("d", 0))
		var effects []*simdisk.Effect
		for range 120 {
			if e := b.trouble(r); e != nil {
				effects = append(effects, e)
			}
			b.anything(r)
			if r.IntN(15) == 0 && len(effects) > 0 {
				effects[r.IntN(len(effects))].Undo()
			}
			if r.IntN(12) == 0 {
				b.look(r)
			}
			if r.IntN(20) == 0 {
				b.crashAnyhow(r)
			}
			b.accounts(round)
		}
	}
}

func (b *bench) name(r *rand.Rand) string {
	return []string{"a", "b", "c", "d/a", "d/b", "d"}[r.IntN(6)]
}

// anything does a random operation, whether or not it works.
func (b *bench) anything(r *rand.Rand) {
	v := b.v
	switch r.IntN(10) {
	case 0:
		v.Rename(b.name(r), b.name(r))
	case 1:
		v.Link(b.name(r), b.name(r))
	case 2:
		v.Remove(b.name(r))
	case 3:
		v.Mkdir(b.name(r), 0)
	case 4:
		v.SyncDir([]string{".", "d"}[r.IntN(2)])
	default:
		f, err := v.OpenFile(b.name(r), os.O_RDWR|os.O_CREATE, 0)
		if err != nil {
			return
		}
		f.WriteAt(make([]byte, r.IntN(60)), int64(r.IntN(60)))
		switch r.IntN(5) {
		case 0:
			f.Truncate(int64(r.IntN(80)))
		case 1, 2:
			f.Sync()
		case 3:
			f.ReadAt(make([]byte, 30), int64(r.IntN(30)))
			f.TryLock(r.IntN(2) == 0)
		}
		if r.IntN(3) > 0 {
			f.Close()
		}
	}
}

// trouble switches something on, now and then.
func (b *bench) trouble(r *rand.Rand) *simdisk.Effect {
	some := simdisk.Fail{Times: uint64(1 + r.IntN(2)), PPM: uint32(r.IntN(2) * 500_000)}
	var e *simdisk.Effect
	var err error
	switch r.IntN(30) {
	case 0, 1, 2:
		e, err = b.v.FailSync(simdisk.FailSync{Fail: some, Mode: simdisk.FailMode(1 + r.IntN(7))})
	case 3, 4, 5:
		e, err = b.v.FailWritesAs(simdisk.WriteMode(1+r.IntN(4)), some)
	case 6:
		e, err = b.v.FailReads(some)
	case 7, 8, 9:
		name := b.name(r)
		if info, serr := b.v.Stat(name); serr != nil || info.IsDir() {
			return nil
		}
		e, err = b.v.Damage(simdisk.Damage{Kind: simdisk.DamageKind(1 + r.IntN(4)), File: name, Off: int64(r.IntN(40)), Len: int64(r.IntN(40)), Bits: 1 + r.IntN(3), Sticky: r.IntN(2) == 0})
	case 10:
		e, err = b.v.Full(int64(r.IntN(30)))
	case 11:
		e, err = b.v.FullInodes(int64(r.IntN(2)))
	case 12:
		e = b.v.ReadOnly()
	}
	b.ok(err)
	return e
}

// look lists crash states and works on one of them.
func (b *bench) look(r *rand.Rand) {
	before := dump(b.v.Durable()) + sizes(b.v.FS())
	states, _, err := b.v.CrashStates(simdisk.Profile(r.IntN(9)), 20)
	b.ok(err)
	s := states[r.IntN(len(states))]
	s.Fates()
	state := &bench{b.t, b.sim, b.n, s.Volume()}
	for range 20 {
		state.anything(r)
	}
	state.accounts(-1)
	if dump(b.v.Durable())+sizes(b.v.FS()) != before {
		b.t.Fatal("looking at a crash state changed the volume")
	}
}

func (b *bench) crashAnyhow(r *rand.Rand) {
	p := simdisk.Profile(r.IntN(9))
	durable := dump(b.v.Durable())
	if b.lose(p); p == simdisk.LoseAll {
		if got := dump(b.v.Durable()); got != durable {
			b.t.Fatalf("a power loss left %q of %q", got, durable)
		}
	}
	if n := b.v.Pending(); n > 0 {
		b.t.Fatalf("%d operations are pending after a power loss", n)
	}
	states, all, err := b.v.CrashStates(simdisk.Posix, 0)
	b.ok(err)
	if got := states[0].Volume().Used(); !all || len(states) != 1 || got != b.v.Used() {
		b.t.Fatalf("%d bytes are used after a power loss, the files have %d; %d states", b.v.Used(), got, len(states))
	}
}

// accounts checks that the space that is counted is possible.
func (b *bench) accounts(round int) {
	b.t.Helper()
	if used := b.v.Used(); used < 0 || used > 400 {
		b.t.Fatalf("round %d: %d bytes are used of 400", round, used)
	}
}
