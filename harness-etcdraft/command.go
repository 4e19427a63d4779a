package etcdraft

import (
	"encoding/binary"
	"fmt"
)

// commandKind says what an entry of the log asks for.
type commandKind uint8

const (
	commandWrite commandKind = 1 + iota // apply the payload
	commandRead                         // query with the payload, at this place of the log
)

// Command is the content of a normal entry of the log: a request of a client.
type Command struct {
	Client uint64 // number of the session, from 1
	Seq    uint64 // number of the request in the session, from 1
	Read   bool   // a query, else a command that changes the state
	Data   []byte // what the state machine is given
}

// encode returns the data of the entry.
func (c *Command) encode() []byte {
	b := make([]byte, 0, 1+2*binary.MaxVarintLen64+len(c.Data))
	k := commandWrite
	if c.Read {
		k = commandRead
	}
	b = append(b, byte(k))
	b = binary.AppendUvarint(b, c.Client)
	b = binary.AppendUvarint(b, c.Seq)
	return append(b, c.Data...)
}

// decodeCommand reads the data of an entry.
func decodeCommand(b []byte) (Command, error) {
	if len(b) == 0 || commandKind(b[0]) != commandWrite && commandKind(b[0]) != commandRead {
		return Command{}, fmt.Errorf("an entry of the log holds %x, which is no command", b)
	}
	c := Command{Read: commandKind(b[0]) == commandRead}
	rest := b[1:]
	for _, v := range []*uint64{&c.Client, &c.Seq} {
		x, n := binary.Uvarint(rest)
		if n <= 0 {
			return Command{}, fmt.Errorf("an entry of the log holds %x, which is no command", b)
		}
		*v, rest = x, rest[n:]
	}
	c.Data = rest
	return c, nil
}
