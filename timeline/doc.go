// Package timeline makes the artifact of a run readable: what happened, event
// by event, and what led to the failure.
//
//   - [Story] tells a run in five lines: what was going on, which faults hit and
//     what they did, the operations that it is about, the decisive steps, and
//     what was seen.
//   - [Text] is the timeline for a terminal: one column a node, or one line a
//     record when there are many nodes.
//   - [Slice] finds the causes of the failure; [Mermaid] and [SpaceTime] draw
//     them.
//   - [Page] is the whole run as one HTML file to look around in.
//   - [Plots] draws rate and latency of the clients' operations.
//   - [Perfetto] exports the run for other viewers.
//
// # Causes
//
// Events are the vertices of a graph. An event follows from the event that
// scheduled it (a delivery from its send, a timer from the event that set it),
// and from the last noteworthy event before it on each node that it touches,
// because it may have left state behind. A proc that has waited for something
// without a record, such as the end of a write, follows from the event before in
// which it ran. An event is noteworthy if its records say more than that a
// timer, a proc or a call ran. The events from which the failing event can be
// reached are its causes; the nearest of them are the slice, where a step along
// a schedule counts one and a step along a node's order counts two. An event
// that follows from the arrival of a message is not there without it. What is
// drawn is the transitive reduction: no edge that a longer path tells as well.
//
// What an invariant speaks of has often happened long before, and a check that
// looks at the whole run fails in its last event, which says little. If the
// failure's message seems to speak of operations of clients (it has their
// number, as "op 7", or has them as they print, or they have a word with a
// digit, such as a key or a value, in common), the slice is also of those four
// that it speaks of most, and of each node's first crash after them: what was
// acknowledged then may be what is missing at the end.
//
// A message that was held up, or a copy of one that was repeated, finds things
// changed since it was sent. If a run has up to four arrivals of that sort before
// the failure, as one that was shrunk has, the slice is also of them; otherwise of
// the last four that were sent for the operations that it is about.
//
// # The story
//
// A story is made from what the trace says, not from what the checks know. A
// fault is told with what followed from it by its kind: what a power loss took
// from a disk, which syncs failed, how many messages were cut off. Of many
// faults, and of many steps, those are told that touched the nodes that matter:
// the one that failed, those that the message names, and those that the
// operations were asked of. A record of the code under test counts most, all
// the more if the message has one of its attributes, as "term 2" has term=2:
// what a program writes with Node.Log is what its stories can be told with.
//
// # Records
//
// The records of faultline's own modules are told in words; a kind that is not
// known is shown as it is, with its attributes. Text of the user's is escaped
// by [artifact.Visible]: no name or message can move the cursor, hide text, or
// turn its direction, and none can break out of a label in a diagram.
//
// # The page
//
// timeline.html needs nothing beside it and fetches nothing: its
// Content-Security-Policy allows its own script and style, by their digests,
// and nothing else. The story, the replay command and the pictures are plain
// HTML and SVG; the records come as columns, deflated, and a script draws them
// on a canvas. Each node has a lane, group by group as the report says: servers
// first, clients last. If the report has no groups, a node is a client if it
// called an operation. It opens on the failure and the last steps of its
// causal slice; what is outside the slice is pale until asked for. A view that
// holds more than 4,000 records shows counts in place of records.
//
// A node's clock is followed by the steps and drifts in the trace, from a
// clock that was right at the start: an offset that a node was given before
// the run is not in the trace. The script is made from page/src by the
// maintenance command bundle.
//
// The same artifact gives the same bytes with the same Go release; another
// release may compress in another way.
//
// # Limits
//
// A page holds the last [MaxPageRecords] records and 200,000 operations, texts
// of up to 8 KiB and 24 MiB of them in all, and 1,000 lanes; it needs a browser
// of 2024 or later. An export holds the last [MaxPerfettoRecords] records. Times
// beyond 104 days are shown to within some nanoseconds.
//
// Everything is bounded, and what is left out is said. A slice looks back at
// most at the last million events and has at most 500 of them; a timeline has
// 2,000 lines unless told otherwise. Columns count each character as one wide.
package timeline
