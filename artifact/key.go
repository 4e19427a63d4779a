package artifact

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
)

// Key says which run an artifact is of.
type Key struct {
	Package string // import path of the test's package
	Test    string // full name of the test, slashes and all
	Seed    uint64 // seed of the run
	Variant string // of several runs of the seed, see [Report]
}

// Dir returns the directory of the key's artifact below the root:
// <package>/<test>/<seed>, each one element, with "-" and the variant after the
// seed if there is one. Elements of different names differ, also where letter
// case does not count, and are valid on Windows.
func (k Key) Dir() string {
	run := Hex64(k.Seed).String()
	if k.Variant != "" {
		run += "-" + SafeName(k.Variant)
	}
	return filepath.Join(SafeName(k.Package), SafeName(k.Test), run)
}

// String names the run, for people.
func (k Key) String() string {
	text := fmt.Sprintf("%s of %s, seed %v", k.Test, k.Package, Hex64(k.Seed))
	if k.Variant != "" {
		text += ", variant " + k.Variant
	}
	return text
}

const maxElement = 100

// SafeName makes any text a file name that is valid on all systems. Letters,
// digits, '.', '-', '_' and ',' stand for themselves, '/' becomes '+', and each
// other byte '=' and two hexadecimal digits. If there are capital letters, '~'
// and the places of them among the letters follow, as a hexadecimal number, so
// that names that differ only in case are not the same file. A long name is
// cut, and marked with "~~" and the beginning of its SHA-256.
func SafeName(name string) string {
	if name == "" {
		return "="
	}
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		edge := i == 0 && (c == '.' || c == '-') || i == len(name)-1 && c == '.'
		switch {
		case c == '/':
			b.WriteByte('+')
		case plain(c) && !edge && !(i == 0 && reserved(name)):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	b.WriteString(capitals(name))
	if b.Len() <= maxElement {
		return b.String()
	}
	sum := sha256.Sum256([]byte(name))
	head := strings.TrimRight(b.String()[:60], ".=")
	return fmt.Sprintf("%s~~%x", head, sum[:8])
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(".-_,", c) >= 0
}

// capitals returns the places of the capital letters, the first letter being
// the lowest bit of the last digit.
func capitals(name string) string {
	var digits []byte
	any, letters := false, 0
	for i := range len(name) {
		c := name[i] | 0x20
		if c < 'a' || c > 'z' {
			continue
		}
		if letters%4 == 0 {
			digits = append(digits, 0)
		}
		if name[i] != c {
			any = true
			digits[letters/4] |= 1 << (letters % 4)
		}
		letters++
	}
	if !any {
		return ""
	}
	var b strings.Builder
	b.WriteByte('~')
	started := false
	for i := len(digits) - 1; i >= 0; i-- {
		if started = started || digits[i] != 0; started {
			b.WriteByte("0123456789abcdef"[digits[i]])
		}
	}
	return b.String()
}

// reserved reports whether Windows takes the name for a device.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "com" || stem[:3] == "lpt") && stem[3] >= '0' && stem[3] <= '9'
}

// PinDir returns the directory of the pinned failures of a test, relative to
// the directory of its package: testdata/faultline/<test>. A test's name that
// is not only letters, digits and '_', such as that of a subtest, is made a
// file name by [SafeName].
func PinDir(test string) string {
	simple := test != ""
	for i := range len(test) {
		c := test[i]
		simple = simple && plain(c) && strings.IndexByte(".-,", c) < 0
	}
	if !simple {
		test = SafeName(test)
	}
	return filepath.Join("testdata", "faultline", test)
}

const maxPinCheck = 40 // bytes of a check in the name of a pin

// PinName returns the name of the pinned failure of a check in the run of a seed,
// without .json, such as "one-leader-0000000000000007": what letters and digits
// the check has, in lower case, and the seed.
func PinName(check string, seed uint64) string {
	var b strings.Builder
	for _, c := range strings.ToLower(check) {
		if b.Len() >= maxPinCheck {
			break
		}
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if name == "" {
		name = "seed"
	}
	return fmt.Sprintf("%s-%016x", name, seed)
}
