package catchupcommit

// entry is a put in the log. A new leader begins its term with an empty one.
type entry struct {
	Term  int
	Value string
	put   request // who waits for it, at the leader that took it
}

// request is a client's, kept until it is answered.
type request struct {
	from string
	id   int
}

// Messages between the servers.
type (
	// voteRequest asks for a vote in a term, by a server whose log ends with
	// this entry.
	voteRequest struct{ Term, Last, LastTerm int }
	voteReply   struct {
		Term    int
		Granted bool
	}
	// appendRequest brings the entries after an index, which must be of this
	// term, and says up to where entries are committed.
	appendRequest struct {
		Term, Prev, PrevTerm int
		Entries              []entry
		Commit               int
	}
	// appendReply says up to where the log is that of the leader; if not OK,
	// where to try.
	appendReply struct {
		Term  int
		OK    bool
		Match int
	}
)

// refused is the answer of a server that does not lead.
type refused struct{}
