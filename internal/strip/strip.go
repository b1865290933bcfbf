// Package strip removes the members of raw JSON that a field plan calls hot or ignored, and leaves every other byte as it was.
//
// It owns what goes with a member: commas, white space, and the objects that are left empty. It must not know Go values, decoders or
// hashes; package canonjson says what is JSON, and the plan says what is hot. The rules are specified at hotupdate.Schema.StripRaw.
//
// The first of two passes checks the grammar and notes where members and containers stand. The second follows the plan and notes what to
// remove. Each looks at a byte a bounded number of times, however deep it stands.
package strip

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Nulls says what becomes of a hot member whose value is null.
type Nulls uint8

// The choices.
const (
	StripNulls Nulls = iota // it goes, as with any other value
	KeepNulls               // it stays, as an unknown member does
)

// maxPooled is the number of items and spans whose memory is kept for another document.
const maxPooled = 1 << 16

var strippers = sync.Pool{New: func() any { return new(stripper) }}

// Strip returns raw without what is hot or ignored under the plan: raw itself if there is nothing of that, a new slice otherwise. Nothing
// and white space are the empty document. Problems are "invalid-json", "too-deep" and "unknown-nulls".
func Strip(p *fieldplan.Plan, raw []byte, nulls Nulls) ([]byte, *fault.Error) {
	if nulls > KeepNulls {
		return nil, &fault.Error{
			Kind: fault.Misuse, Code: "unknown-nulls", What: "there is no choice " + strconv.Itoa(int(nulls)) + " about null members", Hint: "use StripNulls or KeepNulls",
		}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return raw, nil
	}
	s := strippers.Get().(*stripper)
	defer s.release()
	s.nulls = nulls
	if err := s.read(raw); err != nil {
		return nil, err
	}
	if len(s.items) > 0 {
		s.stay(0, s.inside(p.Root, nil, 0))
	}
	return s.result(), nil
}

type stripper struct {
	outline

	nulls Nulls
	spans []span // ascending, without overlaps
}

type span struct{ start, end int }

func (s *stripper) release() {
	if cap(s.items) > maxPooled || cap(s.spans) > maxPooled {
		return
	}
	*s = stripper{outline: outline{items: s.items[:0]}, spans: s.spans[:0]}
	strippers.Put(s)
}

func (s *stripper) result() []byte {
	if len(s.spans) == 0 {
		return s.raw
	}
	size := len(s.raw)
	for _, gone := range s.spans {
		size -= gone.end - gone.start
	}
	stripped, at := make([]byte, 0, size), 0
	for _, gone := range s.spans {
		stripped = append(stripped, s.raw[at:gone.start]...)
		at = gone.end
	}
	return append(stripped, s.raw[at:]...)
}

// fate is what becomes of a member.
type fate uint8

const (
	goes       fate = iota
	stays           // with what is left of it
	identifies      // stays, but does not make its object stay
)

// tally counts what became of the members of an object.
type tally struct{ gone, staying, identifying int }

// untouched is the tally of a value that is not looked into.
var untouched = tally{staying: 1}

// emptied reports whether every member went, and there was one.
func (t tally) emptied() bool { return t.gone > 0 && t.staying == 0 }

// bare reports whether nothing is left but what identifies the object.
func (t tally) bare() bool { return t.staying == t.identifying }

// inside strips the inside of item i, which the plan describes by n. A value of another type than the plan's is not looked into. In is
// the collection of which the item is an element, or nil.
func (s *stripper) inside(n, in *fieldplan.Node, i int) tally {
	switch bracket := s.raw[s.items[i].start]; {
	case bracket == '{' && (n.Kind == fieldplan.Object || n.Kind == fieldplan.Map):
		return s.members(n, in, i)
	case bracket == '[' && (n.Kind == fieldplan.List || n.Kind == fieldplan.Array):
		s.elements(n, i)
	}
	return untouched
}

// elements strips the elements of an array, all of which stay. Scalars are no items, since nothing is inside them.
func (s *stripper) elements(n *fieldplan.Node, array int) {
	for i := array + 1; i < s.items[array].next; i = s.items[i].next {
		elem, _ := s.element(n, i)
		s.stay(i, s.inside(elem, n, i))
	}
}

// stay leaves item i where it is, as {} if it was emptied.
func (s *stripper) stay(i int, t tally) {
	if t.emptied() {
		s.spans = append(s.spans, span{s.items[i].start + 1, s.items[i].end - 1})
	}
}

