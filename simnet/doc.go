// Package simnet simulates a datagram network.
package simnet
