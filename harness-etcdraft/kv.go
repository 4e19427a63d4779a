package etcdraft

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// KV is the key-value store that the nodes replicate by default. The zero
// value cannot be used; see [NewKV].
type KV struct{ values map[string]string }

// NewKV returns an empty store.
func NewKV() *KV { return &KV{values: map[string]string{}} }

// KVOp is an operation on the store. It is the input of the operations in the
// history.
type KVOp struct {
	Kind  string // put, get, cas or delete
	Key   string // which key
	Value string // of a put; the new value of a cas
	Old   string // of a cas: the value that the key must have
}

// String returns the operation in a few characters, such as "x=c1-7".
func (o KVOp) String() string {
	switch o.Kind {
	case "put":
		return o.Key + "=" + o.Value
	case "cas":
		return o.Key + ": " + o.Old + " to " + o.Value
	}
	return o.Key
}

// kvKinds are the operations by their code.
var kvKinds = [...]string{"put", "get", "cas", "delete"}

// Encode returns the operation as a command, or as a query for a get.
func (o KVOp) Encode() []byte {
	b := []byte{byte(slices.Index(kvKinds[:], o.Kind))}
	for _, s := range []string{o.Key, o.Value, o.Old} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// kvCommand is an encoded operation, taken apart.
type kvCommand struct {
	kind            string
	key, value, old []byte
}

// decodeKV reads a command.
func decodeKV(b []byte) (c kvCommand, ok bool) {
	if len(b) == 0 || int(b[0]) >= len(kvKinds) {
		return c, false
	}
	c.kind, b = kvKinds[b[0]], b[1:]
	for _, s := range [...]*[]byte{&c.key, &c.value, &c.old} {
		if *s, b, ok = cutText(b); !ok {
			return c, false
		}
	}
	return c, true
}

// cutText reads a text with its length before it.
func cutText(b []byte) (text, rest []byte, ok bool) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, nil, false
	}
	b = b[k:]
	return b[:n], b[n:], true
}

// Describe returns a command in a few characters, such as "put x=c1-7".
func (s *KV) Describe(command []byte) string {
	c, ok := decodeKV(command)
	if !ok {
		return fmt.Sprintf("%x", command)
	}
	return c.kind + " " + KVOp{Kind: c.kind, Key: string(c.key), Value: string(c.value), Old: string(c.old)}.String()
}

// Apply carries out a put, a cas or a delete. The result is the value of the
// key afterwards; of a cas, it begins with "ok" or "no" and a space.
func (s *KV) Apply(command []byte) []byte {
	c, ok := decodeKV(command)
	if !ok {
		return nil
	}
	switch c.kind {
	case "put":
		s.values[string(c.key)] = string(c.value)
		return c.value
	case "delete":
		delete(s.values, string(c.key))
		return nil
	case "cas":
		if s.values[string(c.key)] != string(c.old) {
			return []byte("no " + s.values[string(c.key)])
		}
		s.values[string(c.key)] = string(c.value)
		return append([]byte("ok "), c.value...)
	}
	return []byte(s.values[string(c.key)])
}

// Query answers a get with the value of the key, empty when it has none.
func (s *KV) Query(query []byte) []byte {
	c, ok := decodeKV(query)
	if !ok {
		return nil
	}
	return []byte(s.values[string(c.key)])
}

// Snapshot encodes the store, sorted by key.
func (s *KV) Snapshot() []byte {
	var b []byte
	for _, k := range slices.Sorted(maps.Keys(s.values)) {
		for _, t := range []string{k, s.values[k]} {
			b = binary.AppendUvarint(b, uint64(len(t)))
			b = append(b, t...)
		}
	}
	return b
}

// Restore replaces the store.
func (s *KV) Restore(snapshot []byte) error {
	clear(s.values)
	for len(snapshot) > 0 {
		var kv [2][]byte
		for i := range kv {
			var ok bool
			if kv[i], snapshot, ok = cutText(snapshot); !ok {
				return fmt.Errorf("etcdraft: a snapshot of the key-value store is cut short")
			}
		}
		s.values[string(kv[0])] = string(kv[1])
	}
	return nil
}
