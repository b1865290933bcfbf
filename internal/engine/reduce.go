package engine

import (
	"bytes"
	"slices"

	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// parts locates the members of an object in raw JSON.
type parts struct {
	fields  []part // the value of each field, by its index; empty if the object does not have it
	unknown []span // the members that the plan does not know, from the name on
}

// part locates a value.
type part struct {
	span

	isDone   bool // the other document has it, too
	hasValue bool // see transcript
}

// locate makes room for the members of an object.
func (p *parts) locate(n *rawjson.Node) {
	p.fields = slices.Grow(p.fields[:0], n.Len())[:n.Len()]
	clear(p.fields)
	p.unknown = p.unknown[:0]
}

// note adds a member, which begins at from.
func (p *parts) note(i, from int, value part) {
	if i == rawjson.Unknown {
		p.unknown = append(p.unknown, span{from, value.to})
		return
	}
	p.fields[i] = value
}

// reduction makes of two well-formed documents, whose values have canonical texts, two documents with
// the same differences. It leaves out most of what has the same bytes on both sides: members of
// objects, down to a fixed number of levels, and the first and last entries of maps. Other
// collections stay whole, since a difference says the index of its element.
type reduction struct {
	from [2]*transcript
	out  [2][]byte
}

// reduce takes the memory for the two documents, until release, from the transcripts.
func reduce(before, after *transcript) reduction {
	return reduction{from: [2]*transcript{before, after}, out: [2][]byte{before.moved[:0], after.moved[:0]}}
}

// release returns the memory. Nothing may refer to the two documents any more.
func (r *reduction) release() {
	for side, t := range r.from {
		t.moved = r.out[side]
		for i := range t.below {
			recycle(&t.below[i].unknown, maxPooledSpans)
		}
	}
}

// maxReduced is the number of levels on which members are left out. Each level reads what is below it
// once more.
const maxReduced = 8

// object appends an object of both sides with those members that may differ. Differs says it of a
// member whose bytes differ.
func (r *reduction) object(s *source, in [2]*parts, levels int, differs func(m *memberSource) bool) {
	for side := range r.out {
		r.out[side] = append(r.out[side], '{')
	}
	for i := range s.members {
		m := &s.members[i]
		at := [2]span{in[0].fields[i].span, in[1].fields[i].span}
		if m.op != nil && !r.isSame(at) && differs(m) {
			r.member(m, at, levels)
		}
	}
	if !r.isSameUnknown(in) {
		for side := range r.out {
			for _, at := range in[side].unknown {
				r.copy(side, at)
			}
		}
	}
	for side := range r.out {
		r.close(side)
	}
}

// close ends an object.
func (r *reduction) close(side int) {
	out := r.out[side]
	if last := len(out) - 1; out[last] == ',' {
		out[last] = '}'
		return
	}
	r.out[side] = append(out, '}')
}

func (r *reduction) raw(side int, at span) []byte { return r.from[side].in.Raw[at.from:at.to] }

// copy appends a member or value, and a comma.
func (r *reduction) copy(side int, at span) {
	r.out[side] = append(append(r.out[side], r.raw(side, at)...), ',')
}

// isSame reports whether a part has the same bytes on both sides, or is on neither side.
func (r *reduction) isSame(at [2]span) bool { return bytes.Equal(r.raw(0, at[0]), r.raw(1, at[1])) }

func (r *reduction) isSameUnknown(in [2]*parts) bool {
	return slices.EqualFunc(in[0].unknown, in[1].unknown, func(a, b span) bool { return r.isSame([2]span{a, b}) })
}

// member appends a member, which is on at least one side.
func (r *reduction) member(m *memberSource, at [2]span, levels int) {
	isOnBoth := true
	for side := range r.out {
		value := r.raw(side, at[side])
		isOnBoth = isOnBoth && len(value) > 0 && value[0] == '{'
		if len(value) > 0 {
			r.out[side] = append(r.out[side], m.op.field.Header...)
		}
	}
	switch {
	case isOnBoth && levels > 0 && m.source.shape == rawjson.Object:
		in := [2]*parts{r.partsOf(0, m.source.node, at[0], levels-1), r.partsOf(1, m.source.node, at[1], levels-1)}
		r.object(m.source, in, levels-1, func(*memberSource) bool { return true })
	case isOnBoth && m.source.shape == rawjson.Map:
		r.entries(at)
	default:
		for side := range r.out {
			if at[side].to > 0 {
				r.copy(side, at[side])
			}
		}
		return
	}
	for side := range r.out {
		r.out[side] = append(r.out[side], ',')
	}
}

// partsOf locates the members of an object, below which there are as many levels.
func (r *reduction) partsOf(side int, n *rawjson.Node, at span, levels int) *parts {
	p := &r.from[side].below[levels]
	p.locate(n)
	next := 0
	r.each(side, at, func(in *rawjson.Reader) bool {
		from := in.At
		i, _, ok := in.Member(n, next)
		value := in.At
		if !ok || in.Skip() != nil {
			return false
		}
		p.note(i, from, part{span: span{value, in.At}})
		next = i + 1
		return true
	})
	return p
}

// each calls item at each member of an object.
func (r *reduction) each(side int, at span, item func(in *rawjson.Reader) bool) {
	in := &r.from[side].in
	in.At = at.from
	last, problem := in.Open('}')
	for !last && problem == nil && item(in) {
		last, problem = in.Next('}')
	}
}

// entries appends two maps without the entries with which both begin, and those with which both end.
// A map keeps one of them if it would be empty, since an empty map may count as unset.
func (r *reduction) entries(at [2]span) {
	var own [2][]span
	for side, t := range r.from {
		first := len(t.spans)
		r.each(side, at[side], func(in *rawjson.Reader) bool {
			from := in.At
			_, _, problem := in.Name()
			if problem == nil {
				problem = in.Skip()
			}
			t.spans = append(withRoom(t.run, t.spans, 1), span{from, in.At})
			return problem == nil
		})
		own[side] = t.spans[first:]
		t.spans = t.spans[:first]
	}
	most := min(len(own[0]), len(own[1]))
	first := 0
	for first < most && r.isSame([2]span{own[0][first], own[1][first]}) {
		first++
	}
	last := 0
	isSameFromEnd := func(i int) bool {
		return r.isSame([2]span{own[0][len(own[0])-1-i], own[1][len(own[1])-1-i]})
	}
	for last < most-first && isSameFromEnd(last) {
		last++
	}
	switch { // one of them is left empty
	case first+last < most:
	case first > 0:
		first--
	case last > 0:
		last--
	}
	for side, entries := range own {
		r.out[side] = append(r.out[side], '{')
		for _, at := range entries[first : len(entries)-last] {
			r.copy(side, at)
		}
		r.close(side)
	}
}
