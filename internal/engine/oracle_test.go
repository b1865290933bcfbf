package engine_test

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

func explainedFor(want fieldplan.ClassSet, spelled bool, p *fieldplan.Plan, v reflect.Value) ([]byte, error) {
	w := writer{want: want, spelled: spelled}
	w.root(p, v)
	if err := w.trail.Err(); err != nil {
		return nil, err
	}
	return w.buf, nil
}

// writer writes one document. A value that may be empty is written on trial, and removed if it is. Only certain text is flushed.
type writer struct {
	buf     []byte
	trail   engine.Trail
	above   engine.Ancestors
	want    fieldplan.ClassSet // what is written
	spelled bool               // write JSON that can be decoded into the type
}

func (w *writer) root(p *fieldplan.Plan, v reflect.Value) {
	object, ok := engine.Deref(v)
	if ok {
		w.trail.Visit(&w.above, p.Root, object)
	}
	if !w.object(p.Root, object, nil) {
		w.buf = append(w.buf, "{}"...)
	}
}

func (w *writer) leave(ancestors int) { w.above = w.above[:ancestors] }

// writesPresence reports whether the presence of n, or of its elements, is written.
func (w *writer) writesPresence(n *fieldplan.Node) bool { return w.want.Any(fieldplan.Of(n.Class)) }

// keepsElement reports whether the presence of an element with this node is written. If hotwhen holds, the element's own class counts.
func (w *writer) keepsElement(n, node *fieldplan.Node) bool {
	if node == n.Elem {
		return w.writesPresence(n)
	}
	return w.writesPresence(node)
}

// writes reports whether anything at or below n can be written.
func (w *writer) writes(n *fieldplan.Node) bool { return n.Classes.Any(w.want) }

// position and cut begin and undo a trial.
func (w *writer) position() int { return len(w.buf) }

func (w *writer) cut(position int) { w.buf = w.buf[:position] }

// object writes an object and reports whether it had a member. Without one nothing is written. For an element, the collection names fields that are
// always written, but do not count as members.
func (w *writer) object(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) bool {
	if !v.IsValid() {
		return false
	}
	start, some := w.position(), false
	w.buf = append(w.buf, '{')
	unknown := w.unknownMembers(n, v)
	for _, f := range n.Fields {
		some = w.unknown(n, unknown.Before(f.Name)) || some
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		if w.identifies(in, f) {
			w.identity(f, v)
		} else if w.writes(f.Node) || f.HasPresence() && w.writesPresence(f.Node) {
			some = w.member(f, engine.Member(v, f)) || some
		}
		w.trail.Leave()
	}
	some = w.unknown(n, unknown.Left()) || some
	if !some {
		w.cut(start)
		return false
	}
	w.buf = append(w.buf, '}')
	return true
}

// unknownMembers returns the unknown members of an object, if their class is written.
func (w *writer) unknownMembers(n *fieldplan.Node, v reflect.Value) engine.Unknown {
	if n.Rest == nil || !w.writes(n.Rest.Node) {
		return nil
	}
	return engine.UnknownMembers(&w.trail, n, v)
}

// unknown writes unknown members in their order among the known ones.
func (w *writer) unknown(n *fieldplan.Node, members []engine.Element) (some bool) {
	for _, e := range members {
		header, _ := canonjson.AppendString(nil, e.Key)
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: e.Key})
		some = w.member(&fieldplan.Field{Name: e.Key, Header: string(header) + ":", Node: n.Rest.Node.Elem}, e.Value) || some
		w.trail.Leave()
	}
	return some
}

// header writes a member's name, after a comma unless it is the first.
func (w *writer) header(f *fieldplan.Field) {
	if last := w.buf[len(w.buf)-1]; last != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, f.Header...)
}

// identifies reports whether f is written in every written element of a collection: its key, and its selector unless that is left out with the
// collection. Decoding needs both.
func (w *writer) identifies(in *fieldplan.Node, f *fieldplan.Field) bool {
	return in != nil && in.Identity(f) && (w.writesPresence(in) || w.spelled || in.Key != nil && in.Key.Name == f.Name)
}

