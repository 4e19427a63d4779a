package etcdraft

// StateMachine is the state that the nodes replicate. It must be
// deterministic: the same commands in the same order give the same results and
// the same snapshots. The slices that its methods are given and those that they
// return must not be changed, then or later. One that has a method
// Describe(command []byte) string as well has its commands told in words.
type StateMachine interface {
	// Apply carries out a command and returns what its client is told.
	Apply(command []byte) []byte
	// Query answers a read, which changes nothing.
	Query(query []byte) []byte
	// Snapshot encodes the whole state; equal states give equal bytes.
	Snapshot() []byte
	// Restore replaces the state by one that Snapshot has encoded.
	Restore(snapshot []byte) error
}
