package simdisk

import (
	"encoding/binary"
	"math/bits"

	"github.com/hmdsefi/faultline/kernel"
)

// symbols are this package's words in the trace.
type symbols struct {
	kinds    [kinds]kernel.Sym
	outcomes [len(outcomes)]kernel.Sym
	fates    [scatteredFate]kernel.Sym

	crash, fate, corrupt, inert                      kernel.Sym
	file, to, off, n, size, digest, outcome, created kernel.Sym
	what, bit, kept, lost, torn, left, op, bytes     kernel.Sym
}

// newSymbols defines the words that every run has. A word is part of the trace
// from its definition on, so those of rarer things are defined when they are
// used, see [disk.word].
func newSymbols(s *kernel.Sim) *symbols {
	y := &symbols{}
	for i, name := range kindNames[:rareKinds] {
		y.kinds[i] = s.Sym("disk/" + name)
	}
	for i := range outcomes {
		if !outcomes[i].rare {
			y.outcomes[i] = s.Sym(outcomes[i].word)
		}
	}
	for i := range y.fates {
		y.fates[i] = s.Sym(fateNames[i])
	}
	for _, w := range []struct {
		sym  *kernel.Sym
		name string
	}{
		{&y.crash, "disk/crash"}, {&y.fate, "disk/fate"}, {&y.corrupt, "disk/corrupt"}, {&y.inert, "inert"},
		{&y.file, "file"}, {&y.to, "to"}, {&y.off, "off"}, {&y.n, "len"}, {&y.size, "size"},
		{&y.digest, "digest"}, {&y.outcome, "outcome"}, {&y.created, "created"}, {&y.what, "what"},
		{&y.bit, "bit"}, {&y.kept, "kept"}, {&y.lost, "lost"}, {&y.torn, "torn"}, {&y.left, "left"},
		{&y.op, "op"}, {&y.bytes, "bytes"},
	} {
		*w.sym = s.Sym(w.name)
	}
	return y
}

// word returns the symbol of a word that only some runs have.
func (d *disk) word(name string) kernel.Sym { return d.sim.Sym(name) }

func (d *disk) kindSym(k Kind) kernel.Sym {
	if k < rareKinds {
		return d.syms.kinds[k]
	}
	return d.word("disk/" + kindNames[k])
}

func (d *disk) outcomeSym(i int) kernel.Sym {
	if !outcomes[i].rare {
		return d.syms.outcomes[i]
	}
	return d.word(outcomes[i].word)
}

// fateSym returns the symbol of a fate.
func (d *disk) fateSym(f fate) kernel.Sym {
	if int(f) < len(d.syms.fates) {
		return d.syms.fates[f]
	}
	return d.word(fateNames[f])
}

// record writes the trace record of an operation that has been decided.
func (c *call) record() {
	d := c.d
	y, op := d.syms, &c.op
	e := d.sim.Emit(d.kindSym(op.Kind)).On(d.node)
	if f := op.File; f != nil {
		e = e.Sym(y.file, f.sym)
	} else {
		e = e.Str(y.file, op.Path)
	}
	switch op.Kind {
	case Rename, Link:
		e = e.Str(y.to, op.To)
	case Read, Write, Append:
		e = e.Int(y.off, op.Off).Int(y.n, int64(c.res.N)).Hash(y.digest, digest(op.Data[:c.res.N]))
	case Truncate, Allocate:
		e = e.Int(y.size, op.Size)
	case Open:
		if c.created {
			e = e.Bool(y.created, true)
		}
	case Sync, SyncDir:
		e = e.Int(y.n, int64(c.covered))
	}
	if c.res.Err != nil {
		e = e.Sym(y.outcome, d.outcomeSym(outcome(c.res.Err)))
	}
	e.Done()
}

// recordInert says that something was asked in the name of a dead incarnation.
func (d *disk) recordInert(op *Op) {
	d.stats.Inert++
	d.sim.Emit(d.syms.inert).On(d.node).Sym(d.syms.what, d.kindSym(op.Kind)).Str(d.syms.file, op.Path).Done()
}

// digest is a 64-bit hash of bytes for the trace: multiply and fold over words
// in little-endian order, the same on every machine. It is not for secrets.
func digest(p []byte) uint64 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(p)) * k
	for len(p) >= 8 {
		h = fold(h^binary.LittleEndian.Uint64(p), k)
		p = p[8:]
	}
	var tail uint64
	for i, b := range p {
		tail |= uint64(b) << (8 * i)
	}
	return fold(h^tail, 0xD6E8FEB86659FD93)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo ^ a<<32
}
