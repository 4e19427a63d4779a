// Package isolation checks the transactions of a history for the anomalies that
// isolation levels forbid.
package isolation
