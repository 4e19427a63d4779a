package etcdraft

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

const (
	pieceEvery  = 20 * time.Millisecond // between two tries of what was not acknowledged
	pieceWindow = 16                    // pieces on the way at once
	pieceTries  = 12                    // rounds without an acknowledgement before giving up
)

// piece is a part of the data of a snapshot on the network.
type piece struct {
	stream uint64          // of the sender, unique in its incarnation
	boot   int             // of the sender
	n, of  int             // number of the piece, from 0, and how many there are
	head   *raftpb.Message // the MsgSnap without its data
	data   []byte
}

// Kind returns the word for the trace.
func (p *piece) Kind() string { return "snapshot-piece" }

// Digest returns a digest of the content.
func (p *piece) Digest() uint64 {
	d := digest(p.stream).add(uint64(p.boot)).add(uint64(p.n)).add(uint64(p.of)).bytes(p.data)
	return uint64(d.add((*message)(p.head).Digest()))
}

// pieceAck says that a piece has come.
type pieceAck struct {
	Stream uint64
	From   int // boot of the sender of the pieces
	Boot   int // of the receiver, which forgets the pieces when it crashes
	N      int // number of the piece
}

// Kind returns the word for the trace.
func (pieceAck) Kind() string { return "snapshot-ack" }

// outgoing are the snapshots that a replica sends, one for each follower.
type outgoing struct {
	r       *Replica
	streams []*stream
	count   uint64
	timer   *kernel.Timer
}

// stream is one snapshot on its way.
type stream struct {
	id     uint64
	to     uint64
	pieces []*piece
	acked  []bool
	left   int
	boot   int // of the receiver, 0 before its first acknowledgement
	quiet  int // rounds without an acknowledgement
}

func (o *outgoing) init(r *Replica) {
	o.r = r
	o.timer = r.node.NewTimerFunc(o.again)
}

// start cuts the snapshot of a MsgSnap into pieces and sends the first ones. A
// newer snapshot for the same follower replaces the one on its way.
func (o *outgoing) start(m *raftpb.Message) {
	snap := m.GetSnapshot()
	o.drop(m.GetTo())
	o.count++
	s := &stream{id: o.count, to: m.GetTo()}
	head := &raftpb.Message{Type: m.Type, To: m.To, From: m.From, Term: m.Term, Snapshot: &raftpb.Snapshot{Metadata: snap.GetMetadata()}}
	data := snap.GetData()
	size := max(o.r.mode.PieceSize, 1)
	s.left = max((len(data)+size-1)/size, 1)
	for i := range s.left {
		part := data[i*size : min((i+1)*size, len(data))]
		s.pieces = append(s.pieces, &piece{stream: s.id, boot: o.r.boot, n: i, of: s.left, head: head, data: part})
	}
	s.acked = make([]bool, s.left)
	o.streams = append(o.streams, s)
	o.push(s)
	if !o.timer.Armed() {
		o.timer.Reset(pieceEvery)
	}
}

// push sends the first pieces that are not acknowledged.
func (o *outgoing) push(s *stream) {
	sent := 0
	for i, p := range s.pieces {
		if !s.acked[i] && sent < pieceWindow {
			sent++
			o.r.node.Send(o.r.c.names[s.to-1], p)
		}
	}
}

// again repeats what was not acknowledged, and gives up followers that are
// silent.
func (o *outgoing) again() {
	defer o.r.guard()
	for _, s := range append([]*stream(nil), o.streams...) {
		if s.quiet++; s.quiet > pieceTries {
			o.end(s, raft.SnapshotFailure)
			continue
		}
		o.push(s)
	}
	if len(o.streams) > 0 {
		o.timer.Reset(pieceEvery)
	}
	o.r.pump()
}

// end takes a stream off the list and tells raft how it went.
func (o *outgoing) end(s *stream, how raft.SnapshotStatus) {
	o.drop(s.to)
	o.r.c.meetIf(how == raft.SnapshotFinish, snapshotReported)
	o.r.c.meetIf(how == raft.SnapshotFailure, snapshotFailed)
	o.r.rn.ReportSnapshot(s.to, how)
	o.r.observe(&Event{Kind: SnapshotReported, Index: s.to})
}

func (o *outgoing) drop(to uint64) {
	for i, s := range o.streams {
		if s.to == to {
			o.streams = append(o.streams[:i], o.streams[i+1:]...)
			return
		}
	}
}

// onPieceAck takes in an acknowledgement.
func (r *Replica) onPieceAck(from string, a pieceAck) {
	for _, s := range r.out.streams {
		switch {
		case s.id != a.Stream || a.From != r.boot || r.c.ids[from] != s.to || a.N >= len(s.acked):
			continue
		case s.boot != 0 && s.boot != a.Boot: // it has crashed meanwhile
			r.out.end(s, raft.SnapshotFailure)
			return
		}
		s.boot, s.quiet = a.Boot, 0
		if !s.acked[a.N] {
			s.acked[a.N] = true
			s.left--
		}
		if s.left == 0 {
			r.out.end(s, raft.SnapshotFinish)
		}
		return
	}
}

// incoming are the snapshots that come in, one from each sender.
type incoming struct{ parts []*assembly }

// assembly is a snapshot of which some pieces have come.
type assembly struct {
	from   string
	boot   int
	stream uint64
	pieces []*piece
	left   int
}

// onPiece takes in a piece, acknowledges it, and gives raft the message when it
// is the last one that was missing.
func (r *Replica) onPiece(from string, p *piece) {
	r.node.Send(from, pieceAck{p.stream, p.boot, r.boot, p.n})
	a := r.in.find(from, p)
	if a == nil || a.pieces[p.n] != nil {
		return
	}
	a.pieces[p.n] = p
	if a.left--; a.left > 0 {
		return
	}
	var data []byte
	for _, part := range a.pieces {
		data = append(data, part.data...)
	}
	r.takeSnapshot(p.head, data)
}

// takeSnapshot gives raft a MsgSnap that has come in, now or later, and perhaps
// once more.
func (r *Replica) takeSnapshot(h *raftpb.Message, data []byte) {
	give := func() {
		r.c.meetIf(h.GetSnapshot().GetMetadata().GetIndex() <= r.status.Commit, snapshotStale)
		r.step(&raftpb.Message{
			Type: h.Type, To: h.To, From: h.From, Term: h.Term,
			Snapshot: &raftpb.Snapshot{Metadata: h.GetSnapshot().GetMetadata(), Data: data},
		})
	}
	later := func(most time.Duration) {
		r.node.AfterFunc(r.delay(most), func() {
			defer r.guard()
			give()
			r.pump()
		})
	}
	if r.mode.SnapshotTwice > 0 && r.draws().PPM(r.mode.SnapshotTwice) {
		r.c.meet(snapshotAgain)
		later(time.Second)
	}
	if r.mode.SnapshotLate > 0 {
		r.c.meet(snapshotLate)
		later(r.mode.SnapshotLate)
		return
	}
	give()
}

// find returns the assembly that a piece belongs to; nil if it is of an older
// stream.
func (in *incoming) find(from string, p *piece) *assembly {
	for _, a := range in.parts {
		if a.from != from {
			continue
		}
		switch {
		case p.boot < a.boot || p.boot == a.boot && p.stream < a.stream:
			return nil
		case p.boot > a.boot || p.stream > a.stream:
			*a = assembly{from, p.boot, p.stream, make([]*piece, p.of), p.of}
		}
		return a
	}
	a := &assembly{from, p.boot, p.stream, make([]*piece, p.of), p.of}
	in.parts = append(in.parts, a)
	return a
}
