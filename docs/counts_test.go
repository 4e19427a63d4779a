package docs

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
)

// The numbers of kinds in the list of changes are those of the code.
func TestCountsOfKinds(t *testing.T) {
	drawn := map[fault.Kind]bool{}
	for _, r := range fault.Default() {
		drawn[r.Kind] = true
	}
	text := strings.Join(strings.Fields(read(t, filepath.Join(root(t), "CHANGELOG.md"))), " ")
	for _, want := range []string{
		fmt.Sprintf("faults of %d kinds as data", len(fault.Kinds())),
		fmt.Sprintf("The default rules draw from %d kinds", len(drawn)),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("CHANGELOG.md does not say %q", want)
		}
	}
}
