package shrink

// Verdict is what became of a run with some of the choices.
type Verdict uint8

// The verdicts of a test.
const (
	Gone  Verdict = iota // it did not fail
	Same                 // it failed in the same way
	Other                // it failed in another way
)

// Problem is a list that fails, and how to test shorter ones.
type Problem[T any] struct {
	// Items is the list. The order is kept.
	Items []T
	// Test runs the system with a list of items.
	Test func(items []T) Verdict
	// Key returns a text that is equal for items that mean the same. Lists are
	// remembered by the keys of their items.
	Key func(item T) string
	// Groups are partitions of the list, the coarsest first: each returns the
	// group that an item is taken away with in the first pass, or "" for none.
	Groups []func(item T) string
	// Fixed reports the items that are never taken away, only made weaker:
	// settings that the whole list shares. They are weakened first of all. Nil
	// means that there are none.
	Fixed func(item T) bool
	// Weaker returns variants of an item that are weaker, the weakest first.
	// Each must be different from the item itself, and its own variants must
	// come to an end. Nil means that items have no variants.
	Weaker func(item T) []T
	// Join returns items each of which may do what two items of the list do
	// together; one takes the place of the first. It is asked for every two of a
	// list of up to 16 items, in their order. Nil means that no items can be
	// joined.
	Join func(a, b T) []T
	// Follow returns lists like rest, which is the list without the items gone, in
	// which other items were changed because those are gone: what named the
	// fifth of something may have to name the fourth. It is asked for when
	// nothing can be taken away otherwise. Nil means that no items follow others.
	Follow func(gone, rest []T) [][]T
	// Continue is asked before each test. False ends the search with the best
	// list so far. Nil means that the search is never stopped.
	Continue func() bool
	// Memory holds the verdicts of tests by the keys of their lists. Nil means
	// an empty one; give that of an earlier result to go on from it.
	Memory Memory
	// TestAll, if not nil, tests several lists at once and returns their
	// verdicts in order. It is given those that come next, up to Width, if
	// none of them fails in the same way; what is learnt too much is kept in
	// memory. It may return fewer verdicts than it was given lists. The result is
	// the same as without it.
	TestAll func(lists [][]T) []Verdict
	// Width is how many lists TestAll is given at most.
	Width int
	// Learn, if not nil, is called with every verdict that was not known, and
	// its key in Memory.
	Learn func(key string, v Verdict)
	// Progress, if not nil, is called after each test that made the list
	// smaller or weaker.
	Progress func(items []T, tests int)
}

// Memory remembers verdicts by the content of the list that was tested: the
// key is the SHA-256 of the items' keys, in hexadecimal.
type Memory map[string]Verdict

// Result is the outcome of a search.
type Result[T any] struct {
	// Items is the smallest list found that fails in the same way.
	Items []T
	// Tests is how many lists were run, Remembered how many were answered from
	// memory.
	Tests int
	// Remembered is how many tests were answered from memory.
	Remembered int
	// Complete reports whether the search came to its end. Otherwise
	// Problem.Continue stopped it.
	Complete bool
	// Flaky reports that a list was seen to fail and not to fail: the test
	// does not depend on the list alone.
	Flaky bool
	// Others are lists that failed in another way, at most 16 of them.
	Others [][]T
	// Memory is what was learnt, to go on from.
	Memory Memory
}
