// Package simnet is a simulated datagram network between the nodes of a
// [kernel.Sim]. It delays, reorders, loses and duplicates messages as it is
// told, and the same seed always gives the same fates.
//
// # Sending
//
// [Network.Attach] gives a node a [Port]. [Port.Send] returns at once; the
// message arrives later as a call of the receiver's [kernel.Handler], in an
// event whose cause is the event that sent it. There is no connection, no
// acknowledgement and no error for a message that is lost: it is what UDP
// gives. Messages are Go values of any type; nothing is encoded.
//
// Each direction between two nodes is a link of its own, with the settings of
// [Link]. By default a message takes 1 ms plus up to 4 ms, and later messages
// overtake earlier ones. Links exist from their first message on, so that a
// network costs what is used of it. A node's link to itself takes the same
// time but is not disturbed: losses, duplicates and delays by default settings
// and effects on [Any] leave it alone; name it to disturb it.
//
// [LAN], [WAN] and [Lossy] are ready settings, and [Network.SetGeography] places
// nodes in regions with a latency for each pair of them.
//
// # What decides a message's fate, in order
//
// At the send: a sender that is down sends nothing. A cut link drops the
// message. An effect may be aimed at it. Then chance decides whether it is lost
// or its bits flip, how many extra copies are
// made, and whether the first copy is held up. It waits for the link's bandwidth
// and for the end of a clog. Each copy is given its time of arrival.
//
// At the arrival: while the receiver is paused the message waits, in order. If
// the receiver is down the copy is dropped; if it has restarted since the send
// the copy is delivered to the new incarnation, or dropped with
// [Config.DropStale].
//
// So what is in flight is out of everybody's hands: it survives the crash of
// its sender and a partition that begins behind it. A network of routers
// behaves so, where packets wait in queues beyond the break; a single cable
// that is cut also loses what is in it. The more hostile of the two was chosen.
//
// # Sharing messages
//
// A message is passed by reference. Once sent it must not be changed, neither
// by the sender nor by a receiver, just as bytes that have left cannot be.
// The network takes a digest when the message is sent and again before each
// copy is delivered; if they differ, the run fails with [kernel.KindMisuse]
// and says which message it was. A change after the last delivery is not
// seen. The digest covers everything that can be reached by fields, pointers,
// interfaces, slices and maps. It skips functions, channels, locks and atomics,
// blank fields, fields tagged `simnet:"-"`, the bookkeeping of generated
// protobuf messages and the location of a time.Time. Messages that know better
// implement [Digester]. Messages that cannot be changed through a copy, such as
// numbers, strings and structs of them, are not checked again.
//
// The digest is in the trace, so it must not depend on anything but the seed:
// a message with a real time or a random number in it makes runs differ.
//
// # Faults
//
// [Network.Cut], [Network.Isolate], [Network.Partition], [Network.Clog],
// [Network.Aim] and [Network.Degrade]
// start effects that last until [Effect.Undo]. Effects overlap: a link is cut
// as long as one effect cuts it, degradations add up, and undoing one leaves
// the others. [Effect.Met] counts the messages that an effect has changed; one
// that has met none proved nothing.
//
// # Choices and replay
//
// Messages of a link are numbered from 1, and have a name: of their type, or the
// word of a [Kinder], of the [kernel.Soon] in which they are sent, and of how many
// like them the link took in it, see [kernel.Namer]. Whether a message is dropped, copied
// or held up is a choice about it at the points net/<from>><to>/drop (value
// 1), /dup (extra copies, 1 to [MaxCopies]), /delay (extra nanoseconds, 1 to
// [MaxDelay]), /late (as much, of one more copy) and /corrupt (bits that flip, 1
// to [MaxBits], or [MaxBits] more when a checksum tells); see [kernel.Choice].
// Jitter and the order among events of one
// instant are no such choices: each copy reads the streams /latency and /order of
// its link at its own number. All of it is drawn by the message's name. A choice, a
// link or a node taken away therefore leaves all other draws as they were; a
// message that is not sent renames those of its sort that its link takes soon after,
// within milliseconds, and no others. Bursts of losses are the exception: they go from
// one message of a link to the next.
//
// When a run is given its choices, probabilities do not count, and each finds its
// message by the name, or by the number if it has no name. All
// points are asked for every message that is sent, also on a cut link.
//
// # Trace
//
// Records are net/send, net/deliver, net/drop (with its [Reason] and on the
// node where the way ended), net/dup, net/delay and net/corrupt for messages;
// net/link, net/cut, net/clog, net/aim, net/degrade and net/heal for changes;
// inert for a send in the name
// of a node that is down. A message is named by its link and its id there. What is
// in it is shown if [Config.Contents] asks for it, beside the trace.
//
// # Limits
//
// A bandwidth is that of one link; links do not share one. A port belongs to the machine, not to
// an incarnation: code of an earlier incarnation that is still called, from a
// function given to [kernel.Sim.After] for example, sends in the name of the
// current one.
package simnet
