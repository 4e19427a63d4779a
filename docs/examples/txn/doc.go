// Package txn is a small transactional store, written to show how a run is
// judged for isolation.
//
// One server keeps lists. A client reads lists and appends to them in
// transactions of several requests. A transaction sees the lists as they were
// when it began; its own appends stay with it until it commits, and it commits
// only if nobody has changed since then what it read or appended to (Kung,
// Robinson: On Optimistic Methods for Concurrency Control, ACM TODS 6, 1981).
// A key that one transaction appends to is locked for others.
//
// The promise: transactions are strictly serializable, whatever happens to
// messages and however long the server stands still. The store is kept in memory,
// so crashes are left out.
//
// [Bugs] plants one bug for each isolation level. The tests show that each one is
// found, and with which anomaly.
package txn