// identity writes the field by which an element is found or selected, zero or not.
func (w *writer) identity(f *fieldplan.Field, v reflect.Value) {
	w.header(f)
	start := len(w.buf)
	value := engine.Member(v, f)
	if _, ok := engine.Deref(value); !ok {
		value = reflect.Zero(f.Node.Type)
	}
	w.buf = elementText(&w.trail, w.buf, f.Node, value)
	w.spell(start, f.Node.Leaf, spelling(f))
}

// member writes name and value, or nothing where the value is absent.
func (w *writer) member(f *fieldplan.Field, v reflect.Value) bool {
	start := w.position()
	w.header(f)
	if w.value(f, v) {
		return true
	}
	w.cut(start)
	return false
}

// memberText appends the text of a member that is a leaf and reports whether it is set.
func memberText(t *engine.Trail, dst []byte, f *fieldplan.Field, v reflect.Value) ([]byte, bool) {
	v, ok := engine.Deref(v)
	if !ok || !f.Pointer && v.IsZero() {
		return dst, false
	}
	text := elementText(t, dst, f.Node, v)
	if f.Unset(text[len(dst):]) {
		return dst, false
	}
	return text, true
}

// elementText appends the text of an element that is a leaf: null where nothing is there.
func elementText(t *engine.Trail, dst []byte, n *fieldplan.Node, v reflect.Value) []byte {
	v, ok := engine.Deref(v)
	if !ok {
		return append(dst, leaf.Null...)
	}
	text, problem := leaf.Append(dst, n.Leaf, v)
	if problem != nil {
		t.Report(problem)
		return append(dst, leaf.Null...)
	}
	return text
}

func (w *writer) value(f *fieldplan.Field, v reflect.Value) (present bool) {
	n := f.Node
	if n.Kind == fieldplan.Leaf {
		start := len(w.buf)
		w.buf, present = memberText(&w.trail, w.buf, f, v)
		if present {
			w.spell(start, n.Leaf, spelling(f))
		}
		return present
	}
	v, ok := engine.Deref(v)
	if !ok {
		return false
	}
	defer w.leave(len(w.above))
	if !w.trail.Visit(&w.above, n, v) {
		return false
	}
	if w.composite(n, v, nil) {
		return true
	}
	if n.Kind == fieldplan.Object && f.HasPresence() && w.writesPresence(n) {
		w.buf = append(w.buf, "{}"...)
		return true
	}
	return false
}

// spell turns the canonical text of a leaf into JSON that can be decoded, if the document is spelled.
func (w *writer) spell(start int, k leaf.Kind, spelling leaf.Spelling) {
	if w.spelled {
		w.buf = leaf.Spell(w.buf, start, k, spelling)
	}
}

func spelling(f *fieldplan.Field) leaf.Spelling {
	if f.Quoted {
		return leaf.Quoted
	}
	return leaf.Plain
}

// composite writes a value that is no leaf, and nothing where it is empty.
func (w *writer) composite(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) bool {
	switch {
	case n.Kind == fieldplan.Object:
		return w.object(n, v, in)
	case n.Kind == fieldplan.Map:
		return w.keyed(n, v, '{', '}')
	case n.Kind == fieldplan.Array:
		return w.array(n, v)
	case n.Pairing == fieldplan.ByKey:
		return w.keyed(n, v, '[', ']')
	case n.Pairing == fieldplan.ByValue:
		return w.set(n, v)
	default:
		return w.positional(n, v)
	}
}

// keyed writes the elements of a map or keyed list in the order of their keys.
func (w *writer) keyed(n *fieldplan.Node, v reflect.Value, begin, end byte) bool {
	start, some := w.position(), false
	w.buf = append(w.buf, begin)
	for _, e := range w.elements(n, v) {
		w.trail.Enter(e.Step(n))
		some = w.keyedElement(n, e) || some
		w.trail.Leave()
	}
	if !some {
		w.cut(start)
		return false
	}
	w.buf = append(w.buf, end)
	return true
}

