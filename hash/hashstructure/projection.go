package hashstructure

import (
	"errors"
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// Projection returns the value that [Of] hashes: the immutable part of [hotupdate.Split], without what stands in it only because of hot
// parts. It shares no memory with config.
//
//   - A pointer to an object that has hot or ignored fields, and of which nothing else is set, is nil, unless its field says presence.
//   - An element of a hot or ignored keyed list or map, or for which hotwhen holds, is left out if nothing in it is hashed.
//   - A list or map with hot or ignored parts in its elements is nil if it has no elements.
//
// All else is as in config: nothing is defaulted, sorted or rewritten.
func Projection[T any](s *hotupdate.Schema, config *T) (*T, error) {
	immutable, hot, err := hotupdate.Split(s, config)
	if err != nil {
		return nil, err
	}
	plan, err := schemajson.Recompile(s, reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	t := &trimmer{schema: s, immutable: immutable}
	if to, beside, ok := shared(reflect.ValueOf(immutable), reflect.ValueOf(hot)); ok {
		t.object(plan.Root, nil, to, beside)
	}
	if err := errors.Join(t.problems.Err(), t.err); err != nil {
		return nil, err
	}
	return immutable, nil
}

// trimmer takes out of an immutable projection what only the hot one has brought there. It walks where both hold something.
type trimmer struct {
	schema    *hotupdate.Schema
	immutable any
	hashed    map[string]bool // pointers of what changes if immutable goes, and all above them; nil until needed
	err       error           // of that comparison
	problems  fault.List
}

// isHashed reports whether the canonical document has something at or below the path. Indices must still be those of the configuration.
func (t *trimmer) isHashed(at fieldpath.Path) bool {
	if t.hashed == nil {
		t.hashed = map[string]bool{}
		var changes hotupdate.Changes
		changes, t.err = t.schema.Diff(t.immutable, nil)
		for _, c := range changes {
			hashed := c.Class == hotupdate.Immutable || c.Class == hotupdate.InPlace
			for pointer := c.Pointer; hashed && !t.hashed[pointer]; pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)] {
				t.hashed[pointer] = true
			}
		}
	}
	return t.hashed[at.Pointer()]
}

// shared follows pointers on both sides. It is false if one side is nil, and for leaves, which are whole on one side or identify an element.
func shared(immutable, hot reflect.Value) (to, beside reflect.Value, ok bool) {
	for to, beside = immutable, hot; to.Kind() == reflect.Pointer; to, beside = to.Elem(), beside.Elem() {
		if to.IsNil() || beside.IsNil() {
			return to, beside, false
		}
	}
	switch {
	case leaf.KindOf(to.Type()) != leaf.NotALeaf:
		return to, beside, false
	case immutable.Kind() == reflect.Slice || immutable.Kind() == reflect.Map:
		return to, beside, !to.IsNil() && !beside.IsNil()
	default:
		return to, beside, true
	}
}

func (t *trimmer) value(n *fieldplan.Node, at fieldpath.Path, to, beside reflect.Value) {
	switch to.Kind() {
	case reflect.Struct:
		t.object(n, at, to, beside)
	case reflect.Slice:
		t.elements(n, at, to, beside)
		t.dropElements(at, to)
	case reflect.Array:
		t.elements(n, at, to, beside)
	case reflect.Map:
		t.entries(n, at, to, beside)
	default:
	}
}

// object trims the fields of an object, and unsets those of which nothing is left that counts. The fields of an embedded struct are fields of the
// object.
func (t *trimmer) object(n *fieldplan.Node, at fieldpath.Path, to, beside reflect.Value) {
	for i := range to.NumField() {
		field, node, path := to.Field(i), n, at
		name, isNamed := fieldplan.PathName(to.Type().Field(i))
		if isNamed {
			f := n.Lookup(name)
			if f == nil || f.Node.Type != fieldplan.Deref(field.Type()) {
				continue // it is not in JSON
			}
			node, path = f.Node, below(at, fieldpath.Step{Kind: fieldpath.Member, Name: name})
		}
		inner, other, ok := shared(field, beside.Field(i))
		if !ok {
			continue
		}
		t.value(node, path, inner, other)
		isEmpty := inner.IsZero() || (inner.Kind() == reflect.Slice || inner.Kind() == reflect.Map) && inner.Len() == 0
		if isEmpty && field.CanSet() && !field.IsZero() && (!isNamed || !t.isHashed(path)) {
			field.SetZero()
		}
	}
}

// element trims one element. An object with nothing left is the same as nil.
func (t *trimmer) element(n *fieldplan.Node, at fieldpath.Path, to, beside reflect.Value) {
	inner, other, ok := shared(to, beside)
	if !ok {
		return
	}
	t.value(n, at, inner, other)
	if inner.Kind() == reflect.Struct && inner.IsZero() {
		to.SetZero()
	}
}

// below returns the path of what stands at a step below another path. Paths share memory: use one up before the next one is made.
func below(at fieldpath.Path, step fieldpath.Step) fieldpath.Path { return append(at, step) }

func index(at fieldpath.Path, i int) fieldpath.Path {
	return below(at, fieldpath.Step{Kind: fieldpath.Index, At: i})
}

func (t *trimmer) elements(n *fieldplan.Node, at fieldpath.Path, to, beside reflect.Value) {
	for i := range to.Len() {
		t.element(n.Elem, index(at, i), to.Index(i), beside.Index(i))
	}
}

// dropElements takes out the elements of which nothing stands in the canonical document.
func (t *trimmer) dropElements(at fieldpath.Path, list reflect.Value) {
	left := 0
	for i := range list.Len() {
		if t.isHashed(index(at, i)) {
			list.Index(left).Set(list.Index(i))
			left++
		}
	}
	if left < list.Len() {
		list.Set(list.Slice3(0, left, left))
	}
}

func (t *trimmer) entries(n *fieldplan.Node, at fieldpath.Path, to, beside reflect.Value) {
	if to.Len() > 0 && n.HidesKeys() {
		t.problems.Add(&fault.Error{
			Kind: fault.Unsupported, Code: "hidden-keys", Path: at.String(), What: "has hot and other parts below keys that must not be shown",
			Hint: "write `sensitive` in place of `sensitive=keys`, or give the map one class",
		})
		return
	}
	for _, key := range to.MapKeys() {
		entry := reflect.New(to.Type().Elem()).Elem()
		entry.Set(to.MapIndex(key))
		path := below(at, engine.KeyStep(n, key))
		if t.element(n.Elem, path, entry, beside.MapIndex(key)); !t.isHashed(path) {
			entry = reflect.Value{}
		}
		to.SetMapIndex(key, entry)
	}
}
