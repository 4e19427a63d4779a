package linear

import (
	"bytes"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/hmdsefi/faultline/history"
)

// FromPorcupine makes a Model of a porcupine model. The input and the output of
// an operation are what the history has; the output of one whose outcome is
// unknown is nil, which the model's Step must take for any. key, which may be
// nil, says which operations belong together, in place of the model's own
// Partition.
func FromPorcupine(name string, m porcupine.Model, key func(op *history.Operation) string) Model {
	type call struct{ in, out any }
	model := Model{
		Name: name,
		Call: func(op *history.Operation) (string, any) {
			k := ""
			if key != nil {
				k = key(op)
			}
			return k, call{op.Input, op.Output}
		},
		Init:  m.Init,
		State: m.DescribeState,
	}
	if m.Step != nil {
		model.Step = func(state, c any) (any, bool) {
			ok, next := m.Step(state, c.(call).in, c.(call).out)
			return next, ok
		}
	}
	if m.Equal != nil {
		model.Equal, model.Hash = m.Equal, m.Hash
		if m.Hash == nil {
			model.Hash = func(any) uint64 { return 0 }
		}
	}
	return model
}

// Porcupine returns the model as one of porcupine's, whose operations have a
// [Model.Call] value as input and no output. Describe, if not nil, names a call.
func (m Model) Porcupine(describe func(call any) string) porcupine.Model {
	return porcupine.Model{
		Init: m.Init,
		Step: func(state, in, _ any) (bool, any) {
			next, ok := m.Step(state, in)
			return ok, next
		},
		Equal:             m.Equal,
		Hash:              m.Hash,
		DescribeState:     m.describe,
		DescribeOperation: func(in, _ any) string { return describe(in) },
	}
}

const (
	// mostDrawn is how many operations a picture shows.
	mostDrawn = 400
	// drawTime is how long porcupine may look for what it draws.
	drawTime = 2 * time.Second
)

// Picture returns the page on which porcupine shows what can be put in an order
// and what cannot; nil if the verdict is ok. It shows the operations of the key
// up to the one that cannot be placed, of many only the last ones.
func (r *Result) Picture() ([]byte, error) {
	if r.Verdict == OK {
		return nil, nil
	}
	drawn, init := r.window()
	model := r.model.Porcupine(nil)
	model.Init = func() any { return init }
	model.Step = func(state, in, _ any) (bool, any) {
		it := in.(*item)
		next, ok := r.model.Step(state, it.call)
		if !ok && it.optional { // then it has no effect
			return true, state
		}
		return ok, next
	}
	model.DescribeOperation = func(in, _ any) string { return in.(*item).op.String() }
	_, info := porcupine.CheckOperationsVerbose(model, operations(drawn, r.until), drawTime)
	var b bytes.Buffer
	if err := porcupine.Visualize(model, info, &b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Artifacts returns the files that show the violation: porcupine's page.
func (v *Violation) Artifacts() map[string][]byte {
	page, err := v.Picture()
	if err != nil || page == nil {
		return nil
	}
	return map[string][]byte{"linearizability.html": page}
}

// window returns the items to draw, and the state before them.
func (r *Result) window() ([]item, any) {
	var all []item
	for _, it := range r.items {
		if it.inv > r.until {
			continue
		}
		if !it.optional && it.ret > r.until { // it was still running
			it.optional = true
		}
		all = append(all, it)
	}
	if len(all) <= mostDrawn {
		return all, r.model.Init()
	}
	before := slices.Clone(all)
	for i := range before { // all but what cannot be placed
		before[i].optional = before[i].optional || before[i].ret == r.until
	}
	s := newSearcher(r.model, before, &limits{most: DefaultSteps, memory: DefaultMemory})
	if s.run() != found {
		return all[len(all)-mostDrawn:], r.model.Init()
	}
	path := s.path()
	state := r.model.Init()
	drop := map[int32]bool{}
	for _, i := range path[:max(0, len(path)-mostDrawn/2)] {
		state, _ = r.model.Step(state, before[i].call)
		drop[i] = true
	}
	var out []item
	for i, it := range all {
		if !drop[int32(i)] && (!it.optional || it.ret > r.until && len(out) < mostDrawn) {
			out = append(out, it)
		}
	}
	return out, state
}

// operations returns items for porcupine.
func operations(items []item, until int32) []porcupine.Operation {
	clients := map[string]int{}
	var out []porcupine.Operation
	for i := range items {
		it := &items[i]
		id, ok := clients[it.op.Process]
		if !ok {
			id = len(clients)
			clients[it.op.Process] = id
		}
		ret := int64(min(it.ret, until))
		if it.optional {
			ret = int64(until) + 1
		}
		out = append(out, porcupine.Operation{ClientId: id, Input: it, Call: int64(it.inv), Return: ret})
	}
	return out
}
