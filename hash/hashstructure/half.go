package hashstructure

import (
	"errors"
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Half returns the value that [Of] hashes: the immutable half of [hotupdate.Split], without what stands in it only because of hot
// parts. It shares no memory with config.
//
//   - A pointer to an object that has hot or ignored fields, and of which nothing else is set, is nil, unless its field says presence.
//   - An element of a hot or ignored keyed list or map, or for which hotwhen holds, is left out if nothing in it is kept.
//   - A list or map with hot or ignored parts in its elements is nil if it has no elements.
//
// All else is as in config: nothing is defaulted, sorted or rewritten.
func Half[T any](s *hotupdate.Schema, config *T) (*T, error) {
	kept, rest, err := hotupdate.Split(s, config)
	if err != nil {
		return nil, err
	}
	t := &trimmer{changes: func() (hotupdate.Changes, error) { return s.Diff(kept, nil) }}
	if kept, rest, ok := shared(reflect.ValueOf(kept), reflect.ValueOf(rest)); ok {
		t.object(kept, rest)
	}
	if t.err != nil {
		return nil, t.err
	}
	return kept, nil
}

// trimmer takes out of an immutable half what only a hot half has brought there. It walks where both halves hold something.
type trimmer struct {
	trail

	changes func() (hotupdate.Changes, error) // from the half to nothing
	listed  map[string]bool                   // pointers of Immutable and InPlace changes, and all above them; nil until needed
	err     error
}

// keeps reports whether something at or below the current path stands in the canonical document. It must be asked before anything was
// taken out of a list above or beside.
func (t *trimmer) keeps() bool {
	if t.listed == nil {
		t.listed = map[string]bool{}
		changes, err := t.changes()
		t.err = errors.Join(t.err, err)
		for _, c := range changes {
			if c.Class == hotupdate.Immutable || c.Class == hotupdate.InPlace {
				t.list(c.Pointer)
			}
		}
	}
	return t.listed[t.path.Pointer()]
}

func (t *trimmer) list(pointer string) {
	for !t.listed[pointer] {
		t.listed[pointer] = true
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// shared follows pointers on both sides. It is false where one half has nothing, and for leaves, which stand whole in one half or
// identify an element.
func shared(kept, rest reflect.Value) (k, r reflect.Value, ok bool) {
	for k, r = kept, rest; k.Kind() == reflect.Pointer; k, r = k.Elem(), r.Elem() {
		if k.IsNil() || r.IsNil() {
			return k, r, false
		}
	}
	switch {
	case leaf.KindOf(k.Type()) != leaf.NotALeaf:
		return k, r, false
	case kept.Kind() == reflect.Slice || kept.Kind() == reflect.Map:
		return k, r, !k.IsNil() && !r.IsNil()
	default:
		return k, r, true
	}
}

// value trims what kept and rest share.
func (t *trimmer) value(kept, rest reflect.Value) {
	switch kept.Kind() {
	case reflect.Struct:
		t.object(kept, rest)
	case reflect.Slice:
		t.elements(kept, rest)
		t.dropElements(kept)
	case reflect.Array:
		t.elements(kept, rest)
	case reflect.Map:
		t.entries(kept, rest)
	default:
	}
}

func (t *trimmer) object(kept, rest reflect.Value) {
	for i := range kept.NumField() {
		sf := kept.Type().Field(i)
		if sf.IsExported() || sf.Anonymous {
			t.inField(sf, func() { t.field(kept.Field(i), rest.Field(i), sf) })
		}
	}
}

func (t *trimmer) field(kept, rest reflect.Value, sf reflect.StructField) {
	inner, other, ok := shared(kept, rest)
	if !ok {
		return
	}
	t.value(inner, other)
	_, named := jsonName(sf)
	if !isEmpty(inner) || !kept.CanSet() || kept.IsZero() || named && t.keeps() {
		return
	}
	kept.SetZero()
}

// element trims one element. An object with nothing left is the same as nil.
func (t *trimmer) element(kept, rest reflect.Value) {
	inner, other, ok := shared(kept, rest)
	if !ok {
		return
	}
	t.value(inner, other)
	if inner.Kind() == reflect.Struct && inner.IsZero() {
		kept.SetZero()
	}
}

func isEmpty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}

func (t *trimmer) elements(kept, rest reflect.Value) {
	for i := range kept.Len() {
		t.in(index(i), func() { t.element(kept.Index(i), rest.Index(i)) })
	}
}

// dropElements takes out the elements of which nothing stands in the canonical document.
func (t *trimmer) dropElements(list reflect.Value) {
	var places []int
	for i := range list.Len() {
		t.in(index(i), func() {
			if t.keeps() {
				places = append(places, i)
			}
		})
	}
	if len(places) == list.Len() {
		return
	}
	for to, from := range places {
		list.Index(to).Set(list.Index(from))
	}
	list.Set(list.Slice3(0, len(places), len(places)))
}

func (t *trimmer) entries(kept, rest reflect.Value) {
	if kept.Len() > 0 && t.hidesKeys() {
		t.err = errors.Join(t.err, &fault.Error{
			Kind: fault.Unsupported, Code: "hidden-keys", Path: t.path.String(), What: "has hot and other parts below keys that must not be shown",
			Hint: "write `sensitive` in place of `sensitive=keys`, or give the map one class",
		})
		return
	}
	for _, key := range kept.MapKeys() {
		entry := reflect.New(kept.Type().Elem()).Elem()
		entry.Set(kept.MapIndex(key))
		t.in(t.keyStep(key), func() {
			t.element(entry, rest.MapIndex(key))
			if !t.keeps() {
				entry = reflect.Value{}
			}
		})
		kept.SetMapIndex(key, entry)
	}
}
