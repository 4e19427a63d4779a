package faultline

// Version is the version of this module and of all of faultline's modules.
// Test binaries carry no list of their dependencies, so it is a constant; a
// test holds it against the workspace.
const Version = "v0.1.0"
