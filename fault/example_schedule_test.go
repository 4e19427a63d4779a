package fault_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/fault"
)

// A schedule as it is in a file, and what it holds.
func ExampleSchedule() {
	s, err := fault.ParseSchedule([]byte(`{
  "format": "faultline/schedule", "version": 1, "test": "TestKV", "seed": "0x7", "duration": "4s", "quiet": "3s",
  "faults": [{"id": "kill#1", "kind": "kill", "at": "1s", "for": "500ms", "target": {"nodes": ["n1"]}, "nodes": ["n1"], "outcome": "fired"}],
  "choices": [
    {"point": "net/c1>n1/drop", "n": 4, "value": 1, "time": "900ms"},
    {"point": "work/c1/op", "n": 2, "value": 800000000, "time": "800ms"}]
}`), "schedule.json")
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	faults, choices, operations := s.Count()
	fmt.Println(faults, "fault,", choices, "choice,", operations, "operation")
	again, err := fault.ParseSchedule(s.Encode(), "again.json")
	fmt.Println(again.Faults[0].Kind, err)
	// Output:
	// 1 fault, 1 choice, 1 operation
	// kill <nil>
}
