package engine

import (
	"bytes"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// DiffRaw is [Diff] of raw JSON. It is false if anything is wrong with the JSON, or with one of the
// values: they say what.
//
// Both documents are written member by member. Members with one text are the same. The others are
// read into values, which are compared.
func DiffRaw(p *fieldplan.Plan, old, updated []byte) (changes []Difference, ok bool) {
	whole := Of(p).wholeJSON()
	root := whole.root
	shorter := old
	longer := updated
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	one := transcribe(shorter, whole)
	defer one.release()
	switch {
	case !one.parts(root):
		return nil, false
	case !one.hasValue && canonjson.SameTokens(shorter, longer):
		return nil, true
	}
	other := transcribe(longer, whole)
	defer other.release()
	other.other = one
	if !other.parts(root) {
		return nil, false
	}
	before := one
	after := other
	if len(old) > len(updated) {
		before = other
		after = one
	}
	differ := before.differingFrom(after, root)
	if differ == nil {
		return nil, true
	}
	var values twoValues
	for side, t := range [2]*transcript{before, after} {
		values[side] = reflect.New(p.Type)
		if !t.fill(values[side].Elem(), root, differ) {
			return nil, false
		}
	}
	changes, err := Diff(p, values[0], values[1])
	return changes, err == nil
}

// parts writes the members of the root, each by itself, and reports whether it could. It notes
// where the JSON of each begins.
func (t *transcript) parts(root *source) (ok bool) {
	if !t.begin(root) {
		return false
	}
	t.values = make([]span, root.node.Len())
	if t.in.At < len(t.in.Raw) && !t.in.IsNull() {
		t.members(root, nil)
	}
	return !t.hasFailed && t.in.End() == nil
}

// isKnown reads the value of a root field if it has the bytes that the other document has there, and
// writes what was written there.
func (t *transcript) isKnown(m *memberSource, i int) bool {
	if t.other == nil {
		return false
	}
	at := t.other.values[i]
	value := t.other.in.Raw[at.from:at.to]
	rest := t.in.Raw[t.in.At:]
	if len(value) == 0 || !bytes.HasPrefix(rest, value) || !canonjson.EndsValue(rest[len(value):]) {
		return false
	}
	t.in.At += len(value)
	for _, p := range t.other.pieces {
		if m.op != nil && p.order == m.order {
			start := len(t.buf)
			t.buf = append(t.buf, t.other.buf[p.start:p.end]...)
			t.add(p.order, start)
		}
	}
	return true
}

// differingFrom returns for each op of the root whether its member has another text in another
// document; nil if no member has.
func (t *transcript) differingFrom(other *transcript, root *source) (differ []bool) {
	texts := make([][2][]byte, len(root.routine.ops))
	for side, document := range [2]*transcript{t, other} {
		for _, p := range document.pieces {
			texts[p.order][side] = document.buf[p.start:p.end]
		}
	}
	for i, text := range texts {
		if !bytes.Equal(text[0], text[1]) {
			if differ == nil {
				differ = make([]bool, len(texts))
			}
			differ[i] = true
		}
	}
	return differ
}

// fill reads the members that differ into v, and reports whether it could.
func (t *transcript) fill(v reflect.Value, root *source, differ []bool) (ok bool) {
	for i, at := range t.values {
		m := &root.members[i]
		if at.to == 0 || m.op == nil || !differ[m.order] {
			continue
		}
		t.in.At = at.from
		if !t.in.FillField(root.node, i, v) {
			return false
		}
	}
	return true
}
