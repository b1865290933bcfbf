package engine

import (
	"bytes"
	"slices"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// DiffRaw is [Diff] of raw JSON. It is false if anything is wrong with the JSON, or with one of the
// values: they say what.
//
// Both documents are written member by member. Members with one text are the same. What may differ
// of the others is read into values, which are compared: see [reduction].
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
	if !one.locate(root) {
		return nil, false
	}
	other := transcribe(longer, whole)
	defer other.release()
	other.other = one
	if !other.locate(root) {
		return nil, false
	}
	before := one
	after := other
	if len(old) > len(updated) {
		before = other
		after = one
	}
	r := reduce(before, after)
	defer r.release()
	in := [2]*parts{&before.parts, &after.parts}
	differ := before.differingFrom(after, root)
	if differ == nil && r.isSameUnknown(in) {
		return nil, true
	}
	r.object(root, in, maxReduced, func(m *memberSource) bool {
		i, _ := root.opAt(m.order)
		return differ != nil && differ[i]
	})
	var values twoValues
	for side := range values {
		var err error
		if values[side], err = rawjson.Read(p, r.out[side]); err != nil {
			return nil, false
		}
	}
	changes, err := diffFrom(p, max(0, slices.Index(differ, true)), values[0], values[1])
	return changes, err == nil
}

// locate writes the members of the root, each by itself, and reports whether it could. It locates
// them in the JSON.
func (t *transcript) locate(root *source) (ok bool) {
	if !t.begin(root) {
		return false
	}
	t.isApart = true
	t.parts.locate(root.node)
	if t.in.At < len(t.in.Raw) && !t.in.IsNull() {
		t.members(root, nil)
	}
	if root.node.AdmitsUnknown() {
		t.sortPieces(t.pieces)
		t.directionOf(t.pieces) // finds two members of one name
	}
	return !t.hasFailed && t.in.End() == nil
}

// isDone reads the value of a root field if it is spelled as in the other document, but for white
// space. Nothing is written of it.
func (t *transcript) isDone(i int) bool {
	if t.other == nil {
		return false
	}
	at := t.other.parts.fields[i]
	value := t.other.in.Raw[at.from:at.to]
	rest := t.in.Raw[t.in.At:]
	size := len(value)
	isDone := size > 0 && bytes.HasPrefix(rest, value) && canonjson.EndsValue(rest[size:])
	if !isDone && size > 0 && !at.hasValue {
		size, isDone = canonjson.SameTokens(value, rest)
	}
	if isDone {
		t.in.At += size
	}
	return isDone
}

// differingFrom returns for each op of the root whether its member has another text in another
// document, which was written after this one; nil if no member has.
func (t *transcript) differingFrom(other *transcript, root *source) (differ []bool) {
	texts := make([][2][]byte, len(root.routine.ops))
	for side, document := range [2]*transcript{t, other} {
		for _, p := range document.pieces {
			if i, ok := root.opAt(p.order); ok {
				texts[i][side] = document.buf[p.start:p.end]
			}
		}
	}
	for i := range root.members {
		m := &root.members[i]
		isDone := t.parts.fields[i].isDone || other.parts.fields[i].isDone
		if m.op == nil || isDone {
			continue
		}
		at, _ := root.opAt(m.order)
		if text := texts[at]; !bytes.Equal(text[0], text[1]) {
			if differ == nil {
				differ = make([]bool, len(texts))
			}
			differ[at] = true
		}
	}
	return differ
}
