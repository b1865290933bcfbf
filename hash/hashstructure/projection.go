package hashstructure

import (
	"errors"
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
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
	t := &trimmer{trail: trail{schema: s, typ: reflect.TypeFor[T]()}, immutable: immutable}
	if to, beside, ok := shared(reflect.ValueOf(immutable), reflect.ValueOf(hot)); ok {
		t.object(to, beside)
	}
	if err := errors.Join(t.Err(), t.err); err != nil {
		return nil, err
	}
	return immutable, nil
}

// trimmer takes out of an immutable projection what only the hot one has brought there. It walks where both hold something.
type trimmer struct {
	trail

	immutable any
	hashed    map[string]bool // pointers of what changes if immutable goes, and all above them; nil until needed
	err       error           // of that comparison
}

// isHashed reports whether the canonical document has something at or below the path. Indices must still be those of the configuration.
func (t *trimmer) isHashed() bool {
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
	return t.hashed[t.Path.Pointer()]
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

func (t *trimmer) value(to, beside reflect.Value) {
	switch to.Kind() {
	case reflect.Struct:
		t.object(to, beside)
	case reflect.Slice:
		t.elements(to, beside)
		t.dropElements(to)
	case reflect.Array:
		t.elements(to, beside)
	case reflect.Map:
		t.entries(to, beside)
	default:
	}
}

func (t *trimmer) object(to, beside reflect.Value) {
	for i := range to.NumField() {
		sf := to.Type().Field(i)
		if sf.IsExported() || sf.Anonymous {
			t.inField(sf, func() { t.field(to.Field(i), beside.Field(i), sf) })
		}
	}
}

// field trims a field, and unsets it if nothing is left that counts.
func (t *trimmer) field(to, beside reflect.Value, sf reflect.StructField) {
	inner, other, ok := shared(to, beside)
	if !ok {
		return
	}
	t.value(inner, other)
	isEmpty := inner.IsZero() || (inner.Kind() == reflect.Slice || inner.Kind() == reflect.Map) && inner.Len() == 0
	if _, named := fieldplan.PathName(sf); isEmpty && to.CanSet() && !to.IsZero() && (!named || !t.isHashed()) {
		to.SetZero()
	}
}

// element trims one element. An object with nothing left is the same as nil.
func (t *trimmer) element(to, beside reflect.Value) {
	inner, other, ok := shared(to, beside)
	if !ok {
		return
	}
	t.value(inner, other)
	if inner.Kind() == reflect.Struct && inner.IsZero() {
		to.SetZero()
	}
}

func (t *trimmer) elements(to, beside reflect.Value) {
	for i := range to.Len() {
		t.in(index(i), func() { t.element(to.Index(i), beside.Index(i)) })
	}
}

// dropElements takes out the elements of which nothing stands in the canonical document.
func (t *trimmer) dropElements(list reflect.Value) {
	left := 0
	for i := range list.Len() {
		t.in(index(i), func() {
			if t.isHashed() {
				list.Index(left).Set(list.Index(i))
				left++
			}
		})
	}
	if left < list.Len() {
		list.Set(list.Slice3(0, left, left))
	}
}

func (t *trimmer) entries(to, beside reflect.Value) {
	if to.Len() > 0 && t.hideKeys() {
		t.Report(&fault.Error{
			Kind: fault.Unsupported, Code: "hidden-keys", What: "has hot and other parts below keys that must not be shown",
			Hint: "write `sensitive` in place of `sensitive=keys`, or give the map one class",
		})
		return
	}
	for _, key := range to.MapKeys() {
		entry := reflect.New(to.Type().Elem()).Elem()
		entry.Set(to.MapIndex(key))
		t.in(t.keyStep(key), func() {
			t.element(entry, beside.MapIndex(key))
			if !t.isHashed() {
				entry = reflect.Value{}
			}
		})
		to.SetMapIndex(key, entry)
	}
}
