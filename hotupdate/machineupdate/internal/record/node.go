package record

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// object is a hot part, or an object in one, that is being laid out. Its members are objects, leaves as JSON, and lists of leaves as JSON.
type object map[string]any

// put adds a leaf, and reports whether there is room for it. Elements of one list are added in order.
func (o object) put(l leaf) bool {
	names := fieldpath.Names(l.pointer)
	last := len(names) - 1
	for _, name := range names[:last] {
		if o[name] == nil {
			o[name] = object{}
		}
		below, ok := o[name].(object)
		if !ok {
			return false
		}
		o = below
	}
	list, isList := o[names[last]].([]json.RawMessage)
	switch isTaken := o[names[last]] != nil; {
	case isTaken && (!isList || l.element == ""):
		return false
	case l.element == "":
		o[names[last]] = json.RawMessage(l.value)
	default:
		o[names[last]] = append(list, json.RawMessage(l.element))
	}
	return true
}

// document returns the hot part in canonical JSON.
func (o object) document() string {
	text, _ := json.Marshal(o)                       // it was read from JSON
	canonical, _ := canonjson.AppendValue(nil, text) // as above
	return string(canonical)
}

// appendList appends a list of JSON values.
func appendList(dst []byte, values []string) []byte {
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, value...)
	}
	return append(dst, ']')
}
