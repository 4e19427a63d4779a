package kernel

import (
	"slices"
	"testing"
	"time"
)

// drawing settles a choice each millisecond, and returns what came.
func drawing(cfg Config) (out []int64) {
	s := New(cfg)
	p := s.ChoicePoint("x")
	for n := range uint64(20) {
		s.At(Time(n+1)*Time(time.Millisecond), func() {
			drawn := int64(0)
			if !p.Replaying() {
				drawn = p.Stream().Between(n, 0, 3)
			}
			out = append(out, p.Settle(n, drawn), int64(s.Stream("y").At(n)>>40))
		})
	}
	s.Run()
	return out
}

// A run that draws anew is the same up to the moment, and another one after it
// for each salt, also when its choices are given.
func TestRedraw(t *testing.T) {
	at := Time(10 * time.Millisecond)
	for _, replay := range [][]Choice{nil, {{Point: "x", N: 3, Value: 2}, {Point: "x", N: 15, Value: 9}}} {
		plain := drawing(Config{Seed: 1, Replay: replay})
		a := drawing(Config{Seed: 1, Replay: replay, Redraw: Redraw{At: at, Salt: 1}})
		b := drawing(Config{Seed: 1, Replay: replay, Redraw: Redraw{At: at, Salt: 2}})
		if !slices.Equal(plain[:18], a[:18]) || !slices.Equal(plain[:18], b[:18]) {
			t.Errorf("the prefix differs: %v, %v, %v", plain[:18], a[:18], b[:18])
		}
		if slices.Equal(plain[18:], a[18:]) || slices.Equal(a[18:], b[18:]) {
			t.Errorf("the continuations are alike: %v, %v, %v", plain[18:], a[18:], b[18:])
		}
		for i := 18; i < len(a); i += 2 {
			if a[i] == 9 {
				t.Error("a given choice was made after the moment")
			}
		}
	}
}
