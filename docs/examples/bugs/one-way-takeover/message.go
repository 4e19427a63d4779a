package onewaytakeover

// version orders the values of the register.
type version struct{ Epoch, Seq int }

func (v version) less(o version) bool {
	return v.Epoch < o.Epoch || v.Epoch == o.Epoch && v.Seq < o.Seq
}

// cell is what the register holds.
type cell struct {
	Version version
	Value   string
	Put     int // number of the put that it comes from, so that a repeated request does nothing
}

// Messages between the nodes.
type (
	// beat says: I lead in this epoch, and this is the newest value.
	beat struct {
		Epoch, Round int
		Cell         cell
	}
	// beatAck says that the value is stored, or names a newer epoch.
	beatAck struct {
		Epoch, Round int
		Version      version
	}
	// ask asks whether the other would vote in an epoch: it changes nothing.
	ask struct{ Epoch int }
	// askAck answers. Newest is the epoch that the answering node is in.
	askAck struct {
		Epoch, Newest int
		OK            bool
	}
	// vote asks for a vote in an epoch.
	vote struct{ Epoch int }
	// voteAck gives it, with the newest value that is stored there.
	voteAck struct {
		Epoch int
		Cell  cell
	}
)

// Requests of clients, and the answer to both.
type (
	get    struct{}
	put    struct{ Value string }
	answer struct {
		Value   string
		OK      bool // it was done
		Unknown bool // if not OK: it may have been, or will
	}
)
