package simnet

import "github.com/hmdsefi/faultline/kernel"

// symbols are the network's words in the trace.
type symbols struct {
	send, deliver, drop, dup, delay kernel.Sym // kinds of messages' records
	cutting, degrade, heal, link    kernel.Sym // kinds of changes' records
	inert, sending                  kernel.Sym
	from, to, id, copy, typ, kind   kernel.Sym
	digest, took, by, reason        kernel.Sym
	what, effect, met               kernel.Sym
	reasons                         [reasons]kernel.Sym
	plain, kinded                   forms // of messages without and with a kind
}

func (y *symbols) init(s *kernel.Sim) {
	for _, w := range []struct {
		sym  *kernel.Sym
		name string
	}{
		{&y.send, "net/send"}, {&y.deliver, "net/deliver"}, {&y.drop, "net/drop"}, {&y.dup, "net/dup"}, {&y.delay, "net/delay"},
		{&y.cutting, "net/cut"}, {&y.degrade, "net/degrade"}, {&y.heal, "net/heal"}, {&y.link, "net/link"},
		{&y.inert, "inert"}, {&y.sending, "send"},
		{&y.from, "from"}, {&y.to, "to"}, {&y.id, "id"}, {&y.copy, "copy"}, {&y.typ, "type"}, {&y.kind, "kind"},
		{&y.digest, "digest"}, {&y.took, "took"}, {&y.by, "by"}, {&y.reason, "reason"},
		{&y.what, "what"}, {&y.effect, "effect"}, {&y.met, "met"},
	} {
		*w.sym = s.Sym(w.name)
	}
	for r := range firstRare {
		y.reasons[r] = s.Sym(r.String())
	}
	y.plain.init(s, y)
	y.kinded.init(s, y, kernel.Field{Key: y.kind, Type: kernel.AttrString})
}

// forms are the shapes of most records of most runs. What is written by them is
// what [flight.recordSend] and [flight.recordDeliver] write without.
type forms struct{ send, deliver *kernel.Form }

// init makes the forms of messages that have these fields after their type.
func (f *forms) init(s *kernel.Sim, y *symbols, more ...kernel.Field) {
	shape := func(kind, peer kernel.Sym, last kernel.Field) *kernel.Form {
		fields := []kernel.Field{{Key: peer, Type: kernel.AttrString}, {Key: y.id, Type: kernel.AttrUint}, {Key: y.typ, Type: kernel.AttrString}}
		return s.Form(kind, append(append(fields, more...), last)...)
	}
	f.send = shape(y.send, y.to, kernel.Field{Key: y.digest, Type: kernel.AttrHash})
	f.deliver = shape(y.deliver, y.from, kernel.Field{Key: y.took, Type: kernel.AttrDur})
}

// reasonSym returns the word for a reason. Words of what few runs do are not in
// the traces of all the others.
func (y *symbols) reasonSym(s *kernel.Sim, r Reason) kernel.Sym {
	if r >= firstRare {
		return s.Sym(r.String())
	}
	return y.reasons[r]
}
