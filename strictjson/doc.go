// Package strictjson reads JSON files as a file format wants them read: nothing
// unknown, nothing missing, nothing twice, and errors that name the file, the
// line, the field and what to do about it.
//
// encoding/json lets pass what a format should not: repeated fields, missing
// ones, null for anything, other letter case; and its errors do not say where.
// So [Document.Decode] walks the text along the type first and leaves the
// decoding to encoding/json.
//
// # Limits
//
// A type is made of structs, slices, strings, booleans, integers, types that
// unmarshal text, and json.RawMessage for what is not looked into. Maps,
// floating-point numbers and embedded structs are not for it. The text is in
// memory as a whole, and its size is the caller's to bound.
package strictjson
