// Package stream gives the nodes of a simulated network byte streams:
// connections between machines, over the same links as datagrams, and so under
// the same faults.
//
// [New] takes a network, and [Streams.Attach] gives a machine its [Host]. A host
// listens for a service by name, or dials one at another machine. The two ends
// of a connection are [Conn]s; what is written at one is read at the other, whole
// and in order.
//
// # What the network does to it
//
// A small transport runs below, with segments, acknowledgements, windows and
// retransmission. It is no model of TCP's congestion control. Links do to its
// segments what they do to every message: one that is lost, late, doubled or
// overtaken shows as delay, never as a hole. A segment whose bits flip is lost. A
// partition stalls connections, and they go on after it; [Config.Timeout] ends
// those that make no progress for so long.
//
// # Reading messages
//
// A stream has no messages: where a read ends says nothing about how the bytes were
// written. A read can end at any byte, because segments do, because links reorder
// them, or because of the fault [Short]. A program that reads with one call what was
// written with one is wrong, and works nearly always. [Conn.In] gives a proc the
// connection as an [io.ReadWriteCloser] for [io.ReadFull], bufio and decoders; state
// machines collect what [Conn.Read] returns until a message is whole.
//
// # Deadlines
//
// [Conn.SetReadDeadline], [Conn.SetWriteDeadline] and [Host.DialTimeout] limit how
// long a program waits, in virtual time on its node's clock. What they end returns
// [DeadlineExceeded], and the connection can be used on. [Timeout] is another thing:
// the transport has given the connection up.
//
// # Ends of connections
//
//   - [Conn.CloseWrite] ends one direction: the other end reads [io.EOF] after the
//     last byte, and can still write.
//   - [Conn.Close] ends both. What was written before still arrives. What the
//     other end sends from then on is answered with a reset.
//   - [Conn.Reset], and an answer to nobody, end a connection at once: the other end sees
//     [Reset], and bytes on their way are lost.
//   - A process that is killed leaves its machine to send what it had written,
//     and the end; if it had not read all that had come, the machine sends a reset. Dials
//     to it are refused.
//   - A machine that loses power says nothing. The other end has a half-open
//     connection: it learns of it when it sends something to the machine's next
//     incarnation, or by the timeout.
//
// # Determinism
//
// A connection is named by its dialer, and its number among those of that dialer.
// All it draws is keyed by that name and a count. Callbacks and procs are woken by events
// of their own incarnation.
//
// # Trace
//
// The records stream/open and stream/accept tell of both ends of a connection,
// stream/refuse of a dial, stream/deadline of what was waited for in vain,
// stream/short of what [Short] did;
// stream/close, stream/close-write, stream/reset, stream/timeout and stream/lost say
// how an end ended, who did it, and what was unread and unacknowledged by then.
//
// # Guarantee
//
// The bytes that one end of a connection reads are a prefix of those that the
// other has written, whatever happens. Ends belong to an incarnation: no byte
// reaches another one.
//
// The guide docs/guides/streams.md has a service with its test.
//
// # Limits
//
// Segments carry at most [Config.Segment] bytes. There is no Nagle delay and no
// urgent data. A paused machine does not answer; its retransmission goes on.
package stream
