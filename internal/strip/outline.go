package strip

import (
	"bytes"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// outline knows where the members and containers of a document stand, in the order in which they begin.
type outline struct {
	raw   []byte
	items []item
	scan  canonjson.Scanner
}

// item is a member of an object; or an object or array that is the whole document or an element.
type item struct {
	name, nameEnd int // a member's name, between its quotes
	start, end    int // the value
	next          int // the first item that is not inside the value
}

func (it *item) quote() int { return it.name - 1 }

// read outlines a document and checks its grammar.
func (o *outline) read(raw []byte) *fault.Error {
	o.raw, o.scan = raw, canonjson.NewScanner(raw)
	if err := o.scan.Begin(); err != nil {
		return err
	}
	if err := o.readElement(); err != nil {
		return err
	}
	return o.scan.End()
}

func (o *outline) readElement() *fault.Error {
	if c := o.scan.Peek(); c != '{' && c != '[' {
		return o.scan.Scalar()
	}
	return o.readItem(item{})
}

func (o *outline) readMember() *fault.Error {
	start, end, err := o.scan.Name()
	if err != nil {
		return err
	}
	return o.readItem(item{name: start, nameEnd: end})
}

func (o *outline) readItem(it item) *fault.Error {
	at := len(o.items)
	it.start = o.scan.At
	o.items = append(o.items, it)
	err := o.readValue()
	o.items[at].end, o.items[at].next = o.scan.At, len(o.items)
	return err
}

func (o *outline) readValue() *fault.Error {
	switch o.scan.Peek() {
	case '{':
		return o.readNested('}', (*outline).readMember)
	case '[':
		return o.readNested(']', (*outline).readElement)
	default:
		return o.scan.Scalar()
	}
}

func (o *outline) readNested(closing byte, child func(*outline) *fault.Error) *fault.Error {
	last, err := o.scan.Open(closing)
	for !last && err == nil {
		if err = child(o); err == nil {
			last, err = o.scan.Next(closing)
		}
	}
	return err
}

// named reports whether item i is a member of this name, which is canonical.
func (o *outline) named(i int, name string) bool {
	it := &o.items[i]
	return canonjson.SameText(o.raw[it.name:it.nameEnd], name)
}

func (o *outline) isNull(i int) bool { return o.raw[o.items[i].start] == 'n' }

// OnlyTypeMeta reports whether raw is JSON that says nothing, or nothing but apiVersion and kind: nothing at all, white space, null, or
// an object without other members.
func OnlyTypeMeta(raw []byte) bool {
	if len(bytes.TrimSpace(raw)) == 0 {
		return true
	}
	s := strippers.Get().(*stripper)
	defer s.release()
	if s.read(raw) != nil {
		return false
	}
	if len(s.items) == 0 {
		return string(bytes.TrimSpace(raw)) == "null"
	}
	for i := 1; i < s.items[0].next; i = s.items[i].next {
		if !s.named(i, "apiVersion") && !s.named(i, "kind") {
			return false
		}
	}
	return s.raw[s.items[0].start] == '{'
}
