package manifest

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// Document is a piece of a stream: an object, an item of a List, or unreadable text.
type Document struct {
	Place

	text   []byte // begins in the line of the place
	isJSON bool   // the text is certainly JSON
	err    error
}

// Object is one object of a stream, or an error.
type Object struct {
	Place

	// Raw is the object in JSON.
	Raw []byte
	// Text is the object's text in the file, from the line of its place on.
	Text []byte
	// Err says why the object cannot be read. Raw is nil then.
	Err error
}

var errNotSplit = errors.New("is a List in flow style or within a List; write its items in block style or as JSON")

// Object returns the object of the document. It is false if the document holds none: null, or a
// List without items.
func (d *Document) Object() (o Object, ok bool) {
	o = Object{Place: d.Place, Text: d.text, Err: d.err}
	if d.err != nil {
		return o, true
	}
	raw := d.text
	if !d.isJSON && !IsJSON(raw) {
		raw, o.Err = toJSON(d.text, d.Line)
	}
	items, isList := itemsOf(raw)
	switch {
	case o.Err != nil:
		return o, true
	case len(items) > 0:
		o.Err = errNotSplit
		return o, true
	case isList, d.Item < 0 && string(bytes.TrimSpace(raw)) == "null":
		return o, false
	}
	o.Raw = raw
	return o, true
}

// itemsOf returns the items of a List. It is false for other values.
func itemsOf(raw []byte) ([]json.RawMessage, bool) {
	var list struct {
		Kind  string
		Items []json.RawMessage
	}
	if !bytes.Contains(raw, []byte(`"items"`)) || json.Unmarshal(raw, &list) != nil || !isList(list.Kind) {
		return nil, false
	}
	return list.Items, list.Items != nil
}

// IsJSON reports whether a text is one JSON value.
func IsJSON(raw []byte) bool {
	s := canonjson.NewScanner(raw)
	s.SkipSpace()
	return s.Skip() == nil && s.End() == nil
}
