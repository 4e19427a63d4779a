package simnet

import (
	"math"
	"reflect"
)

// program is the walk over the values of one type: steps for the numbers and
// texts that lie in the value itself, those of inner structs among them, and
// calls for what is reached from there.
//
// Steps load values by their types, each at its offset. Memory is never taken
// as bytes, but where the Go type is bytes: so the digest does not depend on
// the order of bytes, the size of an int or the padding of the machine.
type program struct {
	steps  []step
	values int // structs that it walks over, see maxValues
}

// step is one value.
type step struct {
	code   code
	length int // of an array of bytes
	offset uintptr
	call   walker
}

type code uint8

const (
	stepCall code = iota
	stepBool
	stepInt
	stepInt8
	stepInt16
	stepInt32
	stepInt64
	stepUint
	stepUint8
	stepUint16
	stepUint32
	stepUint64
	stepUintptr
	stepFloat32
	stepFloat64
	stepComplex64
	stepComplex128
	stepText
	stepBytes
	stepByteArray
)

// codes are the steps of the kinds that are walked over in one.
var codes = [...]code{
	reflect.Bool: stepBool, reflect.Int: stepInt, reflect.Int8: stepInt8, reflect.Int16: stepInt16,
	reflect.Int32: stepInt32, reflect.Int64: stepInt64, reflect.Uint: stepUint, reflect.Uint8: stepUint8,
	reflect.Uint16: stepUint16, reflect.Uint32: stepUint32, reflect.Uint64: stepUint64, reflect.Uintptr: stepUintptr,
	reflect.Float32: stepFloat32, reflect.Float64: stepFloat64, reflect.Complex64: stepComplex64,
	reflect.Complex128: stepComplex128, reflect.String: stepText,
}

// call makes the program a call of w.
func (r *program) call(w walker) { r.steps = []step{{code: stepCall, call: w}} }

// add appends the program of a field at an offset.
func (r *program) add(field *program, offset uintptr) {
	r.values += field.values
	for _, s := range field.steps {
		s.offset += offset
		r.steps = append(r.steps, s)
	}
}

// run walks over the value at p.
func (r *program) run(d *digest, p place) {
	if d.left -= r.values; d.left < 0 {
		return
	}
	sum := d.sum // in a register
	for i := range r.steps {
		s := &r.steps[i]
		at := after(p, s.offset)
		switch s.code {
		case stepCall:
			d.sum = sum
			s.call(d, at)
			sum = d.sum
		case stepText:
			sum = mixText(sum, load[string](at))
		case stepBytes:
			sum = mixBytes(sum, load[[]byte](at))
		case stepByteArray:
			sum = mixBytes(sum, bytesAt(at, s.length))
		case stepComplex64, stepComplex128:
			re, im := complexParts(s.code, at)
			sum = mix(mix(sum, re), im)
		case stepUint64:
			sum = mix(sum, load[uint64](at))
		default:
			sum = mix(sum, number(s.code, at))
		}
	}
	d.sum = sum
}

// number loads a number of one of the plain types.
func number(c code, p place) uint64 {
	switch c {
	case stepInt64:
		return uint64(load[int64](p))
	case stepInt:
		return uint64(load[int](p))
	case stepUint32:
		return uint64(load[uint32](p))
	case stepInt32:
		return uint64(load[int32](p))
	case stepUint8:
		return uint64(load[uint8](p))
	case stepBool:
		if load[bool](p) {
			return 1
		}
		return 0
	case stepUint:
		return uint64(load[uint](p))
	case stepInt8:
		return uint64(load[int8](p))
	case stepInt16:
		return uint64(load[int16](p))
	case stepUint16:
		return uint64(load[uint16](p))
	case stepUintptr:
		return uint64(load[uintptr](p))
	case stepFloat32:
		//faultline:allow float the bits of a number are read, nothing is computed
		return math.Float64bits(float64(load[float32](p)))
	default: // stepFloat64
		//faultline:allow float the bits of a number are read, nothing is computed
		return math.Float64bits(load[float64](p))
	}
}

// complexParts loads the two parts of a complex number.
func complexParts(c code, p place) (re, im uint64) {
	part, size := stepFloat64, uintptr(8)
	if c == stepComplex64 {
		part, size = stepFloat32, 4
	}
	return number(part, p), number(part, after(p, size))
}
