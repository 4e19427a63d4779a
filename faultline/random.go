package faultline

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"sync"

	"github.com/hmdsefi/faultline/kernel"
)

// systemRandom is crypto/rand's reader as the process began with it.
var systemRandom = rand.Reader

// seedRandom lets what reads crypto/rand during a run read choices of its seed,
// until done is called. It does nothing where crypto/rand was not seeded before, so
// that it changes nothing for tests that run beside it. The keys and signatures of
// other crypto packages do not come from there; they keep what the process was seeded
// with.
func (w *World) seedRandom(opt Options) (done func()) {
	before := rand.Reader
	if opt.NoCryptoSeed || before == systemRandom {
		return func() {}
	}
	rand.Reader = &nodeRandom{sim: w.sim, bytes: w.sim.Stream("crypto/rand")}
	return func() { rand.Reader = before }
}

// nodeRandom gives each node random bytes of its own, drawn by when they are read: a
// node that reads once more or less changes nothing of what others read, nor of what it
// reads later itself. So an election timeout stays what it was without a fault
// that did not matter.
type nodeRandom struct {
	mu    sync.Mutex
	sim   *kernel.Sim
	bytes kernel.Stream
	namer kernel.Namer
}

var _ io.Reader = (*nodeRandom)(nil)

// Read fills b.
func (r *nodeRandom) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reader := uint64(0)
	if n := r.sim.Current(); n != nil {
		reader = kernel.KeyOf(n.Name())
	}
	drawn := r.sim.Again(r.bytes)
	var word [8]byte
	for rest := b; len(rest) > 0; {
		binary.LittleEndian.PutUint64(word[:], drawn.At(r.namer.Next(reader, r.sim.Now())))
		rest = rest[copy(rest, word[:]):]
	}
	return len(b), nil
}
