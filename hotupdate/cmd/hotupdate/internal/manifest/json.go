package manifest

import (
	"bytes"
	"encoding/json"
	"io"
	"math"

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
	s := inMemory(raw)
	_ = s.elements('{', func(int) error {
		from, to, err := s.name()
		name := raw[from+1 : to-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			var text string
			_ = json.Unmarshal(raw[from:to], &text) // a valid string
			name = []byte(text)
		}
		value, _ := s.value()
		all = append(all, Member{name, value})
		return err
	})
	return all
}

// Elements returns the elements of an array that is known to be valid JSON, as they stand in the text. It is false for another value.
func Elements(raw []byte) (all [][]byte, ok bool) {
	all = [][]byte{}
	s := inMemory(raw)
	err := s.elements('[', func(int) error {
		value, err := s.value()
		all = append(all, value)
		return err
	})
	return all, err == nil
}

// inMemory is a source of a text that is known to be JSON.
func inMemory(raw []byte) source { return source{held: raw, err: io.EOF, limit: math.MaxInt} }