// elements returns the elements of a map or keyed list in canonical order. Keys are compared as the numbers or texts that Go has there.
func (w *writer) elements(n *fieldplan.Node, v reflect.Value) []engine.Element {
	if n.Kind == fieldplan.Map {
		return engine.Entries(&w.trail, n, v)
	}
	var found []engine.Element
	keys := map[int]reflect.Value{}
	for i := range v.Len() {
		object, _ := engine.Deref(v.Index(i))
		key, ok := engine.Deref(engine.Member(object, n.Key))
		problem := &fault.Error{Kind: fault.Missing, Code: "missing-list-key", What: "has no " + n.Key.Name + ", by which the element is found", Hint: "set it"}
		switch {
		case object.IsValid() && v.Len() == 1 && fieldplan.IsProjected(n.Class) && n.When == nil &&
			n.Key.Node.Leaf == leaf.String && (!ok || key.Len() == 0):
			return []engine.Element{{Value: v.Index(i)}} // the only element needs no key
		case ok && key.Kind() != reflect.String, ok && key.Len() > 0 && utf8.ValidString(key.String()):
			found, keys[i] = append(found, engine.Element{Key: keyText(key), At: i, Value: v.Index(i)}), key
			continue
		case ok && key.Len() > 0:
			problem = &fault.Error{Kind: fault.Malformed, Code: "invalid-utf8", What: "has a key that is not valid UTF-8", Hint: "correct the key"}
		}
		w.report(fieldpath.Step{Kind: fieldpath.Index, At: i}, problem)
	}
	slices.SortStableFunc(found, func(a, b engine.Element) int { return compareKeys(keys[a.At], keys[b.At]) })
	return slices.CompactFunc(found, func(a, b engine.Element) bool {
		if compareKeys(keys[a.At], keys[b.At]) != 0 {
			return false
		}
		w.report(b.Step(n), &fault.Error{Kind: fault.Duplicate, Code: "duplicate-list-key", What: "is the key of two elements", Hint: "give each element a key of its own"})
		return true
	})
}

func (w *writer) report(step fieldpath.Step, problem *fault.Error) {
	w.trail.Enter(step)
	w.trail.Report(problem)
	w.trail.Leave()
}

func keyText(key reflect.Value) string {
	switch {
	case key.Kind() == reflect.String:
		return key.String()
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10)
	default:
		return strconv.FormatUint(key.Uint(), 10)
	}
}

func compareKeys(a, b reflect.Value) int {
	switch {
	case a.Kind() == reflect.String:
		return strings.Compare(a.String(), b.String())
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	default:
		return cmp.Compare(a.Uint(), b.Uint())
	}
}

func (w *writer) keyedElement(n *fieldplan.Node, e engine.Element) bool {
	start := w.position()
	if last := w.buf[len(w.buf)-1]; last != '{' && last != '[' {
		w.buf = append(w.buf, ',')
	}
	if n.Kind == fieldplan.Map {
		w.buf, _ = canonjson.AppendString(w.buf, e.Key) // engine.Entries has checked the key
		w.buf = append(w.buf, ':')
	}
	node := engine.ElementNode(n, e.Value)
	if w.keepsElement(n, node) {
		w.element(node, e.Value, n)
		return true
	}
	if w.traces(node, e.Value, n) {
		return true
	}
	w.cut(start)
	return false
}

// traces writes an element of a collection without written presence, if something in the element is written.
func (w *writer) traces(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) bool {
	v, ok := engine.Deref(v)
	if !ok || !w.writes(n) {
		return false
	}
	defer w.leave(len(w.above))
	return w.trail.Visit(&w.above, n, v) && w.composite(n, v, in)
}

// element writes an element, even an empty one: its presence belongs to the collection.
func (w *writer) element(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) {
	if n.Kind == fieldplan.Leaf {
		start := len(w.buf)
		w.buf = elementText(&w.trail, w.buf, n, v)
		w.spell(start, n.Leaf, leaf.Plain)
		return
	}
	defer w.leave(len(w.above))
	object, ok := engine.Deref(v)
	if ok && !w.trail.Visit(&w.above, n, object) {
		return
	}
	if (ok || n.Kind == fieldplan.Object) && w.full(n, object, in) {
		return
	}
	w.buf = append(w.buf, emptyElement(n, v)...)
}

