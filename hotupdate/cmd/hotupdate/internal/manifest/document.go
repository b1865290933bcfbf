package manifest

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Document is a piece of a stream: an object, a List of at most 128 KiB, an item of a larger List, or what cannot be read.
type Document struct {
	place Place
	text  []byte // it begins in the line of the place
	err   error

	parsing sync.Once
	parsed  *yaml.Node // nil before somebody asks for a line

	fractions bool // it is JSON, and may hold a number with a fraction or an exponent
}

// Size is the number of bytes of the document.
func (d *Document) Size() int { return len(d.text) }

// Objects returns the objects of the document. It is safe for concurrent use.
func (d *Document) Objects() []Object {
	if d.err != nil {
		return []Object{{Place: d.place, Err: d.err, document: d, index: -1}}
	}
	raw, converted := d.text, !IsJSON(d.text)
	if converted {
		var failure error
		if raw, failure = toJSON(d.text, d.place.Line); failure != nil {
			return d.pieces(failure)
		}
		if len(raw) == 0 {
			raw = []byte("null")
		}
	}
	top := rootOf(raw)
	top.converted = converted
	switch {
	case d.place.Item < 0 && string(bytes.TrimSpace(raw)) == "null":
		return nil
	case top.items != nil && isList(top.kind):
		return d.items(top)
	case top.items != nil && top.kind == "":
		end := Object{Place: d.place, Err: errNoList, document: d, index: -1}
		end.Line += bytes.Count(d.text, []byte("\n"))
		return append(d.items(top), end)
	}
	return []Object{{Place: d.place, Raw: d.plain(raw), document: d, index: -1}}
}

// pieces returns the objects of a List whose text as a whole cannot be read, or that this is so.
func (d *Document) pieces(failure error) (all []Object) {
	var parts []*Document
	s := splitter{source: newSource(bytes.NewReader(d.text)), from: d.place.File, number: d.place.Number - 1}
	s.line = d.place.Line
	s.setMark()
	s.yield = func(part *Document) bool {
		parts = append(parts, part)
		return true
	}
	if d.place.Item >= 0 || !s.jsonList() && !s.yamlList() {
		return []Object{{Place: d.place, Err: failure, document: d, index: -1}}
	}
	for _, part := range parts {
		all = append(all, part.Objects()...)
	}
	return all
}

// plain returns JSON with its numbers as a cluster returns them. What comes from YAML has such ones.
func (d *Document) plain(raw []byte) []byte {
	if d.fractions {
		return plainNumbers(raw)
	}
	return raw
}

// items returns the items of a List as objects. Those of JSON stand in the document's text, those of YAML are found by its parser.
func (d *Document) items(top rootMembers) []Object {
	all := make([]Object, len(top.items))
	var list *yaml.Node
	if top.converted {
		_, list = find(d.root(), "items")
	}
	for i, raw := range top.items {
		all[i] = Object{Place: d.place, Raw: d.plain(raw), document: d, index: i}
		all[i].Item = i
		switch {
		case list == nil:
			before := cap(d.text) - cap(raw) // the item is a part of the text
			all[i].Line += bytes.Count(d.text[:before], []byte("\n"))
		case i < len(list.Content):
			all[i].Line += list.Content[i].Line - 1
		}
	}
	return all
}

// LineOf returns the line of the file in which a member of the object stands, by what leads to it: the names of members, and the positions of
// elements or, as in name=a, one of their members. It is 0 if there is none.
func (o *Object) LineOf(path ...string) int {
	if o.index >= 0 {
		path = append([]string{"items", strconv.Itoa(o.index)}, path...)
	}
	if key, _ := find(o.document.root(), path...); key != nil {
		return key.Line + o.document.place.Line - 1
	}
	return 0
}

// root parses the text for the lines of its members. JSON is YAML.
func (d *Document) root() *yaml.Node {
	d.parsing.Do(func() {
		var node yaml.Node
		if yaml.Unmarshal(d.text, &node) == nil && len(node.Content) > 0 {
			d.parsed = node.Content[0]
		}
	})
	return d.parsed
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

// rootMembers are what tells a List from other objects.
type rootMembers struct {
	kind  string
	items [][]byte // nil if there is no such array

	converted bool // from YAML
}

// rootOf reads the root of valid JSON.
func rootOf(raw []byte) (m rootMembers) {
	if len(raw) == 0 || raw[next(raw, 0)] != '{' {
		return m
	}
	for _, one := range AppendMembers(nil, raw) {
		switch string(one.Name) {
		case "kind":
			m.kind = string(bytes.Trim(one.Raw, `"`))
		case "items":
			m.items, _ = Elements(one.Raw)
		}
	}
	return m
}
