// Package shrink makes a list of choices that leads to a failure small: which
// of them matter, and how strong each has to be.
//
// [Minimize] is given the list and a test that says whether a smaller list
// still fails in the same way. It works in passes, from what gains most to
// what gains least:
//
//  1. weaker variants of the settings that the whole list shares;
//  2. whole groups of items, such as all faults of one kind;
//  3. halves, quarters, eighths and so on of what is left: delta debugging
//     (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input,
//     IEEE TSE 28(2), 2002);
//  4. items one by one, until none can be taken away alone; of a list of up to
//     16 items also two at once;
//  5. halves, quarters and so on down to single items, where what is left
//     follows what is gone, see [Problem.Follow];
//  6. one item in the place of two, again in a list of up to 16;
//  7. weaker variants of each item that is left.
//
// Passes 3 to 7 are repeated as long as they gain something. The result is
// then 1-minimal: without any one item, and with any one item weaker, the
// failure is gone. A test that fails in another way is a finding of its own
// and is kept apart, see [Result.Others].
//
// The same problem gives the same result, in the same number of tests. A test
// of a list that was tested before is answered from memory. When
// [Problem.Continue] says stop, the best list so far is the result. A search
// for the same list with the memory of the first goes the same way without a
// test, to where that was stopped, and on from there. With [Problem.TestAll]
// several tests are made at once, ahead of the one that is asked for.
//
// # Limits
//
// The result is a local minimum: another, smaller list may fail too. The test
// must give one answer for one list; [Minimize] tests the result once more at
// the end and says in [Result.Flaky] when the answer has changed.
package shrink
