package engine

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// MergePatch returns the patch that gives old the meaning of updated, two values of the plan's type of which neither contains itself. A
// patch replaces lists as a whole and removes members by null, so a value that is or holds null is not-patchable.
func MergePatch(p *fieldplan.Plan, old, updated reflect.Value) ([]byte, error) {
	w := &patcher{program: Of(p)}
	old, _ = Deref(old)
	updated, _ = Deref(updated)
	w.object(p.Root, old, updated)
	return w.buf, w.trail.Err()
}

type patcher struct {
	program *Program
	buf     []byte
	trail   Trail
}

// try writes a member, and nothing if write has nothing to say.
func (w *patcher) try(header string, write func() bool) bool {
	start := len(w.buf)
	if last := w.buf[start-1]; last != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, header...)
	if write() {
		return true
	}
	w.buf = w.buf[:start]
	return false
}

func (w *patcher) null() bool {
	w.buf = append(w.buf, leaf.Null...)
	return true
}

// object writes the patch of an object, either side of which may be missing, and reports whether it says something.
func (w *patcher) object(n *fieldplan.Node, old, updated reflect.Value) (some bool) {
	w.buf = append(w.buf, '{')
	for _, f := range n.Fields {
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		some = w.try(f.Header, func() bool { return w.member(f, Member(old, f), Member(updated, f)) }) || some
		w.trail.Leave()
	}
	w.buf = append(w.buf, '}')
	return some
}

func (w *patcher) member(f *fieldplan.Field, old, updated reflect.Value) bool {
	n := f.Node
	if n.Kind == fieldplan.Leaf {
		return w.leafMember(f, old, updated)
	}
	old, isOld := Deref(old)
	updated, isNew := Deref(updated)
	if !isOld && !isNew {
		return false
	}
	switch n.Kind {
	case fieldplan.Object:
		return w.objectMember(f, old, updated)
	case fieldplan.Map:
		return w.mapMember(n, old, updated)
	case fieldplan.List, fieldplan.Array, fieldplan.Leaf:
	}
	return w.list(n, old, updated)
}

// leafMember compares by meaning: a declared default is no value.
func (w *patcher) leafMember(f *fieldplan.Field, old, updated reflect.Value) bool {
	oldText, isOld := MemberText(&w.trail, nil, f, old)
	newText, isNew := MemberText(&w.trail, nil, f, updated)
	switch {
	case isOld == isNew && bytes.Equal(oldText, newText):
		return false
	case !isNew:
		return w.null()
	case f.Quoted:
		inner, problem := encodeLeaf(updated)
		w.report(problem)
		w.buf, _ = canonjson.AppendString(w.buf, string(inner))
		return true
	case !isOld:
		old = reflect.Value{}
	}
	return w.leaf(old, updated)
}

// leaf writes a leaf that differs. Free JSON is patched member by member, since a patch cannot replace an object.
func (w *patcher) leaf(old, updated reflect.Value) bool {
	before, problem := encodeLeaf(old)
	w.report(problem)
	after, problem := encodeLeaf(updated)
	w.report(problem)
	w.free(before, after)
	return true
}

// encodeLeaf writes a leaf behind pointers; a missing one is null.
func encodeLeaf(v reflect.Value) ([]byte, *fault.Error) {
	v, ok := Deref(v)
	if !ok {
		return []byte(leaf.Null), nil
	}
	return EncodeLeaf(v)
}

func (w *patcher) report(problem *fault.Error) {
	if problem != nil {
		w.trail.Report(problem)
	}
}

// objectMember patches an object. Where presence carries meaning, a difference in it is one.
func (w *patcher) objectMember(f *fieldplan.Field, old, updated reflect.Value) bool {
	start := len(w.buf)
	some := w.object(f.Node, old, updated)
	some = some || f.KeepsPresence() && old.IsValid() != updated.IsValid()
	if some && !updated.IsValid() {
		w.buf = w.buf[:start]
		return w.null()
	}
	return some
}

func (w *patcher) mapMember(n *fieldplan.Node, old, updated reflect.Value) bool {
	start := len(w.buf)
	some := w.entries(n, old, updated)
	if some && (!updated.IsValid() || updated.Len() == 0) {
		w.buf = w.buf[:start]
		return w.null()
	}
	return some
}

// entries writes the patch of a map.
func (w *patcher) entries(n *fieldplan.Node, old, updated reflect.Value) (some bool) {
	before, after := entriesOf(&w.trail, n, old), entriesOf(&w.trail, n, updated)
	both := maps.Clone(before)
	maps.Copy(both, after)
	w.buf = append(w.buf, '{')
	for _, key := range slices.Sorted(maps.Keys(both)) {
		header, problem := canonjson.AppendString(nil, key)
		w.report(problem)
		w.trail.Enter((&Element{Key: key}).Step(n))
		some = w.try(string(header)+":", func() bool { return w.entry(ElementNode(n, after[key]), before[key], after[key]) }) || some
		w.trail.Leave()
	}
	w.buf = append(w.buf, '}')
	return some
}

