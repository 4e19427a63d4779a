// Package timeline makes the artifact of a run readable: what happened, event
// by event, and what led to the failure.
//
//   - [Story] tells a run in five lines: what was going on, which faults hit,
//     the decisive steps, and what was seen.
//   - [Text] is the timeline for a terminal: one column a node, or one line a
//     record when there are many nodes.
//   - [Slice] finds the causes of the failure, and [Mermaid] draws them.
//
// # Causes
//
// Events are the vertices of a graph. An event follows from the event that
// scheduled it (a delivery from its send, a timer from the event that set it),
// and from the last noteworthy event before it on each node that it touches,
// because it may have left state behind. An event is noteworthy if its records
// say more than that a timer, a proc or a call ran. The events from which the
// failing event can be reached are its causes; the nearest of them are the
// slice, where a step along a schedule counts one and a step along a node's
// order counts two. What is drawn is the transitive reduction: no edge that a
// longer path tells as well.
//
// A check that looks at the whole run fails in its last event, which says
// little. If the failure's message seems to speak of operations of clients
// (they have a word with a digit, such as a key or a value, in common), the
// slice is of those three that it speaks of most, and of each node's first crash after
// them: what was acknowledged then may be what is missing at the end.
//
// # Records
//
// The records of faultline's own modules are told in words; a kind that is not
// known is shown as it is, with its attributes. Text of the user's is escaped
// by [artifact.Visible]: no name or message can move the cursor, hide text, or
// turn its direction, and none can break out of a label in a diagram.
//
// # Limits
//
// Everything is bounded, and what is left out is said. A slice looks back at
// most at the last million events and has at most 500 of them; a timeline has
// 2,000 lines unless told otherwise. Columns count each character as one wide.
package timeline
