package strip

import (
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// lookup finds the field of n for item i, or nil.
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
	holds := string(w.Field.Zero) == w.Value
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