// members strips an object. A member that goes takes along what stands between it and the member before. As long as none has stayed, all
// that stands before the first that does goes instead. If none stays, nothing is removed yet: the caller decides.
func (s *stripper) members(n, in *fieldplan.Node, object int) tally {
	var t tally
	first, before := object+1, 0
	for i := first; i < s.items[object].next; i = s.items[i].next {
		mark := len(s.spans)
		if t.emptied() {
			s.spans = append(s.spans, span{s.items[first].quote(), s.items[i].quote()})
		}
		switch s.member(n, in, i) {
		case goes:
			s.spans = s.spans[:mark]
			if t.staying > 0 {
				s.spans = append(s.spans, span{before, s.items[i].end})
			}
			t.gone++
		case identifies:
			t.identifying++
			t.staying++
		case stays:
			t.staying++
		}
		before = s.items[i].end
	}
	return t
}

func (s *stripper) member(n, in *fieldplan.Node, i int) fate {
	if n.Kind == fieldplan.Map {
		return s.entry(n, i)
	}
	return s.field(n, in, i)
}

// field decides about a member of an object that is described by fields.
func (s *stripper) field(n, in *fieldplan.Node, i int) fate {
	f := s.lookup(n, i)
	switch {
	case f == nil:
		return stays
	case in != nil && in.Identity(f):
		return identifies
	case !hasProjected(f.Node) && !projectsPresence(f):
		return s.hot(i)
	}
	t := s.inside(f.Node, nil, i)
	if t.emptied() && !projectsPresence(f) {
		return goes
	}
	s.stay(i, t)
	return stays
}

// entry decides about a member of a map. The presence of an entry belongs to the map, and to the entry itself where hotwhen holds.
func (s *stripper) entry(n *fieldplan.Node, i int) fate {
	elem, selected := s.element(n, i)
	if fieldplan.IsProjected(n.Class) && !selected {
		s.stay(i, s.inside(elem, n, i))
		return stays
	}
	if !hasProjected(elem) || s.isNull(i) {
		return s.hot(i)
	}
	if s.inside(elem, n, i).bare() {
		return goes
	}
	return stays
}

// hot decides about a member in which nothing is hashed.
func (s *stripper) hot(i int) fate {
	if s.nulls == KeepNulls && s.isNull(i) {
		return stays
	}
	return goes
}

// hasProjected reports whether anything at or below n is Immutable or InPlace.
func hasProjected(n *fieldplan.Node) bool { return n.Classes.Any(fieldplan.Projected) }

// projectsPresence reports whether an empty object at f is hashed.
func projectsPresence(f *fieldplan.Field) bool {
	return f.HasPresence() && fieldplan.IsProjected(f.Node.Class)
}

func (s *stripper) lookup(n *fieldplan.Node, i int) *fieldplan.Field {
	for _, f := range n.Fields {
		if s.named(i, canonicalName(f)) {
			return f
		}
	}
	return nil
}

// canonicalName is the name as it stands between its quotes in canonical JSON.
func canonicalName(f *fieldplan.Field) string { return f.Header[1 : len(f.Header)-len(`":`)] }

// element returns the node of an element of collection n, and whether hotwhen holds for it.
func (s *stripper) element(n *fieldplan.Node, i int) (elem *fieldplan.Node, selected bool) {
	if n.When == nil || s.raw[s.items[i].start] != '{' || !s.holds(n.When, i) {
		return n.Elem, false
	}
	return n.When.Hot, true
}

// holds reports whether an object has the selector's value, as a decoder would read it: of several members the last one counts, and null
// is not a value.
func (s *stripper) holds(w *fieldplan.Selector, object int) bool {
	holds := w.Holds(nil, nil)
	name := canonicalName(w.Field)
	for i := object + 1; i < s.items[object].next; i = s.items[i].next {
		if s.named(i, name) && !s.isNull(i) {
			holds = matches(w, s.raw[s.items[i].start:s.items[i].end])
		}
	}
	return holds
}

// matches compares a value other than null with the selector's. A value that the selector's type cannot hold never matches.
func matches(w *fieldplan.Selector, value []byte) bool {
	isString, wantString := value[0] == '"', w.Value[0] == '"'
	switch {
	case w.Field.Quoted && isString && wantString:
		quoted, _ := canonjson.AppendString(nil, w.Value) // canonical text is valid UTF-8
		return canonjson.SameText(unquoted(value), unquoted(string(quoted)))
	case w.Field.Quoted && isString:
		return canonjson.SameText(unquoted(value), w.Value)
	case isString != wantString:
		return false
	case isString:
		return canonjson.SameText(unquoted(value), unquoted(w.Value))
	default:
		return string(value) == w.Value || string(value) == "-0" && w.Value == "0"
	}
}

// unquoted is what stands between the quotes.
func unquoted[T string | []byte](text T) T { return text[1 : len(text)-1] }
