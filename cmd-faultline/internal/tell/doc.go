// Package tell says what records mean in whole sentences, and strings the
// sentences of causes together.
package tell
