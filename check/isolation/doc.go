// Package isolation checks the transactions of a history for the anomalies that
// isolation levels forbid.
//
// A transaction is an operation with accesses: what it read, wrote or appended
// ([history.Op.Read], [history.Op.Write], [history.Op.Append]). A key holds
// either a single value, which is written, or a list, to which values are
// appended and which is read as a whole. Every value is written to a key once.
// Values are compared as in package check: with ==, or part by part, unexported
// fields too, and pointers by what variable they point to.
//
// # How it works
//
// The method is that of Kingsbury and Alvaro (Elle: Inferring Isolation Anomalies
// from Experimental Observations, VLDB 2020). From what transactions read follows
// which one must come before which other one:
//
//   - ww: it wrote a version, and the other one the next version.
//   - wr: it wrote a version that the other one read.
//   - rw: it read a version, and the other one wrote the next one.
//   - session: both are of one process, one after the other.
//   - real time: it had returned before the other one was called.
//
// The versions of a list are in the order in which the longest read shows them;
// values that nobody saw come after those. Of a single value only these are
// known: nothing comes before every write, a transaction that read a version
// and wrote one wrote a later one, and of two versions that one transaction read
// the one came after the other. [Checker.Versions] can give the whole order.
//
// A cycle is an anomaly, whose sort depends on the kinds of its edges. Of each
// set of transactions that are in cycles together the worst sort is reported,
// with a smallest cycle, and for each edge the reason. A variant with session or
// real-time order is reported only if it refutes a level that is not refuted yet.
//
// # Outcomes
//
// The writes of a transaction whose outcome is unknown count once somebody has
// seen one of them; what it read does not count. What failed must not be seen.
// Events tell real time: two transactions of which one ends and the other begins
// in the same event are concurrent, unless they are of one process.
//
// # Limits
//
// A level that [Result.Holds] is one that nothing was found against. On lists
// that a last transaction reads as a whole, for serializable and snapshot
// isolation, also strict and strong, that is exact, and so it is on registers whose
// versions are given; tests compare it with a search through all orders, and with
// the definitions. Predicates are not judged: no phantoms, no G2 beyond items. The search for the smallest cycles of very many transactions takes a
// bounded number of steps; [Result.Incomplete] says if they did not suffice.
//
// A million transactions of two to four accesses on lists of up to 50 values take
// 3.8 to 4.4 s of processor time, garbage collection included, and 0.96 GB, of which
// the history itself is 0.42 GB. Graphs of up to 200 nodes are searched by gograph,
// larger ones by a compact graph.
package isolation
