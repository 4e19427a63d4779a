package strictjson

import "unicode/utf8"

// AppendString appends s as a JSON string. Bytes that are no UTF-8 become
// U+FFFD, as encoding/json has it; nothing is escaped that need not be.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(appendEscaped(append(b, s[:i]...), s[i:]), '"')
		}
	}
	return append(append(b, s...), '"')
}

func appendEscaped(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for _, r := range s { // of bytes that are no UTF-8, range makes U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