func entriesOf(t *Trail, n *fieldplan.Node, v reflect.Value) map[string]reflect.Value {
	entries := map[string]reflect.Value{}
	for _, e := range Elements(t, n, v) {
		entries[e.Key] = e.Value
	}
	return entries
}

// entry patches one element of a map, whose presence carries meaning. The zero reflect.Value is an element that is not there.
func (w *patcher) entry(n *fieldplan.Node, old, updated reflect.Value) bool {
	switch {
	case !updated.IsValid():
		return w.null()
	case old.IsValid() && bytes.Equal(w.program.AppendElement(nil, &w.trail, n, old), w.program.AppendElement(nil, &w.trail, n, updated)):
		return false
	case IsNull(n, updated) && n.Kind != fieldplan.Object && n.Kind != fieldplan.Map:
		w.notPatchable()
		return false
	case n.Kind == fieldplan.Leaf:
		return w.leaf(old, updated)
	}
	before, _ := Deref(old)
	after, _ := Deref(updated)
	switch n.Kind {
	case fieldplan.Object:
		w.object(n, before, after)
	case fieldplan.Map:
		w.entries(n, before, after)
	case fieldplan.List, fieldplan.Array, fieldplan.Leaf:
		w.whole(EncodeElement(&w.trail, n, after))
	}
	return true
}

// list replaces a list or array that differs.
func (w *patcher) list(n *fieldplan.Node, old, updated reflect.Value) bool {
	if bytes.Equal(w.listText(n, old), w.listText(n, updated)) {
		return false
	}
	if !updated.IsValid() {
		return w.null()
	}
	w.whole(EncodeElement(&w.trail, n, updated))
	return true
}

// listText is the text of a list, where a missing list is an empty one, and a missing array one of zeros.
func (w *patcher) listText(n *fieldplan.Node, v reflect.Value) []byte {
	if !v.IsValid() || n.Kind == fieldplan.List && v.IsNil() {
		v = reflect.New(n.Type).Elem()
		if n.Kind == fieldplan.List {
			v.Set(reflect.MakeSlice(n.Type, 0, 0))
		}
	}
	return w.program.AppendElement(nil, &w.trail, n, v)
}

// free patches free JSON.
func (w *patcher) free(old, updated []byte) {
	if len(updated) == 0 || updated[0] != '{' {
		w.whole(updated)
		return
	}
	before, after := freeMembers(old), freeMembers(updated)
	both := maps.Clone(before)
	maps.Copy(both, after)
	w.buf = append(w.buf, '{')
	for _, name := range slices.Sorted(maps.Keys(both)) {
		header, problem := canonjson.AppendString(nil, name)
		w.report(problem)
		w.try(string(header)+":", func() bool { return w.freeMember(before[name], after[name]) })
	}
	w.buf = append(w.buf, '}')
}

func (w *patcher) freeMember(old, updated json.RawMessage) bool {
	switch {
	case updated == nil:
		return w.null()
	case old != nil && bytes.Equal(canonical(old), canonical(updated)):
		return false
	case string(updated) == leaf.Null:
		w.notPatchable()
		return false
	}
	w.free(old, updated)
	return true
}

// whole writes what replaces a value. RFC 7386 keeps null in lists, but common implementations remove it.
func (w *patcher) whole(text []byte) {
	if len(text) > 0 && text[0] == '[' && holdsNull(text) {
		w.notPatchable()
	}
	w.buf = append(w.buf, text...)
}

func holdsNull(text []byte) bool {
	tokens := json.NewDecoder(bytes.NewReader(text))
	for {
		switch token, err := tokens.Token(); {
		case err != nil:
			return false
		case token == nil:
			return true
		}
	}
}

func (w *patcher) notPatchable() {
	w.trail.Report(&fault.Error{Kind: fault.Unsupported, Code: "not-patchable", What: "becomes or holds null, by which a merge patch removes a member", Hint: "leave the member out"})
}

// freeMembers are those of an object; nothing else has any. Their names are distinct, since the value was read from JSON or written by a
// marshaler whose text was checked.
func freeMembers(raw []byte) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	if len(raw) > 0 && raw[0] == '{' {
		_ = json.Unmarshal(raw, &found)
	}
	return found
}

func canonical(raw []byte) []byte {
	text, _ := canonjson.AppendValue(nil, raw)
	return text
}
