package kernel

import "time"

// Int makes a signed attribute for [Node.Log].
func Int(key string, v int64) Attr { return Attr{Key: key, Type: AttrInt, Num: v} }

// Str makes a text attribute for [Node.Log].
func Str(key, v string) Attr { return Attr{Key: key, Type: AttrString, Text: v} }

// Dur makes a duration attribute for [Node.Log].
func Dur(key string, v time.Duration) Attr { return Attr{Key: key, Type: AttrDur, Num: int64(v)} }

// Bool makes a truth-value attribute for [Node.Log].
func Bool(key string, v bool) Attr {
	a := Attr{Key: key, Type: AttrBool}
	if v {
		a.Num = 1
	}
	return a
}

// Log adds a record of the user's own kind that is about no node; see
// [Node.Log].
func (s *Sim) Log(kind string, attrs ...Attr) { s.log(nil, kind, attrs) }

func (s *Sim) log(n *Node, kind string, attrs []Attr) {
	if n != nil && !n.Alive() {
		return
	}
	e := s.Emit(s.Sym(kind))
	if n != nil {
		e = e.On(n)
	}
	for _, a := range attrs {
		key := s.Sym(a.Key)
		switch a.Type {
		case AttrUint:
			e = e.Uint(key, uint64(a.Num))
		case AttrDur:
			e = e.Dur(key, time.Duration(a.Num))
		case AttrBool:
			e = e.Bool(key, a.Num != 0)
		case AttrString:
			e = e.Str(key, a.Text)
		case AttrHash:
			e = e.Hash(key, uint64(a.Num))
		default:
			e = e.Int(key, a.Num)
		}
	}
	e.Done()
}
