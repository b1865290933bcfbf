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

// MergePatch returns the JSON merge patch (RFC 7386) that gives old the meaning of updated, two values of the plan's type of which neither
// contains itself. A patch replaces lists as a whole and removes members by null, so a value that is or holds null is not-patchable.
func MergePatch(p *fieldplan.Plan, old, updated reflect.Value) ([]byte, error) {
	w := &patcher{program: Of(p)}
	w.object(p.Root, pair{old, updated}.deref())
	return w.buf, w.trail.Err()
}

// patcher writes a patch. Its functions report whether they have written something.
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

// header is the header of a member whose name is known to be UTF-8.
func header(name string) string {
	text, _ := canonjson.AppendString(nil, name)
	return string(text) + ":"
}

func (w *patcher) null() bool {
	w.buf = append(w.buf, leaf.Null...)
	return true
}

func (w *patcher) object(n *fieldplan.Node, values pair) (some bool) {
	w.buf = append(w.buf, '{')
	for _, f := range n.Fields {
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		some = w.try(f.Header, func() bool { return w.member(f, pair{Member(values[0], f), Member(values[1], f)}) }) || some
		w.trail.Leave()
	}
	w.buf = append(w.buf, '}')
	return some
}

func (w *patcher) report(problem *fault.Error) {
	if problem != nil {
		w.trail.Report(problem)
	}
}

func (w *patcher) member(f *fieldplan.Field, values pair) bool {
	n := f.Node
	if n.Kind == fieldplan.Leaf {
		return w.leafMember(f, values)
	}
	isOld, isNew := isPresent(values[0]), isPresent(values[1])
	if !isOld && !isNew {
		return false
	}
	values = values.deref()
	start, differs := len(w.buf), f.HasPresence() && isOld != isNew
	some := false
	switch n.Kind {
	case fieldplan.Object:
		some = w.object(n, values) || differs
	case fieldplan.Map:
		some = w.entries(n, values) || differs
		isNew = isNew && (f.HasPresence() || values[1].Len() > 0)
	case fieldplan.List, fieldplan.Array, fieldplan.Leaf:
		some = w.list(n, values)
		if !some && differs {
			w.whole(EncodeElement(&w.trail, n, values[1]))
			some = true
		}
	}
	if some && !isNew {
		w.buf = w.buf[:start]
		return w.null()
	}
	return some
}

// leafMember compares by meaning: a declared default is no value.
func (w *patcher) leafMember(f *fieldplan.Field, values pair) bool {
	oldText, isOld := MemberText(&w.trail, nil, f, values[0])
	newText, isNew := MemberText(&w.trail, nil, f, values[1])
	switch {
	case isOld == isNew && bytes.Equal(oldText, newText):
		return false
	case !isNew:
		return w.null()
	case f.Quoted:
		w.buf, _ = canonjson.AppendString(w.buf, string(w.encoded(values[1])))
		return true
	case !isOld:
		values[0] = reflect.Value{}
	}
	return w.leaf(values)
}

// leaf writes a leaf that differs. Free JSON is patched member by member, since a patch cannot replace an object.
func (w *patcher) leaf(values pair) bool {
	w.free(w.encoded(values[0]), w.encoded(values[1]))
	return true
}

// encoded returns the JSON of a leaf behind pointers; a missing one is null.
func (w *patcher) encoded(v reflect.Value) []byte {
	v, ok := Deref(v)
	if !ok {
		return []byte(leaf.Null)
	}
	raw, problem := EncodeLeaf(v)
	w.report(problem)
	return raw
}

func (w *patcher) entries(n *fieldplan.Node, values pair) (some bool) {
	w.buf = append(w.buf, '{')
	for pairs := (pairing{left: [2][]Element{Entries(&w.trail, n, values[0]), Entries(&w.trail, n, values[1])}}); pairs.next(); {
		e, entry := pairs.element(), pairs.values()
		w.trail.Enter(e.Step(n))
		some = w.try(header(e.Key), func() bool { return w.entry(ElementNode(n, entry[1]), entry) }) || some
		w.trail.Leave()
	}
	w.buf = append(w.buf, '}')
	return some
}

// entry patches one element of a map, whose presence carries meaning.
func (w *patcher) entry(n *fieldplan.Node, values pair) bool {
	switch {
	case !values[1].IsValid():
		return w.null()
	case values[0].IsValid() && bytes.Equal(w.text(n, values[0]), w.text(n, values[1])):
		return false
	case IsNull(n, values[1]) && n.Kind != fieldplan.Object && n.Kind != fieldplan.Map:
		w.notPatchable()
		return false
	}
	switch n.Kind {
	case fieldplan.Leaf:
		return w.leaf(values)
	case fieldplan.Object:
		w.object(n, values.deref())
	case fieldplan.Map:
		w.entries(n, values.deref())
	case fieldplan.List, fieldplan.Array:
		w.whole(EncodeElement(&w.trail, n, values[1]))
	}
	return true
}

func (w *patcher) text(n *fieldplan.Node, v reflect.Value) []byte {
	return w.program.AppendElement(nil, &w.trail, n, v)
}

// list replaces a list or array that differs. A missing list is an empty one, a missing array one of zeros.
func (w *patcher) list(n *fieldplan.Node, values pair) bool {
	for i, v := range values {
		if n.Kind == fieldplan.Array {
			values[i] = arrayOrZero(n, v)
		} else if length(v) == 0 {
			values[i] = emptyOf(n.Type)
		}
	}
	if bytes.Equal(w.text(n, values[0]), w.text(n, values[1])) {
		return false
	}
	w.whole(EncodeElement(&w.trail, n, values[1]))
	return true
}

func (w *patcher) free(old, updated []byte) {
	if len(updated) == 0 || updated[0] != '{' {
		w.whole(updated)
		return
	}
	before, after := freeMembers(old), freeMembers(updated)
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	w.buf = append(w.buf, '{')
	for _, name := range slices.Compact(names) {
		w.try(header(name), func() bool { return w.freeMember(before[name], after[name]) })
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
