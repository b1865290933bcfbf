// Package strip removes the members of raw JSON that are hot or ignored in a field plan, and keeps
// every other byte.
//
// It owns what is removed together with a member: commas, white space, and objects that become
// empty. It must not know Go values, decoders or hashes. Package canonjson knows JSON, and the plan
// knows which fields are hot. The rules are specified at hotupdate.Schema.StripRaw.
//
// One pass copies the document and takes removed members back. An element that hotwhen may select
// is read ahead before it is copied.
package strip

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Nulls says whether a hot member with the value null is removed.
type Nulls uint8

// The choices.
const (
	StripNulls Nulls = iota // it is removed, like other values
	KeepNulls               // it is kept, like an unknown member
)

// maxPooled is the length of the longest document whose memory is kept for reuse.
const maxPooled = 2 << 20

var strippers = sync.Pool{New: func() any { return new(stripper) }}

// Strip returns raw without the members that are hot or ignored under the plan: raw itself if there
// are none, a new slice otherwise. Empty input and white space are the empty document. Problems are
// "invalid-json" and "too-deep".
func Strip(p *fieldplan.Plan, raw []byte, nulls Nulls) ([]byte, *fault.Error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return raw, nil
	}
	s := strippers.Get().(*stripper)
	defer s.release()
	*s = stripper{Scanner: canonjson.NewScanner(raw), nulls: nulls, kept: slices.Grow(s.kept, len(raw))}
	s.document(p.Root)
	switch {
	case s.problem != nil:
		return nil, s.problem
	case len(s.kept) == len(raw):
		return raw, nil
	}
	return bytes.Clone(s.kept), nil
}

// OnlyTypeMeta reports whether raw has no members other than apiVersion and kind: if it is empty,
// white space, null, or an object without other members.
func OnlyTypeMeta(raw []byte) bool {
	if text := bytes.TrimSpace(raw); len(text) == 0 || string(text) == "null" {
		return true
	}
	s := canonjson.NewScanner(raw)
	only := true
	if s.Begin() != nil || s.Peek() != '{' {
		return false
	}
	problem := members(&s, func(name, _ []byte) {
		only = only && (canonjson.SameText(name, "apiVersion") || canonjson.SameText(name, "kind"))
	})
	return only && problem == nil && s.End() == nil
}

// members reads an object. It calls visit with the name of each member, without quotes and with its
// escapes, and with the value.
func members(s *canonjson.Scanner, visit func(name, value []byte)) *fault.Error {
	return s.Each(func(int) *fault.Error {
		start, end, problem := s.Name()
		if problem != nil {
			return problem
		}
		value := s.At
		if problem = s.Skip(); problem == nil {
			visit(s.Raw[start:end], s.Raw[value:s.At])
		}
		return problem
	})
}

type stripper struct {
	canonjson.Scanner

	nulls   Nulls
	kept    []byte       // the kept part of the document up to the scanner's offset
	problem *fault.Error // the first problem; nothing is read after it
}

func (s *stripper) release() {
	if cap(s.kept) <= maxPooled {
		*s = stripper{kept: s.kept[:0]}
		strippers.Put(s)
	}
}

// failed records a problem, and reports whether there was one.
func (s *stripper) failed(problem *fault.Error) bool {
	if s.problem == nil {
		s.problem = problem
	}
	return s.problem != nil
}

// each reads an object or array, up to the first problem.
func (s *stripper) each(item func()) {
	s.failed(s.Each(func(int) *fault.Error {
		item()
		return s.problem
	}))
}

// keep copies the document from an offset to the scanner's offset.
func (s *stripper) keep(from int) { s.kept = append(s.kept, s.Raw[from:s.At]...) }

// whole copies the next value unchanged.
func (s *stripper) whole() {
	start := s.At
	s.failed(s.Skip())
	s.keep(start)
}

func (s *stripper) document(root *fieldplan.Node) {
	if s.failed(s.Begin()) {
		return
	}
	s.keep(0)
	s.value(root, nil)
	end := s.At
	s.failed(s.End())
	s.keep(end)
}

// tally counts what becomes of the members of an object.
type tally struct{ removed, kept, identifying int }

// The tallies of one member, and of a value that is copied as a whole.
var (
	removedMember = tally{removed: 1}
	keptMember    = tally{kept: 1}                 // without its hot parts
	identity      = tally{kept: 1, identifying: 1} // is kept, but does not make its object non-empty
)

// emptied reports whether there were members, and all were removed.
func (t tally) emptied() bool { return t.removed > 0 && t.kept == 0 }

// bare reports whether only the identity of the object is left.
func (t tally) bare() bool { return t.kept == t.identifying }

