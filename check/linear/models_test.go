package linear_test

import (
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// TestModels has, for each model, histories that are linearizable and ones that
// differ from them in little and are not; bad is the operation that is blamed.
func TestModels(t *testing.T) {
	models := map[string]func(func(*history.Operation) linear.Call) linear.Model{
		"register": linear.Register, "map": linear.Map, "counter": linear.Counter, "set": linear.Set,
		"queue": linear.Queue, "lock": linear.Lock, "log": linear.Log,
	}
	for _, c := range []struct{ model, text, bad string }{
		{"register", "", ""},
		{"register", "a write x 1 @ 1-2 \n b read x 1 @ 3-4", ""},
		{"register", "a write x 1 @ 1-2 \n b read x - @ 3-4", "b read"},
		{"register", "a write x 1 @ 1-9 \n b read x - @ 2-3 \n c read x 1 @ 4-5", ""},
		{"register", "a write x 1 @ 1-9 \n b read x 1 @ 2-3 \n c read x - @ 4-5", "c read"},
		{"register", "a write x 1 @ 1- \n b read x - @ 5-6 \n c read x 1 @ 7-8", ""},
		{"register", "a write x 1 @ 1- \n b read x 1 @ 5-6 \n c read x - @ 7-8", "c read"},
		{"register", "a write x 1 @ 1-2 fail \n b read x - @ 3-4", ""},
		{"register", "a write x 1 @ 1-2 fail \n b read x 1 @ 3-4", "b read"},
		{"register", "a read x 1 @ 1-2 \n b write x 1 @ 3-4", "a read"},
		{"register", "a write x 1 @ 1-2 \n b write x 1 @ 3-4 \n c write x 2 @ 3-5 \n d read x 1 @ 6-7", ""},
		{"register", "a write x 1 @ 1-2 \n b write x 1 @ 3-4 \n c write x 2 @ 5-6 \n d read x 1 @ 7-8", "d read"},
		{"register", "a cas x 1 2 no @ 1-2 \n a write x 1 @ 3-4 \n a cas x 1 2 yes @ 5-6 \n a read x 2 @ 7-8", ""},
		{"register", "a write x 1 @ 1-2 \n a cas x 1 2 yes @ 3-9 \n b cas x 1 3 yes @ 4-8", "a cas"},
		{"register", "a write x 1 @ 1-2 \n a cas x 1 2 no @ 3-4", "a cas"},
		{"register", "a write x 1 @ 1-2 \n a cas x 1 2 no @ 3- \n b read x 2 @ 5-6", ""},
		{"map", "a write x 1 @ 1-2 \n a write y 2 @ 3-4 \n b read x 1 @ 5-6 \n b read y 2 @ 7-8", ""},
		{"map", "a write x 1 @ 1-2 \n a write y 2 @ 3-4 \n b read x 2 @ 5-6", "b read"},
		{"counter", "a add n 1 @ 1-2 \n b add n 2 @ 1-3 \n c count n 3 @ 4-5", ""},
		{"counter", "a add n 1 @ 1-2 \n b add n 2 @ 1-3 \n c count n 2 @ 4-5", "c count"},
		{"counter", "a add n 1 @ 1- \n b add n 2 @ 1- \n c count n 2 @ 4-5 \n c count n 3 @ 6-7", ""},
		{"counter", "a add n 1 @ 1- \n b add n 2 @ 1- \n c count n 2 @ 4-5 \n c count n 1 @ 6-7", "c count"},
		{"counter", "a sum n 1 1 @ 1-4 \n b sum n 1 2 @ 2-3", ""},
		{"counter", "a sum n 1 1 @ 1-4 \n b sum n 1 1 @ 2-3", "a sum"},
		{"set", "a insert s 1 @ 1-2 \n b has s 1 yes @ 3-4 \n c remove s 1 yes @ 5-6 \n b has s 1 no @ 7-8", ""},
		{"set", "a insert s 1 @ 1-2 \n b has s 1 no @ 3-4", "b has"},
		{"set", "a insert s 1 yes @ 1-4 \n b insert s 1 yes @ 2-3", "a insert"},
		{"set", "a insert s 1 @ 1-2 \n b insert s 2 @ 1-2 \n c members s 2 1 @ 3-4", ""},
		{"set", "a insert s 1 @ 1-2 \n b insert s 2 @ 1-2 \n c members s 2 @ 3-4", "c members"},
		{"queue", "a put q 1 @ 1-2 \n a put q 2 @ 3-4 \n b take q 1 @ 5-6 \n b take q 2 @ 7-8 \n b take q - @ 9-10", ""},
		{"queue", "a put q 1 @ 1-2 \n a put q 2 @ 3-4 \n b take q 2 @ 5-6 \n b take q 1 @ 7-8", "b take"},
		{"queue", "a put q 1 @ 1-2 \n b take q 1 @ 3-5 \n c take q 1 @ 4-6", "c take"},
		{"queue", "a put q 1 @ 1-2 \n b take q 1 @ 3- \n c take q - @ 4-6", ""},
		{"queue", "a put q 1 @ 1-2 \n c take q - @ 4-6", "c take"},
		{"lock", "a lock l a yes @ 1-2 \n b lock l b no @ 3-4 \n a unlock l a @ 5-6 \n b lock l b yes @ 7-8", ""},
		{"lock", "a lock l a yes @ 1-2 \n b lock l b yes @ 3-4", "b lock"},
		{"lock", "a lock l a yes @ 1-2 \n a unlock l a @ 3- \n b lock l b yes @ 5-6", ""},
		{"lock", "a lock l a yes @ 1-2 \n b unlock l b @ 3-4", "b unlock"},
		{"log", "a append g 1 0 @ 1-4 \n b append g 2 1 @ 2-3 \n c list g 1 2 @ 5-6", ""},
		{"log", "a append g 1 @ 1-4 \n b append g 2 @ 2-3 \n c list g 2 1 @ 5-6 \n c list g 1 2 @ 7-8", "c list"},
		{"log", "a append g 1 0 @ 1-4 \n b append g 2 0 @ 2-3", "a append"},
		{"log", "a append g 1 @ 1- \n b append g 2 @ 2-3 \n c list g 2 @ 5-6 \n c list g 2 1 @ 7-8", ""},
		{"log", "a append g 1 @ 1-2 \n b append g 2 @ 3-4 \n c list g 2 @ 5-6", "c list"},
	} {
		err := models[c.model](words).Check(scene(t, c.text).All())
		switch v, _ := err.(*linear.Violation); {
		case c.bad == "" && err != nil:
			t.Errorf("%s, %s\n%v", c.model, c.text, err)
		case c.bad != "" && v == nil:
			t.Errorf("%s, %s\nno violation, want one by %s", c.model, c.text, c.bad)
		case c.bad != "" && v.Op.Process+" "+v.Op.Function != c.bad:
			t.Errorf("%s, %s\nblamed %v, want %s", c.model, c.text, v.Op, c.bad)
		}
	}
}

// TestModelMistakes are errors that name the mistake, not violations.
func TestModelMistakes(t *testing.T) {
	h := scene(t, "a add n 1 @ 1-2")
	for _, c := range []struct {
		m    linear.Model
		want string
	}{
		{linear.Queue(words), `linear: the model "queue" was given a call of another kind for key "n"; it has Enqueue and Dequeue`},
		{linear.Model{Name: "mine"}, `linear: the model "mine" has no Call, Init or Step; set all three`},
		{linear.Register(nil), `linear: the model "register" has no Call, Init or Step; set all three`},
		{linear.FromPorcupine("theirs", porcupine.Model{Init: func() any { return 0 }}, nil), `linear: the model "theirs" has no Call, Init or Step; set all three`},
		{linear.FromPorcupine("theirs", porcupine.Model{Init: func() any { return []int{} }, Step: func(s, _, _ any) (bool, any) { return true, s }}, nil),
			`linear: the states of the model "theirs" are of type []int, which == cannot be used on; set Equal and Hash`},
	} {
		if err := c.m.Check(h.All()); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestMessage pins down what a violation says.
func TestMessage(t *testing.T) {
	h := scene(t, `
		a write x 1 @ 1-2
		b write x 2 @ 3-4
		c read x 1 @ 5-6`)
	err := linear.Map(words).Check(h.All())
	want := `key x: not linearizable: c read(["read","x","1"]) ok [5ns, 6ns]
there was the value 1 from the return of a write(["write","x","1"]) ok [1ns, 2ns] up to the call of c read(["read","x","1"]) ok [5ns, 6ns]; but there was the value 2 at some moment between the call of b write(["write","x","2"]) ok [3ns, 4ns] and the return of b write(["write","x","2"]) ok [3ns, 4ns]
the 2 operations that had returned before can be put in an order; with this one, none fits`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	err = linear.Queue(words).Check(scene(t, "a put q 1 @ 1-2 \n b put q 2 @ 1- \n c take q 3 @ 3-4").All())
	if err == nil || !strings.Contains(err.Error(), "by then the state can have been [1 2], [1], [2 1]") {
		t.Errorf("got %v", err)
	}
}

// TestOwnModel is a model with states that are not comparable, and one of
// porcupine's.
func TestOwnModel(t *testing.T) {
	own := linear.Model{
		Name: "stack",
		Call: func(op *history.Operation) (string, any) { return "", op.Input },
		Init: func() any { return []string(nil) },
		Step: func(state, call any) (any, bool) {
			s, w := state.([]string), call.([]string)
			if w[0] == "push" {
				return append(s[:len(s):len(s)], w[1]), true
			}
			if len(s) == 0 || s[len(s)-1] != w[1] {
				return s, false
			}
			return s[:len(s)-1], true
		},
		Equal: func(a, b any) bool { return strings.Join(a.([]string), " ") == strings.Join(b.([]string), " ") },
		Hash:  func(s any) uint64 { return uint64(len(s.([]string))) },
	}
	theirs := linear.FromPorcupine("stack", porcupine.Model{
		Init:  own.Init,
		Step:  func(state, in, _ any) (bool, any) { next, ok := own.Step(state, in); return ok, next },
		Equal: own.Equal,
	}, nil)
	for _, m := range []linear.Model{own, theirs} {
		if err := m.Check(scene(t, "a push 1 @ 1-2 \n a push 2 @ 3-4 \n b pop 2 @ 5-6 \n b pop 1 @ 7-8").All()); err != nil {
			t.Error(err)
		}
		if err := m.Check(scene(t, "a push 1 @ 1-2 \n a push 2 @ 3-4 \n b pop 1 @ 5-6 \n b pop 2 @ 7-8").All()); err == nil {
			t.Error("no violation")
		}
	}
}
