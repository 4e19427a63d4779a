package artifact

import (
	"strconv"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/strictjson"
)

// AppendRecord appends a record as one line of trace.jsonl, without the
// newline, and returns the extended slice. In a line that would be longer than
// [MaxLine] texts are cut, and then attributes left out; an attribute
// "cut" tells it.
func AppendRecord(dst []byte, r *kernel.Record) []byte {
	start := len(dst)
	dst = appendRecord(dst, r, -1)
	if len(dst)-start <= MaxLine {
		return dst
	}
	short := *r
	short.Attrs = append([]kernel.Attr(nil), r.Attrs[:min(len(r.Attrs), 256)]...)
	short.Attrs = append(short.Attrs, kernel.Attr{Key: "cut", Type: kernel.AttrBool, Num: 1})
	short.Node, short.Kind = head(r.Node, 1024), head(r.Kind, 1024)
	return appendRecord(dst[:start], &short, 512)
}

func appendRecord(b []byte, r *kernel.Record, limit int) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendUint(b, r.Index, 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, int64(r.Time), 10)
	b = append(b, `,"event":`...)
	b = strconv.AppendUint(b, r.Event, 10)
	b = append(b, `,"cause":`...)
	b = strconv.AppendUint(b, r.Cause, 10)
	if r.Node != "" {
		b = append(b, `,"node":`...)
		b = strictjson.AppendString(b, r.Node)
		b = append(b, `,"boot":`...)
		b = strconv.AppendInt(b, int64(r.Boot), 10)
	}
	b = append(b, `,"kind":`...)
	b = strictjson.AppendString(b, r.Kind)
	if len(r.Attrs) > 0 {
		b = append(b, `,"attrs":{`...)
		for i := range r.Attrs {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendKey(b, r.Attrs, i, limit)
			b = appendAttr(b, &r.Attrs[i], limit)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendKey appends the key of an attribute. A key that came before gets the
// number of its repetition.
func appendKey(b []byte, attrs []kernel.Attr, i, limit int) []byte {
	key := attrs[i].Key
	n := 1
	for j := range i {
		if attrs[j].Key == key {
			n++
		}
	}
	if n > 1 {
		key += "#" + strconv.Itoa(n)
	}
	return append(strictjson.AppendString(b, head(key, limit)), ':')
}

func appendAttr(b []byte, a *kernel.Attr, limit int) []byte {
	switch a.Type {
	case kernel.AttrString:
		return strictjson.AppendString(b, head(a.Text, limit))
	case kernel.AttrUint:
		return strconv.AppendUint(b, uint64(a.Num), 10)
	case kernel.AttrBool:
		return strconv.AppendBool(b, a.Num != 0)
	case kernel.AttrDur:
		b = append(b, `{"ns":`...)
		b = strconv.AppendInt(b, a.Num, 10)
		return append(b, '}')
	case kernel.AttrHash:
		b = append(b, `{"hash":"`...)
		for shift := 60; shift >= 0; shift -= 4 {
			b = append(b, "0123456789abcdef"[uint64(a.Num)>>shift&15])
		}
		return append(b, `"}`...)
	}
	return strconv.AppendInt(b, a.Num, 10)
}

// head returns the first limit bytes of s, in whole characters; all of them if
// limit is negative.
func head(s string, limit int) string {
	if limit < 0 || len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
