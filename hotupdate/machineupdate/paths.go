package machineupdate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// schemaPaths tells of which classes the leaves at RFC 6901 pointers are in a Schema: a record may be older or newer than the Schema.
type schemaPaths struct{ document schemajson.Document }

func pathsOf(schema *hotupdate.Schema) (*schemaPaths, error) {
	exported, err := schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	paths := &schemaPaths{}
	return paths, json.Unmarshal(exported, &paths.document)
}

// has reports whether a value of the shape at a pointer is of the class, as [record.IsHot] demands. Where elements are selected by hotwhen it
// may be.
func (h *schemaPaths) has(class hotupdate.Class, pointer string, shape byte) bool {
	at := h.at(pointer)
	return at.node != nil && at.takes(shape) && h.holds(at, class)
}

// place is where a pointer leads in a Schema.
type place struct {
	node    *schemajson.Node // nil if there is no such place
	class   string           // of the value there
	selects bool             // elements of it may be Hot
}

func (h *schemaPaths) at(pointer string) place {
	at := place{node: h.document.Root}
	for _, name := range fieldpath.Names(pointer) {
		if at = h.below(at, name); at.node == nil {
			break
		}
	}
	return at
}

// below returns the place of a member; none if there is no such member.
func (h *schemaPaths) below(at place, name string) place {
	switch at.node.Kind {
	case "object":
		for _, f := range at.node.Fields {
			if f.Name == name {
				return place{h.resolve(f.Type), f.Class, f.HotWhen != nil}
			}
		}
		return place{}
	case "map":
		return place{h.resolve(at.node.Elem), at.class, at.selects}
	case "json", "opaque":
		return at
	}
	return place{}
}

// resolve returns the node of a type that contains itself in place of what refers to it. A reference is a JSON pointer into the Schema.
func (h *schemaPaths) resolve(n *schemajson.Node) *schemajson.Node {
	if n.Ref == "" {
		return n
	}
	target := h.document.Root
	steps := strings.Split(strings.TrimPrefix(n.Ref, "/root"), "/")[1:]
	for i, step := range steps {
		switch step {
		case "elem":
			target = target.Elem
		case "fields":
			index, err := strconv.Atoi(steps[i+1])
			if err != nil || index >= len(target.Fields) {
				return nil
			}
			target = target.Fields[index].Type
		}
	}
	return target
}

// takes reports whether a value there can have the shape.
func (at place) takes(shape byte) bool {
	switch at.node.Kind {
	case "json", "opaque":
		return true
	case "object", "map":
		return shape == 0 || shape == '{'
	case "list", "array":
		return shape == 0 || shape == '['
	}
	return shape != '{' && shape != '['
}

func (at place) is(class hotupdate.Class) bool {
	return at.class == class.String() || at.selects && class == hotupdate.Hot
}

// holds reports whether a value at the place can be of the class, or have something of the class in it.
func (h *schemaPaths) holds(at place, class hotupdate.Class) bool {
	return at.is(class) || h.contains(at.node, class, map[*schemajson.Node]bool{})
}

func (h *schemaPaths) contains(n *schemajson.Node, class hotupdate.Class, seen map[*schemajson.Node]bool) bool {
	if n = h.resolve(n); n == nil || seen[n] {
		return false
	}
	seen[n] = true
	for _, f := range n.Fields {
		if (place{class: f.Class, selects: f.HotWhen != nil}).is(class) || h.contains(f.Type, class, seen) {
			return true
		}
	}
	return n.Elem != nil && h.contains(n.Elem, class, seen)
}