// full writes an element that is no leaf: an array with all elements, an object with its identity even if nothing else is left.
func (w *writer) full(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) bool {
	if n.Kind == fieldplan.Array {
		w.places(n, v)
		return true
	}
	if w.composite(n, v, in) {
		return true
	}
	if n.Kind != fieldplan.Object || in == nil || in.Key == nil && in.When == nil {
		return false
	}
	w.buf = append(w.buf, '{')
	for _, f := range n.Fields {
		if w.identifies(in, f) {
			w.identity(f, v)
		}
	}
	w.buf = append(w.buf, '}')
	return true
}

// emptyElement returns the text of an element with nothing in it: {} for an object in JSON, nil or emptied; null for other nil values.
func emptyElement(n *fieldplan.Node, v reflect.Value) string {
	switch {
	case n.Kind == fieldplan.Object || n.Kind == fieldplan.Map:
		return "{}"
	case engine.IsNull(n, v):
		return "null"
	default:
		return "[]"
	}
}

// positional writes a list in its own order.
func (w *writer) positional(n *fieldplan.Node, v reflect.Value) bool {
	if v.Len() == 0 || !w.writesPresence(n) {
		return w.sparse(n, v)
	}
	w.places(n, v)
	return true
}

// sparse writes the elements of a list whose elements' presence is not written, in their places, up to the last one with something in
// it. Nothing is kept below a list that is hot or ignored.
func (w *writer) sparse(n *fieldplan.Node, v reflect.Value) bool {
	if !w.writes(n.Elem) {
		return false
	}
	start, end := w.position(), 0
	w.buf = append(w.buf, '[')
	for i := range v.Len() {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		if w.traces(n.Elem, v.Index(i), nil) {
			end = w.position()
		} else {
			w.buf = append(w.buf, emptyElement(n.Elem, v.Index(i))...)
		}
		w.trail.Leave()
	}
	if end == 0 {
		w.cut(start)
		return false
	}
	w.cut(end)
	w.buf = append(w.buf, ']')
	return true
}

func (w *writer) places(n *fieldplan.Node, v reflect.Value) {
	w.buf = append(w.buf, '[')
	for i := range v.Len() {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		w.element(n.Elem, v.Index(i), nil)
		w.trail.Leave()
	}
	w.buf = append(w.buf, ']')
}

// array writes an array of fixed length. An array equal to the zero array is absent.
func (w *writer) array(n *fieldplan.Node, v reflect.Value) bool {
	if !w.writesPresence(n) || v.Len() == 0 {
		return w.sparse(n, v)
	}
	start := len(w.buf)
	w.places(n, v)
	if bytes.Equal(w.buf[start:], w.zeroArray(n)) {
		w.buf = w.buf[:start]
		return false
	}
	return true
}

// zeroArray is the text of the zero array, or nil if its elements cannot be written.
func (w *writer) zeroArray(n *fieldplan.Node) []byte {
	zero := writer{want: w.want, spelled: w.spelled}
	zero.places(n, reflect.New(n.Type).Elem())
	if zero.trail.Failed() {
		return nil
	}
	return zero.buf
}

// set writes the elements in the order of their bytes, each once.
func (w *writer) set(n *fieldplan.Node, v reflect.Value) bool {
	if v.Len() == 0 || !w.writesPresence(n) {
		return false
	}
	elements := make([][]byte, 0, v.Len())
	for i := range v.Len() {
		start := len(w.buf)
		w.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		w.element(n.Elem, v.Index(i), nil)
		w.trail.Leave()
		elements = append(elements, bytes.Clone(w.buf[start:]))
		w.buf = w.buf[:start]
	}
	slices.SortFunc(elements, bytes.Compare)
	elements = slices.CompactFunc(elements, bytes.Equal)
	w.buf = append(w.buf, '[')
	w.buf = append(w.buf, bytes.Join(elements, []byte{','})...)
	w.buf = append(w.buf, ']')
	return true
}
