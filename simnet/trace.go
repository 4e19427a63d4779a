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
	sendForm, deliverForm           *kernel.Form // of messages without a kind
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
	y.sendForm = s.Form(y.send, kernel.Field{Key: y.to, Type: kernel.AttrString}, kernel.Field{Key: y.id, Type: kernel.AttrUint},
		kernel.Field{Key: y.typ, Type: kernel.AttrString}, kernel.Field{Key: y.digest, Type: kernel.AttrHash})
	y.deliverForm = s.Form(y.deliver, kernel.Field{Key: y.from, Type: kernel.AttrString}, kernel.Field{Key: y.id, Type: kernel.AttrUint},
		kernel.Field{Key: y.typ, Type: kernel.AttrString}, kernel.Field{Key: y.took, Type: kernel.AttrDur})
}

// reasonSym returns the word for a reason. Words of what few runs do are not in
// the traces of all the others.
func (y *symbols) reasonSym(s *kernel.Sim, r Reason) kernel.Sym {
	if r >= firstRare {
		return s.Sym(r.String())
	}
	return y.reasons[r]
}
