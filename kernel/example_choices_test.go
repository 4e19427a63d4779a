package kernel_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Choice number 5 is the same whether or not choices 1 to 4 were asked for.
func ExampleStream() {
	dice := kernel.NewStream(42, "dice")
	fmt.Println(dice.Between(5, 1, 6), dice.Between(5, 1, 6))
	fmt.Println(dice.Derive("red").At(0) == dice.Derive("blue").At(0))
	// Output:
	// 2 2
	// false
}

// A caller without numbers of its own reads one choice after the other.
func ExampleSeq() {
	q := kernel.Seq{Stream: kernel.NewStream(42, "dice")}
	for range 3 {
		fmt.Print(q.Between(1, 6), " ")
	}
	fmt.Println("after", q.N)
	// Output: 5 2 3 after 3
}

// A component settles each deviation at a point with a name. What was settled
// otherwise than by the default 0 is kept, and can be replayed.
func ExampleChoicePoint() {
	s := kernel.New(kernel.Config{Seed: 1, Level: kernel.LevelFull})
	late := s.ChoicePoint("bus/late")
	for n := range uint64(100) {
		drawn := int64(0)
		if late.Stream().PPM(n, 20_000) { // two in a hundred
			drawn = int64(3 * time.Minute)
		}
		late.Settle(n, drawn)
	}
	for _, c := range s.Choices() {
		fmt.Println(c.Point, c.N, time.Duration(c.Value))
	}
	// Output:
	// bus/late 35 3m0s
	// bus/late 92 3m0s
}
