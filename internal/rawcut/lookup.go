package rawcut

import (
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// lookup finds the field of n that item i is; nil if the plan does not know it.
func (c *cutter) lookup(n *fieldplan.Node, i int) *fieldplan.Field {
	for _, f := range n.Fields {
		if c.named(i, canonicalName(f)) {
			return f
		}
	}
	return nil
}

// canonicalName is the name as it stands between its quotes in canonical JSON.
func canonicalName(f *fieldplan.Field) string { return f.Header[1 : len(f.Header)-len(`":`)] }

// element returns the node of an element of collection n, and whether it is the one for which hotwhen holds.
func (c *cutter) element(n *fieldplan.Node, i int) (elem *fieldplan.Node, selected bool) {
	if n.When == nil || c.raw[c.items[i].start] != '{' || !c.holds(n.When, i) {
		return n.Elem, false
	}
	return n.When.Hot, true
}

// holds reports whether the object i has the selector's value, as a decoder would read it: of several members the last counts, and null
// is no value.
func (c *cutter) holds(w *fieldplan.Selector, object int) bool {
	holds := string(w.Field.Zero) == w.Value
	name := canonicalName(w.Field)
	for i := object + 1; i < c.items[object].next; i = c.items[i].next {
		if c.named(i, name) && !c.isNull(i) {
			it := c.items[i]
			holds = says(w, c.raw[it.start:it.end])
		}
	}
	return holds
}

// says compares a value other than null with that of the selector. What the selector's field cannot hold is no value of it.
func says(w *fieldplan.Selector, value []byte) bool {
	isString, wantString := value[0] == '"', w.Value[0] == '"'
	switch {
	case w.Field.Quoted && isString && wantString:
		return canonjson.SameText(inner(value), inner(quoted(w.Value)))
	case w.Field.Quoted && isString:
		return canonjson.SameText(inner(value), w.Value)
	case isString != wantString:
		return false
	case isString:
		return canonjson.SameText(inner(value), inner(w.Value))
	default:
		return string(value) == w.Value || string(value) == "-0" && w.Value == "0"
	}
}

// inner is what stands between the quotes.
func inner[T string | []byte](text T) T { return text[1 : len(text)-1] }

// quoted is the text as a canonical string.
func quoted(text string) string {
	out, _ := canonjson.AppendString(nil, text) // canonical text is valid UTF-8
	return string(out)
}
