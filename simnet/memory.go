package simnet

import (
	"reflect"
	"unsafe"
)

// Digests read messages in place, because copying each field through package
// reflect takes longer than all the rest of sending it. This file is the only
// one that touches memory. Addresses serve to read values, and to know a
// reference that is met again; none of them is mixed into a digest.

// place is where a value is.
//
//faultline:allow address values are read there; the address decides nothing
type place = unsafe.Pointer

// load returns the value at p, which must be of type T.
func load[T any](p place) T { return *(*T)(p) }

// after returns the place so many bytes behind p, in the same value.
//
//faultline:allow address values are read there; the address decides nothing
func after(p place, offset uintptr) place { return unsafe.Add(p, offset) }

// bytesAt returns the n bytes of an array.
//
//faultline:allow address values are read there; the address decides nothing
func bytesAt(p place, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// bytesOf returns the bytes of a text, which must not be changed.
//
//faultline:allow address values are read there; the address decides nothing
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// listAt returns the first element and the length of a slice of any type.
func listAt(p place) (first place, length int) {
	b := load[[]byte](p) // its length counts elements
	//faultline:allow address values are read there; the address decides nothing
	return place(unsafe.SliceData(b)), len(b)
}

// reveal returns a field of a struct that can be set as one that may be, also
// when its name is not exported.
func reveal(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
}

// flipNumber flips a bit of a number, counted from its lowest one; of a complex
// number, from that of its first part on.
func flipNumber(v reflect.Value, bit uint64) {
	p, size := v.Addr().UnsafePointer(), v.Type().Size()
	if k := v.Kind(); k == reflect.Complex64 || k == reflect.Complex128 {
		size /= 2
		p, bit = after(p, uintptr(bit/8)/size*size), bit%(uint64(size)*8)
	}
	switch size {
	case 1:
		*(*uint8)(p) ^= 1 << bit
	case 2:
		*(*uint16)(p) ^= 1 << bit
	case 4:
		*(*uint32)(p) ^= 1 << bit
	default:
		*(*uint64)(p) ^= 1 << bit
	}
}
