package canonjson

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// outline has the offsets of the objects of a text that must be sorted, and of their members. It is
// used to copy the text in sorted order.
type outline struct {
	objects []object // in the order in which they start, without those that are sorted in the text
	members []member // of objects that have ended; those of one object are adjacent, sorted
	open    []member // of objects that have not ended, innermost last
	names   []byte   // unescaped
}

// object is an object at text[start:end], with the brackets. Its members are
// members[first:first+count].
type object struct {
	start, end   int
	first, count int
	next         int // the first object that starts after this one
}

// member is a member at text[start:end], from its name to the end of its value.
type member struct {
	name, nameEnd int // in names
	start, end    int
	object        int // the first object that starts after start
	offset        int // in the input, for problems
}

func (o *outline) reset() outline {
	return outline{objects: o.objects[:0], members: o.members[:0], open: o.open[:0], names: o.names[:0]}
}

// mark is the state of an outline before an object.
type mark struct{ objects, members, open, names int }

// begin records the start of an object.
func (o *outline) begin(start int) mark {
	m := mark{len(o.objects), len(o.members), len(o.open), len(o.names)}
	o.objects = append(o.objects, object{start: start})
	return m
}

// sort sorts the members of the object that ends, and reports whether they were in order. Names
// that occur twice are a problem.
func (o *outline) sort(outer mark) (inOrder bool, err *fault.Error) {
	own := o.open[outer.open:]
	if inOrder = slices.IsSortedFunc(own, o.compare); !inOrder {
		slices.SortFunc(own, o.compare)
	}
	for i := 1; i < len(own); i++ {
		if bytes.Equal(o.nameOf(&own[i-1]), o.nameOf(&own[i])) {
			return false, duplicateMember(own[i].offset)
		}
	}
	return inOrder, nil
}

// isFlat reports whether the outline has no objects inside the object that ends.
func (o *outline) isFlat(outer mark) bool { return len(o.objects) == outer.objects+1 }

// keep records the end of an object.
func (o *outline) keep(outer mark, end int) {
	own, obj := o.open[outer.open:], &o.objects[outer.objects]
	obj.end, obj.first, obj.count, obj.next = end, len(o.members), len(own), len(o.objects)
	o.members = append(o.members, own...)
	o.open = o.open[:outer.open]
}

// forget removes an object from the outline.
func (o *outline) forget(outer mark) {
	o.objects, o.members = o.objects[:outer.objects], o.members[:outer.members]
	o.open, o.names = o.open[:outer.open], o.names[:outer.names]
}

// compare orders members by name, and members of one name by their offset.
func (o *outline) compare(a, b member) int {
	return cmp.Or(bytes.Compare(o.nameOf(&a), o.nameOf(&b)), cmp.Compare(a.offset, b.offset))
}

func (o *outline) nameOf(m *member) []byte { return o.names[m.name:m.nameEnd] }

// appendSorted appends text with the members of every object in order.
func (o *outline) appendSorted(dst, text []byte) []byte {
	return o.appendSpan(dst, text, member{end: len(text)})
}

func (o *outline) appendSpan(dst, text []byte, m member) []byte {
	at := m.start
	for i := m.object; i < len(o.objects) && o.objects[i].start < m.end; {
		obj := o.objects[i]
		dst = append(dst, text[at:obj.start]...)
		dst = o.appendMembers(dst, text, o.members[obj.first:obj.first+obj.count])
		at, i = obj.end, obj.next
	}
	return append(dst, text[at:m.end]...)
}

func (o *outline) appendMembers(dst, text []byte, members []member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = o.appendSpan(dst, text, m)
	}
	return append(dst, '}')
}
