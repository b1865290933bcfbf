// Package rawcut cuts the members that a field plan calls hot or ignored out of raw JSON and leaves every other byte as it was.
//
// It owns what a member takes along with it: commas, white space, and the objects that it leaves empty. It must not know Go values,
// decoders or hashes; what is JSON it asks package canonjson, and what is hot it reads in the plan. The rules are specified at
// hotupdate.Schema.StripRaw.
//
// It works in two passes. The first checks the grammar and notes where members and containers stand; the second goes down where the
// plan does and notes what to cut. Each looks at a byte a bounded number of times, however deep it stands.
package rawcut

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Nulls says what becomes of a hot member whose value is null.
type Nulls uint8

// The choices.
const (
	CutNulls  Nulls = iota // it goes, as with any other value
	KeepNulls              // it stays, as an unknown member does
)

// maxPooled is the number of items and spans whose memory is kept for another document.
const maxPooled = 1 << 16

var cutters = sync.Pool{New: func() any { return new(cutter) }}

// Cut returns raw without what is hot or ignored under the plan: raw itself if there is nothing of that, a new slice otherwise. Nothing
// and white space are the empty document. Problems are "invalid-json", "too-deep" and "unknown-nulls".
func Cut(p *fieldplan.Plan, raw []byte, nulls Nulls) ([]byte, *fault.Error) {
	if nulls > KeepNulls {
		return nil, &fault.Error{
			Kind: fault.Misuse, Code: "unknown-nulls", What: "there is no choice " + strconv.Itoa(int(nulls)) + " about null members", Hint: "use StripNulls or KeepNulls",
		}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return raw, nil
	}
	c := cutters.Get().(*cutter)
	defer c.release()
	c.nulls = nulls
	if err := c.read(raw); err != nil {
		return nil, err
	}
	c.root(p.Root)
	return c.result(), nil
}

// cutter cuts one document.
type cutter struct {
	outline

	nulls Nulls
	spans []span // in ascending order, none overlapping another
}

// span is a piece of the document that goes.
type span struct{ start, end int }

// release empties the cutter and keeps its memory for another document.
func (c *cutter) release() {
	if cap(c.items) > maxPooled || cap(c.spans) > maxPooled {
		return
	}
	*c = cutter{outline: outline{items: c.items[:0]}, spans: c.spans[:0]}
	cutters.Put(c)
}

// result copies what stays.
func (c *cutter) result() []byte {
	if len(c.spans) == 0 {
		return c.raw
	}
	size := len(c.raw)
	for _, s := range c.spans {
		size -= s.end - s.start
	}
	kept, at := make([]byte, 0, size), 0
	for _, s := range c.spans {
		kept = append(kept, c.raw[at:s.start]...)
		at = s.end
	}
	return append(kept, c.raw[at:]...)
}

func (c *cutter) root(n *fieldplan.Node) {
	if len(c.items) > 0 {
		c.stay(0, c.inside(n, nil, 0))
	}
}

// fate is what becomes of a member.
type fate uint8

const (
	goes       fate = iota
	stays           // with what is left of it
	identifies      // stays, but is no reason for its object to stay
)

// tally counts what became of the members of an object.
type tally struct{ gone, staying, identifying int }

// whole is the tally of a value that is not looked into.
var whole = tally{staying: 1}

// emptied reports whether the cut took every member of an object that had some.
func (t tally) emptied() bool { return t.gone > 0 && t.staying == 0 }

// bare reports whether nothing is left but what identifies the object.
func (t tally) bare() bool { return t.staying == t.identifying }

// inside cuts inside item i, which the plan describes by n. A value of another type than the plan's is not looked into. In is the
// collection of which the item is an element, or nil.
func (c *cutter) inside(n, in *fieldplan.Node, i int) tally {
	switch bracket := c.raw[c.items[i].start]; {
	case bracket == '{' && (n.Kind == fieldplan.Object || n.Kind == fieldplan.Map):
		return c.members(n, in, i)
	case bracket == '[' && (n.Kind == fieldplan.List || n.Kind == fieldplan.Array):
		c.elements(n, i)
	}
	return whole
}

// elements cuts inside the elements of an array, all of which stay. Scalars are no items: there is nothing to cut inside.
func (c *cutter) elements(n *fieldplan.Node, array int) {
	for i := array + 1; i < c.items[array].next; i = c.items[i].next {
		elem, _ := c.element(n, i)
		c.stay(i, c.inside(elem, n, i))
	}
}

// stay leaves item i where it is, as {} if the cut has emptied it.
func (c *cutter) stay(i int, t tally) {
	if t.emptied() {
		c.spans = append(c.spans, span{c.items[i].start + 1, c.items[i].end - 1})
	}
}

// members cuts the members of an object. A member that goes takes along what stands between it and the member before. As long as none
// has stayed, all that stands before the first that does goes instead. If none stays, nothing is cut yet: the caller decides.
func (c *cutter) members(n, in *fieldplan.Node, object int) tally {
	var t tally
	first, before := object+1, 0
	for i := first; i < c.items[object].next; i = c.items[i].next {
		mark := len(c.spans)
		if t.emptied() {
			c.spans = append(c.spans, span{c.items[first].quote(), c.items[i].quote()})
		}
		switch c.member(n, in, i) {
		case goes:
			c.spans = c.spans[:mark]
			if t.staying > 0 {
				c.spans = append(c.spans, span{before, c.items[i].end})
			}
			t.gone++
		case identifies:
			t.identifying++
			t.staying++
		case stays:
			t.staying++
		}
		before = c.items[i].end
	}
	return t
}

func (c *cutter) member(n, in *fieldplan.Node, i int) fate {
	if n.Kind == fieldplan.Map {
		return c.entry(n, i)
	}
	return c.field(n, in, i)
}

// field decides about a member of an object that is described by fields.
func (c *cutter) field(n, in *fieldplan.Node, i int) fate {
	f := c.lookup(n, i)
	switch {
	case f == nil:
		return stays
	case in != nil && in.Identity(f):
		return identifies
	case !keeps(f.Node) && !keepsPresence(f):
		return c.hot(i)
	}
	t := c.inside(f.Node, nil, i)
	if t.emptied() && !keepsPresence(f) {
		return goes
	}
	c.stay(i, t)
	return stays
}

// entry decides about a member of a map. Its presence belongs to the map, and where hotwhen holds to itself.
func (c *cutter) entry(n *fieldplan.Node, i int) fate {
	elem, selected := c.element(n, i)
	if fieldplan.IsKept(n.Class) && !selected {
		c.stay(i, c.inside(elem, n, i))
		return stays
	}
	if !keeps(elem) || c.isNull(i) {
		return c.hot(i)
	}
	if c.inside(elem, n, i).bare() {
		return goes
	}
	return stays
}

// hot decides about a member of which nothing is kept.
func (c *cutter) hot(i int) fate {
	if c.nulls == KeepNulls && c.isNull(i) {
		return stays
	}
	return goes
}

// keeps reports whether anything at or below n may be kept.
func keeps(n *fieldplan.Node) bool { return n.Classes.Any(fieldplan.Kept) }

// keepsPresence reports whether an empty object at f differs from none.
func keepsPresence(f *fieldplan.Field) bool {
	return f.KeepsPresence() && fieldplan.IsKept(f.Node.Class)
}
