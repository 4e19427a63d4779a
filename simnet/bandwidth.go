package simnet

import (
	"math/bits"
	"reflect"
	"time"
)

// Sizer is implemented by messages that say how large they are on the line. Of
// others the network adds up the sizes of their numbers, texts and bytes, and
// 32 bytes for the headers. Only links with a bandwidth ask.
type Sizer interface {
	// Size returns the number of bytes; less than 1 counts as 1.
	Size() int
}

// headers is what a datagram's headers take.
const headers = 32

// sizeOf returns the size of a message in bytes, at least 1.
func sizeOf(msg any) int64 {
	if s, ok := msg.(Sizer); ok {
		return min(max(int64(s.Size()), 1), maxBytes)
	}
	if msg == nil {
		return headers
	}
	return min(headers+contentSize(reflect.ValueOf(msg), 0), maxBytes)
}

// maxDepth bounds how deep a message is followed, against cycles.
const maxDepth = 32

func contentSize(v reflect.Value, depth int) int64 {
	if depth > maxDepth {
		return 0
	}
	sum := int64(0)
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return int64(v.Len())
		}
		for i := range v.Len() {
			sum += contentSize(v.Index(i), depth+1)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return contentSize(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !hidden(v.Type(), v.Type().Field(i)) {
				sum += contentSize(v.Field(i), depth+1)
			}
		}
	case reflect.Map:
		//faultline:allow map-range the sizes are added up, in any order
		for it := v.MapRange(); it.Next(); {
			sum += contentSize(it.Key(), depth+1) + contentSize(it.Value(), depth+1)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return 8 // on every machine
	default:
		return int64(v.Type().Size())
	}
	return sum
}

// timeFor returns how long so many bytes take, rounded up to nanoseconds.
func timeFor(size, bandwidth int64) time.Duration {
	hi, lo := bits.Mul64(uint64(size), uint64(time.Second))
	lo, carry := bits.Add64(lo, uint64(bandwidth-1), 0)
	hi += carry
	if hi >= uint64(bandwidth) {
		return MaxDelay
	}
	q, _ := bits.Div64(hi, lo, uint64(bandwidth))
	return time.Duration(min(q, uint64(MaxDelay)))
}

// bytesIn returns how many bytes fit through in d.
func bytesIn(d time.Duration, bandwidth int64) int64 {
	hi, lo := bits.Mul64(uint64(d), uint64(bandwidth))
	if hi >= uint64(time.Second) {
		return maxBytes
	}
	q, _ := bits.Div64(hi, lo, uint64(time.Second))
	return int64(min(q, maxBytes))
}
