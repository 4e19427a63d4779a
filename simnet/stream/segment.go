package stream

// kind says what a segment is for.
type kind uint8

const (
	kindSyn    kind = iota // asks for a connection
	kindSynAck             // grants it
	kindData               // bytes, an end, an acknowledgement, or all of them
	kindReset              // there is no such connection any more
)

// segment is one message of a connection. The network shares it between copies,
// so it is never changed.
type segment struct {
	Number   uint64 // of the connection, among those of its dialer
	Accepted bool   // it comes from the end that was dialed
	Token    uint64 // drawn by that end; segments of an older one have another
	What     kind
	Service  string // of a syn
	Seq      uint64 // place of the first byte of Data in its direction
	Data     []byte
	End      bool   // the direction ends behind Data
	Ack      uint64 // place up to which all has come; the end counts as one byte
	Window   uint64 // how many bytes may come from there on
	Probe    bool   // asks for an acknowledgement
}

// Segment marks it as the transport's.
func (*segment) Segment() {}

// Kind returns what the trace calls it.
func (s *segment) Kind() string {
	switch {
	case s.What == kindSyn:
		return "syn"
	case s.What == kindSynAck:
		return "syn-ack"
	case s.What == kindReset:
		return "reset"
	case s.End:
		return "fin"
	case len(s.Data) > 0:
		return "data"
	case s.Probe:
		return "probe"
	}
	return "ack"
}

// Size returns its size on the line, with headers.
func (s *segment) Size() int { return 40 + len(s.Service) + len(s.Data) }
