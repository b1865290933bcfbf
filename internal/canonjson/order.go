package canonjson

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// outline knows where the objects of a text and their members stand. With it a text is copied in sorted order.
type outline struct {
	objects  []object // in the order in which they start
	members  []member // of objects that have ended; those of one object stand together, sorted
	open     []member // of objects that have not, innermost last
	names    []byte   // unescaped
	shuffled bool     // the text differs from its sorted copy
}

// object stands at text[start:end] with the brackets. Its members are members[first:first+count].
type object struct {
	start, end   int
	first, count int
	next         int // the first object that starts behind this one
}

// member stands at text[start:end], from its name to the end of its value.
type member struct {
	name, nameEnd int // in names
	start, end    int
	object        int // the first object that starts behind start
	offset        int // in the input, for problems
}

func (o *outline) reset() outline {
	return outline{objects: o.objects[:0], members: o.members[:0], open: o.open[:0], names: o.names[:0]}
}

// begin notes the start of an object. The marks are for [outline.end].
func (o *outline) begin(start int) (index, base int) {
	o.objects = append(o.objects, object{start: start})
	return len(o.objects) - 1, len(o.open)
}

// end notes the end of an object and sorts its members. Names that occur twice are a problem.
func (o *outline) end(index, base, end int) *fault.Error {
	own := o.open[base:]
	if !slices.IsSortedFunc(own, o.compare) {
		slices.SortFunc(own, o.compare)
		o.shuffled = true
	}
	for i := 1; i < len(own); i++ {
		if bytes.Equal(o.nameOf(&own[i-1]), o.nameOf(&own[i])) {
			return duplicateMember(own[i].offset)
		}
	}
	obj := &o.objects[index]
	obj.end, obj.first, obj.count, obj.next = end, len(o.members), len(own), len(o.objects)
	o.members = append(o.members, own...)
	o.open = o.open[:base]
	return nil
}

// compare orders members by name, and those of the same name as they stand.
func (o *outline) compare(a, b member) int {
	return cmp.Or(bytes.Compare(o.nameOf(&a), o.nameOf(&b)), cmp.Compare(a.offset, b.offset))
}

func (o *outline) nameOf(m *member) []byte { return o.names[m.name:m.nameEnd] }

// appendSorted appends text with the members of every object in order.
func (o *outline) appendSorted(dst, text []byte) []byte {
	if !o.shuffled {
		return append(dst, text...)
	}
	return o.appendSpan(dst, text, member{end: len(text)})
}

func (o *outline) appendSpan(dst, text []byte, m member) []byte {
	at := m.start
	for i := m.object; i < len(o.objects) && o.objects[i].start < m.end; {
		obj := o.objects[i]
		dst = append(dst, text[at:obj.start]...)
		dst = o.appendObject(dst, text, obj)
		at, i = obj.end, obj.next
	}
	return append(dst, text[at:m.end]...)
}

func (o *outline) appendObject(dst, text []byte, obj object) []byte {
	dst = append(dst, '{')
	for i, m := range o.members[obj.first : obj.first+obj.count] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = o.appendSpan(dst, text, m)
	}
	return append(dst, '}')
}
