package faultline

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// A seed is written as 0x and sixteen hexadecimal digits everywhere.
func seedText(seed uint64) string { return fmt.Sprintf("0x%016x", seed) }

// parseSeed reads a seed in decimal or, after 0x, in hexadecimal.
func parseSeed(text string) (uint64, error) {
	digits, base := text, 10
	if len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") {
		digits, base = text[2:], 16
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil || base == 10 && len(digits) > 1 && digits[0] == '0' {
		return 0, fmt.Errorf("%q is not a seed; write 0x and up to 16 hexadecimal digits, or a decimal number", text)
	}
	return v, nil
}

// seedStream returns the list of seeds that belongs to a test, the same on
// every machine, or to a base seed if that is not 0.
func seedStream(test string, base uint64) kernel.Stream {
	from := kernel.NewStream(base, "seeds")
	if base == 0 {
		from = from.Derive(test)
	}
	return from
}

// parseSeedList reads seeds separated by commas or white space, from the text
// itself or, after an @, from a file with # comments.
func parseSeedList(text string) ([]uint64, error) {
	if path, isFile := strings.CutPrefix(text, "@"); isFile {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var lines []string
		for line := range strings.Lines(string(data)) {
			line, _, _ = strings.Cut(line, "#")
			lines = append(lines, line)
		}
		text = strings.Join(lines, " ")
	}
	var seeds []uint64
	seen := map[uint64]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		seed, err := parseSeed(word)
		if err != nil {
			return nil, err
		}
		if seen[seed] {
			return nil, fmt.Errorf("seed %s is in the list twice; each is run once", seedText(seed))
		}
		seen[seed] = true
		seeds = append(seeds, seed)
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("the list of seeds is empty")
	}
	return seeds, nil
}

// shardOf returns the first seed of this process's share of a list, the step
// from one to the next, and how many there are: seed i of the list is its own if
// i mod n is k.
func (e *environment) shardOf(seeds int) (first, every, count int) {
	if e.shards == 0 {
		return 0, 1, seeds
	}
	return e.shard, e.shards, (seeds - e.shard + e.shards - 1) / e.shards
}
