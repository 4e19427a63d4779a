package linear

import (
	"fmt"
	"reflect"

	"github.com/hmdsefi/faultline/history"
)

// Model is a sequential specification: what a system answers if it does one
// operation at a time. Call, Init and Step are required. The functions must be
// pure: a state is never changed, a step makes another one. A Model made by
// this package is for one check at a time.
type Model struct {
	// Name says what it is a model of, such as "register".
	Name string
	// Call translates an operation, once. Operations with different keys do not
	// affect each other, so that each key is judged alone. call is what Step
	// gets; nil leaves the operation out. An operation whose outcome is unknown
	// has no Output: its call must say that any result is right.
	Call func(op *history.Operation) (key string, call any)
	// Init returns the state that every key begins with.
	Init func() any
	// Step reports whether a call can have had its result in a state, and the
	// state that it leaves.
	Step func(state, call any) (next any, ok bool)

	// ReadOnly reports that a call never changes any state. It only makes the
	// search faster; nil means that none is known to.
	ReadOnly func(call any) bool
	// Blind reports that a call is possible in every state and leaves the same
	// one in all, as a write does. It only makes the search faster; nil means
	// that none is known to.
	Blind func(call any) bool
	// Equal compares states. Nil means that states are comparable with ==.
	Equal func(a, b any) bool
	// Hash is the same for equal states; it goes with Equal.
	Hash func(state any) uint64
	// State describes a state in messages; nil means [history.Text].
	State func(state any) string

	values bool // the calls are reads and writes of single values
	split  bool // calls with an element affect only that element
	takes  func(call any) error
}

// check finds what is missing.
func (m *Model) check() error {
	switch {
	case m.Call == nil, m.Init == nil, m.Step == nil:
		return fmt.Errorf("linear: the model %q has no Call, Init or Step; set all three", m.Name)
	case (m.Equal == nil) != (m.Hash == nil):
		return fmt.Errorf("linear: the model %q has only one of Equal and Hash; set both or none", m.Name)
	case m.Equal == nil:
		if init := m.Init(); init != nil && !reflect.ValueOf(init).Comparable() {
			return fmt.Errorf("linear: the states of the model %q are of type %T, which == cannot be used on; set Equal and Hash", m.Name, init)
		}
	}
	return nil
}

func (m *Model) describe(state any) string {
	if m.State != nil {
		return m.State(state)
	}
	if state == nil {
		return "nothing"
	}
	return history.Text(state)
}

func (m *Model) readOnly(call any) bool { return m.ReadOnly != nil && m.ReadOnly(call) }

func (m *Model) blind(call any) bool { return m.Blind != nil && m.Blind(call) }
