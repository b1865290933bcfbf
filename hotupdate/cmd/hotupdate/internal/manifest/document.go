package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a piece of a stream: an object, an item of a List, or what cannot be read.
type Document struct {
	Place

	text []byte // it begins in the line of the place
	err  error
}

// Size is the number of bytes of the document.
func (d *Document) Size() int { return len(d.text) }

// Object is one object of a stream, or what could not be read.
type Object struct {
	Place

	// Raw is the object in JSON.
	Raw []byte
	// Err says why the object cannot be read. Raw is nil then.
	Err error

	text   []byte
	parsed *yaml.Node // nil before somebody asks for a line
}

var errNotSplit = errors.New("is a List in flow style or within a List; write its items in block style or as JSON")

// Object returns the object of the document. It is false if the document holds none: null, or a List without items.
func (d *Document) Object() (o Object, ok bool) {
	o = Object{Place: d.Place, Err: d.err, text: d.text}
	if d.err != nil {
		return o, true
	}
	raw := d.text
	if !IsJSON(raw) {
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

// itemsOf returns the items of a List. It is false for another value.
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

// LineOf returns the line of the file in which a member of the object stands, by what leads to it: the names of members, and the positions of
// elements or, as in name=a, one of their members. It is 0 if there is none.
func (o *Object) LineOf(path ...string) int {
	var document yaml.Node
	if o.parsed == nil && yaml.Unmarshal(o.text, &document) == nil && len(document.Content) > 0 { // JSON is YAML
		o.parsed = document.Content[0]
	}
	if key, _ := find(o.parsed, path...); key != nil {
		return key.Line + o.Line - 1
	}
	return 0
}

// find returns the key and the value of the last member of a path, or its element twice.
func find(node *yaml.Node, path ...string) (key, value *yaml.Node) {
	for _, name := range path {
		if node != nil && node.Kind == yaml.AliasNode {
			node = node.Alias
		}
		key, node = step(node, name)
	}
	return key, node
}

// step returns the key and the value of a member, or an element twice.
func step(node *yaml.Node, name string) (key, value *yaml.Node) {
	if node == nil {
		return nil, nil
	}
	if i, err := strconv.Atoi(name); err == nil && node.Kind == yaml.SequenceNode && i >= 0 && i < len(node.Content) {
		return node.Content[i], node.Content[i]
	}
	if member, text, byKey := strings.Cut(name, "="); byKey && node.Kind == yaml.SequenceNode {
		for _, element := range node.Content {
			if _, value := find(element, member); value != nil && value.Value == text {
				return element, element
			}
		}
	}
	for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}
