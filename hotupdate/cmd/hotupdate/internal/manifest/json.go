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

// AppendMembers appends the members of a JSON object that is known to be valid. Elements of an array have no names.
func AppendMembers(all []Member, raw []byte) []Member {
	at := next(raw, 0)
	isObject := raw[at] == '{'
	for at = next(raw, at+1); raw[at] != '}' && raw[at] != ']'; at = next(raw, at) {
		if raw[at] == ',' {
			at = next(raw, at+1)
		}
		var one Member
		if isObject {
			end := endOf(raw, at)
			one.Name = unquoted(raw[at:end])
			at = next(raw, next(raw, end)+1)
		}
		start := at
		at = endOf(raw, start)
		one.Raw = raw[start:at]
		all = append(all, one)
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
	for depth := 0; ; at++ {
		if depth > 0 {
			at += leading(raw[at:], &plain['}'])
		}
		switch raw[at] {
		case '"':
			for at += 1 + leading(raw[at+1:], &plain['"']); raw[at] != '"'; at += leading(raw[at:], &plain['"']) {
				at += 2 // a backslash, and what it escapes
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return at + leading(raw[at:], &isWord)
			}
		}
		if depth == 0 {
			return at + 1
		}
	}
}

// isWord says which bytes go on with a number or word.
var isWord = except("}], \t\r\n")

func unquoted(name []byte) []byte {
	if bytes.IndexByte(name, '\\') < 0 {
		return name[1 : len(name)-1]
	}
	var text string
	_ = json.Unmarshal(name, &text) // a valid string
	return []byte(text)
}
