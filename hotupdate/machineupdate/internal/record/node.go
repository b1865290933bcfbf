package record

import (
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// node is a part of a hot part that is being laid out: a leaf, a list of scalars, or an object. A new one is none of them yet.
type node struct {
	leaf     string
	elements []string
	members  map[string]*node
}

// put adds a leaf, and reports whether there is room for it.
func (n *node) put(p place, value string) bool {
	for _, name := range fieldpath.Names(p.pointer) {
		if n.leaf != "" || n.elements != nil {
			return false
		}
		if n.members == nil {
			n.members = map[string]*node{}
		}
		if n.members[name] == nil {
			n.members[name] = &node{}
		}
		n = n.members[name]
	}
	if n.leaf != "" || n.members != nil || n.elements != nil && p.element == "" {
		return false
	}
	if p.element == "" {
		n.leaf = value
	} else {
		n.elements = append(n.elements, p.element)
	}
	return true
}

// appendTo appends the hot part in canonical JSON.
func (n *node) appendTo(dst []byte) []byte {
	switch {
	case n.leaf != "":
		return append(dst, n.leaf...)
	case n.elements != nil:
		return appendList(dst, slices.Sorted(slices.Values(n.elements)))
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(n.members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = canonjson.AppendString(dst, name) // it was read from JSON
		dst = n.members[name].appendTo(append(dst, ':'))
	}
	return append(dst, '}')
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
