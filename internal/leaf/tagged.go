package leaf

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TaggedFields returns the Go fields below type t that carry a hotupdatable struct tag. Below a leaf such a struct tag has no effect.
func TaggedFields(t reflect.Type) []string {
	var found []string
	collectTagged(t, map[reflect.Type]bool{}, &found)
	return found
}

func collectTagged(t reflect.Type, seen map[reflect.Type]bool, found *[]string) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collectTagged(t.Elem(), seen, found)
	case reflect.Struct:
		for f := range t.Fields() {
			if _, present, _ := structtag.Parse(f.Tag); present {
				*found = append(*found, t.String()+"."+f.Name)
			}
			collectTagged(f.Type, seen, found)
		}
	default:
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
