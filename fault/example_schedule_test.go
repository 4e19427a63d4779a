package fault_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/fault"
)

// A schedule is a file that can be read and edited. What cannot be is refused,
// with the place.
func ExampleSchedule() {
	s, err := fault.ParseSchedule([]byte(`{"format":"faultline/schedule","version":1,"seed":"0x2a","duration":"10s","quiet":"8s",
		"faults":[{"id":"a","kind":"kill","at":"1s","for":"20ms","nodes":["n1"]}],"choices":[]}`), "mine.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Count())
	fmt.Println(s.Faults[0].Kind, s.Faults[0].At, s.Validate())
	_, err = fault.ParseSchedule([]byte(`{"format":"faultline/schedule","version":1,"seed":"0x2a","duration":"10s","quiet":"8s","faults":[],"choices":[],"fault":[]}`), "mine.json")
	fmt.Println(err)
	// Output:
	// 1 0 0
	// kill 1s <nil>
	// mine.json:1: field fault: it is not part of the format; correct or remove it
}
