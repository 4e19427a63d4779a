package simnet

// Reason is why a message was not delivered.
type Reason uint8

// The reasons for a drop.
const (
	DropLoss     Reason = iota // it was lost by chance, see Link.Loss
	DropCut                    // its link was cut when it was sent
	DropNodeDown               // the receiver was down when it arrived
	DropStale                  // the receiver has restarted since, see Config.DropStale
	DropChanged                // it was changed after it was sent; the run has failed
	DropAimed                  // an effect was aimed at it, see Network.Aim
	DropChecksum               // its bits had flipped, see Link.Checksum
	DropQueue                  // too many bytes waited for the link, see Link.Queue
	reasons
	firstRare = DropAimed
)

// String returns the reason as traces show it, such as "node-down".
func (r Reason) String() string {
	if r >= reasons {
		return "unknown"
	}
	return [...]string{"loss", "cut", "node-down", "stale", "changed", "aimed", "checksum", "queue"}[r]
}

// Reasons returns all reasons in order.
func Reasons() []Reason {
	out := make([]Reason, reasons)
	for i := range out {
		out[i] = Reason(i)
	}
	return out
}

// Stats counts messages. At any time
// Sent + Duplicated = Delivered + all Dropped + InFlight.
type Stats struct {
	Sent       uint64          // messages that nodes handed to the network
	Duplicated uint64          // extra copies that the network made
	Delayed    uint64          // messages held up by a long delay
	Corrupted  uint64          // messages of which bits flipped
	Delivered  uint64          // copies that reached a program
	Dropped    [reasons]uint64 // copies that did not, by Reason
}

// Lost returns the number of drops for all reasons.
func (s Stats) Lost() uint64 {
	var sum uint64
	for _, n := range s.Dropped {
		sum += n
	}
	return sum
}

// InFlight returns the number of copies on their way, those that wait for a
// paused node among them.
func (s Stats) InFlight() uint64 { return s.Sent + s.Duplicated - s.Delivered - s.Lost() }

// LinkStats is the count of one link.
type LinkStats struct {
	From string // the sender
	To   string // the receiver
	Stats
}

// Stats returns the counts of the whole network.
func (n *Network) Stats() Stats { return n.stats }

// Links returns the counts of every link that has carried a message, in the
// order of their first messages.
func (n *Network) Links() []LinkStats {
	out := make([]LinkStats, len(n.wires))
	for i, w := range n.wires {
		out[i] = LinkStats{w.from.name, w.to.name, w.stats}
	}
	return out
}
