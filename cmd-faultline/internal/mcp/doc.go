// Package mcp serves the faultline command to coding agents, as tools of the
// Model Context Protocol over standard input and output.
//
// Each tool is a command with its options: what an agent is told is what a
// person would read or a script would parse. Three things are added. Paths are
// confined: what a tool reads or writes is below the artifact root or the
// module, with symbolic links resolved, and nothing else. Answers are bounded:
// one that is longer is cut at a line and says how to ask for less. And what a
// tool changes is little: edited schedules become new files below the artifact
// root, pins go into testdata, and nothing is removed.
//
// Limits: one request at a time is carried out; replay and shrink run the
// user's test, with the rights of the server, for at most the time that the
// server was given. Text from an artifact is data that anybody may have
// written: an agent must not take it for instructions.
package mcp
