package manifest

import (
	"bytes"
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// Member is a member of a JSON object. Raw is its value as it stands in the text.
type Member struct{ Name, Raw []byte }

// AppendMembers appends the members of a JSON object, of which it checks the grammar. It is false if the value is no object; members of one
// that is malformed come with the error.
func AppendMembers(all []Member, raw []byte) (members []Member, isObject bool, err *fault.Error) {
	s := canonjson.NewScanner(raw)
	s.SkipSpace()
	if s.Peek() != '{' {
		if err = s.Skip(); err == nil {
			err = s.End()
		}
		return all, false, err
	}
	last, err := s.Open('}')
	for !last && err == nil {
		var one Member
		if one, err = readMember(&s); err == nil {
			all = append(all, one)
			last, err = s.Next('}')
		}
	}
	if err == nil {
		err = s.End()
	}
	return all, true, err
}

func readMember(s *canonjson.Scanner) (Member, *fault.Error) {
	from, to, err := s.Name()
	if err != nil {
		return Member{}, err
	}
	name := s.Raw[from:to]
	if bytes.IndexByte(name, '\\') >= 0 {
		var text string
		_ = json.Unmarshal(s.Raw[from-1:to+1], &text) // a string that the Scanner has read
		name = []byte(text)
	}
	start := s.At
	err = s.Skip()
	return Member{name, s.Raw[start:s.At]}, err
}

// Elements returns the elements of a JSON array as they stand in the text. It is false if the value is no array, or malformed.
func Elements(raw []byte) (all [][]byte, ok bool) {
	s := canonjson.NewScanner(raw)
	s.SkipSpace()
	if s.Peek() != '[' {
		return nil, false
	}
	all = [][]byte{}
	last, err := s.Open(']')
	for !last && err == nil {
		start := s.At
		if err = s.Skip(); err == nil {
			all = append(all, raw[start:s.At])
			last, err = s.Next(']')
		}
	}
	return all, err == nil
}
