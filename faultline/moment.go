package faultline

import (
	"fmt"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// moment says what a fault waits for, such as "when n3 has received its 12th
// message since 0.052772s".
func moment(f *fault.Fault) string {
	w := f.When
	node := w.Node
	if node == "" {
		node = "a node"
	}
	text := ""
	switch {
	case w.Op != "":
		text = node + " is about to " + present(w.Op) + " "
		if w.After {
			text = node + " has " + past(w.Op) + " "
		}
		text += one(w) + " " + object(w)
	case w.Point != "":
		text = node + " is at the point " + w.Point + again(w)
	default:
		text = fmt.Sprintf("the state %q begins", w.State) + again(w)
	}
	if f.At > 0 {
		text += fmt.Sprintf(" since %v", kernel.Time(f.At))
	}
	return "when " + text
}

// present and past are the verbs of an operation: messages are sent and
// received, the others done.
func present(op string) string {
	if op == "send" || op == "receive" {
		return op
	}
	return "do"
}

func past(op string) string {
	switch op {
	case "send":
		return "sent"
	case "receive":
		return "received"
	}
	return "done"
}

// object names what the operation of a trigger is on.
func object(w fault.Trigger) string {
	switch {
	case present(w.Op) == "do" && w.File != "":
		return w.Op + " of " + w.File
	case present(w.Op) == "do":
		return w.Op
	case w.Message != "":
		return w.Message
	}
	return "message"
}

// one says which of its operations a trigger waits for.
func one(w fault.Trigger) string {
	if w.Chance > 0 {
		return "a"
	}
	return "its " + ordinal(max(w.Nth, 1))
}

// again is one for what is not an operation.
func again(w fault.Trigger) string {
	if w.Chance > 0 {
		return ""
	}
	return " for the " + ordinal(max(w.Nth, 1)) + " time"
}

// ordinal is like "1st", "2nd" or "12th".
func ordinal(n int) string {
	ending := "th"
	if tens := n / 10 % 10; tens != 1 && n%10 <= 3 {
		ending = [...]string{"th", "st", "nd", "rd"}[n%10]
	}
	return fmt.Sprint(n) + ending
}