// value copies the next value without its removed members; an object that becomes empty is {}. Node
// n describes the value; a value of another JSON type is copied as a whole. In is the collection of
// which the value is an element, or nil.
func (s *stripper) value(n, in *fieldplan.Node) tally {
	switch bracket := s.Peek(); {
	case bracket == '{' && (n.Kind == fieldplan.Object || n.Kind == fieldplan.Map):
		return s.members(n, in)
	case bracket == '[' && (n.Kind == fieldplan.List || n.Kind == fieldplan.Array):
		s.elements(n)
	default:
		s.whole()
	}
	return keptMember
}

// elements copies an array. All of its elements are kept.
func (s *stripper) elements(n *fieldplan.Node) {
	before := s.At
	s.each(func() {
		s.keep(before)
		s.value(s.element(n), n)
		before = s.At
	})
	s.keep(before)
}

// members copies an object. With a member, the bytes between it and the member before are removed.
// Before the first member that is kept, the bytes after a removed member are removed instead.
func (s *stripper) members(n, in *fieldplan.Node) tally {
	var t tally
	opening := len(s.kept)
	before := s.At
	s.each(func() {
		mark := len(s.kept)
		switch {
		case t == tally{}: // the opening bracket is kept
			s.keep(before)
			mark = len(s.kept)
		case t.kept > 0:
			s.keep(before)
		}
		member := s.member(n, in)
		if member == removedMember {
			s.kept = s.kept[:mark]
		}
		t = tally{t.removed + member.removed, t.kept + member.kept, t.identifying + member.identifying}
		before = s.At
	})
	s.keep(before)
	if t.emptied() {
		s.kept = append(s.kept[:opening], "{}"...)
	}
	return t
}

func (s *stripper) member(n, in *fieldplan.Node) tally {
	start := s.At
	name, nameEnd, problem := s.Name()
	s.failed(problem)
	s.keep(start)
	if n.Kind == fieldplan.Map {
		return s.entry(n, s.entryNode(n, s.Raw[name:nameEnd]))
	}
	return s.field(lookup(n, s.Raw[name:nameEnd]), in)
}

// field decides about a member of an object with fields. F is nil for an unknown member.
func (s *stripper) field(f *fieldplan.Field, in *fieldplan.Node) tally {
	switch {
	case f == nil:
		s.whole()
		return keptMember
	case in != nil && in.Identity(f):
		s.whole()
		return identity
	case !f.Classes().Any(fieldplan.Projected):
		return s.hot()
	case s.value(f.Node, nil).emptied() && !f.HasPresenceOf(fieldplan.Projected):
		return removedMember
	}
	return keptMember
}

// entryNode returns the node of the next entry of map n, whose key is given without quotes and with
// its escapes.
func (s *stripper) entryNode(n *fieldplan.Node, key []byte) *fieldplan.Node {
	if n.Keys != nil {
		if rule := n.RuleOf(n.KeyText(unescaped(key))); rule != nil {
			return rule.Node
		}
	}
	return s.element(n)
}

// unescaped is the text of a name. The scanner has checked it.
func unescaped(name []byte) (text string) {
	if !bytes.ContainsRune(name, '\\') {
		return string(name)
	}
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, name, []byte{'"'}), &text)
	return text
}

// entry decides about an entry of map n, whose node is elem. The presence of an entry belongs to the
// map; for a hot entry, to the entry itself.
func (s *stripper) entry(n, elem *fieldplan.Node) tally {
	switch {
	case fieldplan.IsProjected(elem.Class):
		s.value(elem, n)
	case !elem.Classes.Any(fieldplan.Projected) || s.isNull():
		return s.hot()
	case s.value(elem, n).bare():
		return removedMember
	}
	return keptMember
}

func (s *stripper) isNull() bool { return s.Peek() == 'n' }

// hot decides about a member without hashed parts.
func (s *stripper) hot() tally {
	isNull := s.isNull()
	s.whole()
	if isNull && s.nulls == KeepNulls {
		return keptMember
	}
	return removedMember
}

func lookup(n *fieldplan.Node, name []byte) *fieldplan.Field {
	for _, f := range n.Fields {
		if canonjson.SameText(name, canonicalName(f)) {
			return f
		}
	}
	return nil
}

// canonicalName is the name in canonical JSON, without its quotes.
func canonicalName(f *fieldplan.Field) string { return f.Header[1 : len(f.Header)-len(`":`)] }

// element returns the node of the next element of collection n: the hot one if hotwhen makes it hot.
func (s *stripper) element(n *fieldplan.Node) *fieldplan.Node {
	if n.When == nil || s.Peek() != '{' || !holds(n.When, s.Scanner) {
		return n.Elem
	}
	return n.When.Hot
}

// holds reports whether the next object has the selector's value, as a decoder would read it: the
// last of several members of one name counts, and null is not a value.
func holds(w *fieldplan.Selector, ahead canonjson.Scanner) bool {
	holds := w.Holds(nil, nil)
	wanted := canonicalName(w.Field)
	problem := members(&ahead, func(name, value []byte) {
		if canonjson.SameText(name, wanted) && value[0] != 'n' {
			holds = w.HoldsJSON(value)
		}
	})
	return holds && problem == nil
}
