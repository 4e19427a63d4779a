package timeline_test

import (
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

func TestDescribeShowsContents(t *testing.T) {
	content := kernel.Str("content", "{Term:2}")
	for _, c := range []struct {
		r    kernel.Record
		want string
	}{
		{kernel.Record{Kind: "net/send", Attrs: []kernel.Attr{kernel.Str("to", "n2"), kernel.Str("type", "vote"), content}}, "→ n2 vote: {Term:2}"},
		{kernel.Record{Kind: "net/deliver", Attrs: []kernel.Attr{kernel.Str("from", "n1"), kernel.Int("copy", 1), kernel.Str("type", "vote"), content}}, "← n1 a copy of vote: {Term:2}"},
		{kernel.Record{Kind: "mine", Attrs: []kernel.Attr{content}}, "mine content={Term:2}"},
	} {
		if got := timeline.Describe(&c.r); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
