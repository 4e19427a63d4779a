package simnet

import (
	"reflect"

	"github.com/hmdsefi/faultline/kernel"
)

// Digester is implemented by messages that make their own digest, because
// they are large or have parts that may change (caches, locks). Two calls
// must give the same value exactly as long as nothing that a receiver can see
// has changed, and the value must be the same on every machine: no addresses,
// no order of maps.
type Digester interface {
	// Digest returns a digest of the message's content.
	Digest() uint64
}

// Kinder is implemented by messages that say what they are more exactly than
// their Go type does. The kind is part of the message's trace records, and so
// of the trace hash; it should be one of a few words.
type Kinder interface {
	// Kind returns the word, such as "vote-request".
	Kind() string
}

// payload is what the network knows about a type of message.
type payload struct {
	text     string
	sym      kernel.Sym
	key      uint64 // of the text
	kinder   bool   // implements Kinder
	digester bool   // implements Digester
	segment  bool   // implements Segment
	frozen   bool   // nothing in it can be changed once it is in an interface
	readable bool   // its text says what is in it
	shape    *shape
	kinds    []kind // those met so far, of a kinder
}

// kind is a word of a [Kinder] and its symbol.
type kind struct {
	word string
	sym  kernel.Sym
	key  uint64 // of the word
}

// maxKinds is how many words of a type are kept. More are a type that says too
// much, and are looked up in the trace's table of all symbols.
const maxKinds = 32

// payloads holds the types of messages seen so far, and digests messages.
type payloads struct {
	sim      *kernel.Sim
	off      bool
	contents bool // what is in messages is kept beside the trace
	compiler compiler
	types    map[reflect.Type]*payload
	last     reflect.Type // the type looked up last
	lastInfo *payload
}

func (p *payloads) init(sim *kernel.Sim, off bool) {
	p.sim, p.off = sim, off
	p.types = map[reflect.Type]*payload{}
	p.compiler.shapes = map[reflect.Type]*shape{}
}

// of returns what is known about the type of a message.
func (p *payloads) of(msg any) *payload {
	t := reflect.TypeOf(msg)
	if t == p.last && p.lastInfo != nil {
		return p.lastInfo
	}
	info := p.types[t]
	if info == nil {
		info = p.learn(t, msg)
		p.types[t] = info
	}
	p.last, p.lastInfo = t, info
	return info
}

func (p *payloads) learn(t reflect.Type, msg any) *payload {
	if t == nil {
		return &payload{text: "nil", sym: p.sim.Sym("nil"), frozen: true}
	}
	info := &payload{text: t.String(), sym: p.sim.Sym(t.String()), key: kernel.KeyOf(t.String()), frozen: frozen(t)}
	_, info.kinder = msg.(Kinder)
	_, info.digester = msg.(Digester)
	_, info.segment = msg.(Segment)
	info.readable = p.contents && !info.segment && readable(t)
	if p.off || info.digester {
		return info
	}
	info.shape = p.compiler.shape(t)
	return info
}

// digest returns the digest of a message, 0 when digests are off.
func (p *payloads) digest(info *payload, msg any) uint64 {
	switch {
	case p.off || msg == nil:
		return 0
	case info.digester:
		return msg.(Digester).Digest()
	}
	d := &p.compiler.digest
	d.start()
	info.shape.walk(d, reflect.ValueOf(msg))
	if d.left < 0 {
		p.tooLarge(info)
		return 0
	}
	return d.sum
}

// kindOf returns what the message calls itself.
func (p *payload) kindOf(s *kernel.Sim, msg any) kind {
	if !p.kinder {
		return kind{}
	}
	word := msg.(Kinder).Kind()
	for i := range p.kinds {
		if p.kinds[i].word == word { // mostly the same string, which costs no look at it
			return p.kinds[i]
		}
	}
	k := kind{word, s.Sym(word), kernel.KeyOf(word)}
	if len(p.kinds) < maxKinds {
		p.kinds = append(p.kinds, k)
	}
	return k
}
