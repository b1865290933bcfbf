package leaf

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TaggedFields returns the Go fields below type t that carry a hotupdatable struct tag. Below a leaf such a struct tag has no effect.
func TaggedFields(t reflect.Type) []string {
	var found []string
	walkTypes(t, map[reflect.Type]bool{}, func(t reflect.Type) bool {
		if t.Kind() != reflect.Struct {
			return true
		}
		for f := range t.Fields() {
			if _, present, _ := structtag.Parse(f.Tag); present {
				found = append(found, t.String()+"."+f.Name)
			}
		}
		return true
	})
	return found
}

// walkTypes calls visit for t and the types below it, each once, but not for those below a type for which visit is false.
func walkTypes(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type) bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if !visit(t) {
		return
	}
	//exhaustive:ignore
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		walkTypes(t.Elem(), seen, visit)
	case reflect.Struct:
		for f := range t.Fields() {
			walkTypes(f.Type, seen, visit)
		}
	}
}

// PromotesMarshaler reports whether struct t has its marshaler from an embedded field.
func PromotesMarshaler(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		if f.Anonymous && (implements(f.Type, jsonMarshalerType) || implements(f.Type, textMarshalerType)) {
			return true
		}
	}
	return false
}
