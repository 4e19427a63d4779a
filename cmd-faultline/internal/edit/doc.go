// Package edit changes schedules: it drops and keeps entries and moves faults
// in time. What it returns is valid; what was given is not changed.
//
// A fault is named by its id, its kind, or its place in the list from 1; '*'
// in an id or kind stands for any text. Choices are named by their point in
// the same way. The recorded failure that a schedule expects is kept as it is:
// it says what the schedule was cut from.
package edit
