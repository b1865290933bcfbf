package manifest

import (
	"bytes"
	"encoding/json"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// Member is a member of a JSON object. Raw is its value as it stands in the text.
type Member struct{ Name, Raw []byte }

// IsJSON reports whether a text is one JSON value.
func IsJSON(raw []byte) bool {
	s := canonjson.NewScanner(raw)
	s.SkipSpace()
	return s.Skip() == nil && s.End() == nil
}

// AppendMembers appends the members of a JSON object that is known to be valid.
func AppendMembers(all []Member, raw []byte) []Member {
	for at := next(raw, next(raw, 0)+1); raw[at] != '}'; at = next(raw, at) {
		if raw[at] == ',' {
			at = next(raw, at+1)
		}
		end := endOf(raw, at)
		name := raw[at+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = unescaped(raw[at:end])
		}
		start := next(raw, next(raw, end)+1)
		at = endOf(raw, start)
		all = append(all, Member{name, raw[start:at]})
	}
	return all
}

// next returns where the next token begins.
func next(raw []byte, at int) int {
	for raw[at] <= ' ' {
		at++
	}
	return at
}

// endOf returns where the value ends that begins there.
func endOf(raw []byte, at int) int {
	switch raw[at] {
	case '"':
		return endOfString(raw, at)
	case '{', '[':
	default:
		return at + leading(raw[at:], &isWord)
	}
	for depth := 0; ; at++ {
		at += leading(raw[at:], &isNested)
		switch raw[at] {
		case '"':
			at = endOfString(raw, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
}

func endOfString(raw []byte, at int) int {
	for at++; ; at++ {
		at += leading(raw[at:], &isText)
		if raw[at] == '"' {
			return at + 1
		}
		at++ // what a backslash escapes
	}
}

// isWord says which bytes go on with a number or word.
var isWord = except("}], \t\r\n")

func unescaped(quoted []byte) []byte {
	var text string
	_ = json.Unmarshal(quoted, &text) // a valid string
	return []byte(text)
}

// Elements returns the elements of an array that is known to be valid JSON, as they stand in the text. It is false for another value.
func Elements(raw []byte) (all [][]byte, ok bool) {
	if at := next(raw, 0); raw[at] != '[' {
		return nil, false
	}
	all = [][]byte{}
	for at := next(raw, next(raw, 0)+1); raw[at] != ']'; at = next(raw, at) {
		if raw[at] == ',' {
			at = next(raw, at+1)
		}
		start := at
		at = endOf(raw, start)
		all = append(all, raw[start:at])
	}
	return all, true
}
