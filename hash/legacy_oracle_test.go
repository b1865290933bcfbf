package hash_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The oracle decodes a document into a tree, cuts the tree and writes it again, compact. It shares nothing with the cut.

// cutTree is a JSON value: members, elements or a scalar's text.
type cutTree struct {
	bracket  byte // '{', '[' or 0
	members  []cutMember
	elements []*cutTree
	scalar   string
}

type cutMember struct {
	name  string
	value *cutTree
}

// cutParse decodes a valid document. Duplicate members and their order stay.
func cutParse(raw []byte) *cutTree {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return cutParseValue(dec)
}

func cutParseValue(dec *json.Decoder) *cutTree {
	token, err := dec.Token()
	if err != nil {
		return nil
	}
	switch token {
	case json.Delim('{'):
		t := &cutTree{bracket: '{'}
		for dec.More() {
			name, _ := dec.Token()
			t.members = append(t.members, cutMember{name.(string), cutParseValue(dec)})
		}
		_, _ = dec.Token()
		return t
	case json.Delim('['):
		t := &cutTree{bracket: '['}
		for dec.More() {
			t.elements = append(t.elements, cutParseValue(dec))
		}
		_, _ = dec.Token()
		return t
	default:
		text, _ := json.Marshal(token)
		return &cutTree{scalar: string(text)}
	}
}

func (t *cutTree) isNull() bool { return t.scalar == "null" }

// cutDepth counts brackets, outside of strings.
func cutDepth(raw []byte) int {
	deepest, now, inside := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == '{' || c == '['):
			now++
			deepest = max(deepest, now)
		case !inside && (c == '}' || c == ']'):
			now--
		}
	}
	return deepest
}

// String writes the tree as compact JSON.
func (t *cutTree) String() string {
	var parts []string
	switch t.bracket {
	case '{':
		for _, m := range t.members {
			name, _ := json.Marshal(m.name)
			parts = append(parts, string(name)+":"+m.value.String())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, e := range t.elements {
			parts = append(parts, e.String())
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		return t.scalar
	}
}

// cutOracle cuts a tree under a shape.
type cutOracle struct{ nulls hotupdate.NullMembers }

// cut returns whether the value lost all the members it had.
func (o cutOracle) cut(s *cutNode, keys []string, t *cutTree) (emptied bool) {
	switch {
	case s.kind == cutObject && t.bracket == '{':
		return o.keep(t, func(m cutMember) bool { return o.keepsField(s, keys, m) })
	case s.kind == cutDict && t.bracket == '{':
		return o.keep(t, func(m cutMember) bool { return o.keepsEntry(s, m) })
	case s.kind == cutList && t.bracket == '[':
		for _, e := range t.elements {
			elem, _ := s.of(e)
			o.cut(elem, s.keys, e)
		}
	}
	return false
}

func (o cutOracle) keep(t *cutTree, keeps func(cutMember) bool) (emptied bool) {
	before := len(t.members)
	t.members = slices.DeleteFunc(t.members, func(m cutMember) bool { return !keeps(m) })
	return before > 0 && len(t.members) == 0
}

func (o cutOracle) keepsField(s *cutNode, keys []string, m cutMember) bool {
	field := s.members[m.name]
	switch {
	case field == nil || slices.Contains(keys, m.name):
		return true
	case field.kind == cutHot:
		return m.value.isNull() && o.nulls == hotupdate.KeepNulls
	default:
		return !o.cut(field, nil, m.value) || field.presence
	}
}

func (o cutOracle) keepsEntry(s *cutNode, m cutMember) bool {
	elem, selected := s.of(m.value)
	switch {
	case !selected && !s.hotMap:
		o.cut(elem, s.keys, m.value)
		return true
	case m.value.isNull():
		return o.nulls == hotupdate.KeepNulls
	case m.value.bracket != '{':
		return true
	}
	o.cut(elem, s.keys, m.value)
	return slices.ContainsFunc(m.value.members, func(left cutMember) bool { return !slices.Contains(s.keys, left.name) })
}

// of returns the shape of an element, and whether its selector holds.
func (s *cutNode) of(element *cutTree) (elem *cutNode, selected bool) {
	if s.hotElem == nil || element.bracket != '{' {
		return s.elem, false
	}
	value := s.zero
	for _, m := range element.members {
		if m.name == s.selector && !m.value.isNull() {
			value = cutSelectorText(s, m.value)
		}
	}
	if value == s.selected {
		return s.hotElem, true
	}
	return s.elem, false
}

// selectorText returns the decoded value of a selector, or a text that no selector has.
func cutSelectorText(s *cutNode, value *cutTree) string {
	text := cutLiteral(value.scalar)
	isText, wantsText := text != value.scalar, s.zero == ""
	if value.bracket != 0 || isText != wantsText {
		return "\x00"
	}
	return text
}
