package machineupdate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// hotPaths tells which leaves of a hot part are Hot in a Schema: a record may be older or newer than the Schema.
type hotPaths struct{ document schemajson.Document }

func hotPathsOf(schema *hotupdate.Schema) (*hotPaths, error) {
	exported, err := schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	paths := &hotPaths{}
	return paths, json.Unmarshal(exported, &paths.document)
}

// has reports whether a value of the shape at an RFC 6901 pointer is Hot, as [record.IsHot] demands. Where elements are selected by hotwhen it may be.
func (h *hotPaths) has(pointer string, shape byte) bool {
	at := place{node: h.document.Root}
	for _, name := range fieldpath.Names(pointer) {
		if at = h.below(at, name); at.node == nil {
			return false
		}
	}
	return at.takes(shape) && (at.hot || h.hotBelow(at.node, map[*schemajson.Node]bool{}))
}

// place is where a pointer leads in a Schema.
type place struct {
	node *schemajson.Node
	hot  bool // the value there is Hot, or an element that may be
}

// below returns the place of a member; none if there is no such member.
func (h *hotPaths) below(at place, name string) place {
	switch at.node.Kind {
	case "object":
		for _, f := range at.node.Fields {
			if f.Name == name {
				return place{h.resolve(f.Type), f.Class == hotupdate.Hot.String() || f.HotWhen != nil}
			}
		}
		return place{}
	case "map":
		return place{h.resolve(at.node.Elem), at.hot}
	case "json", "opaque":
		return at
	}
	return place{}
}

// resolve returns the node of a type that contains itself in place of what refers to it. A reference is a JSON pointer into the Schema.
func (h *hotPaths) resolve(n *schemajson.Node) *schemajson.Node {
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

// hotBelow reports whether a value of the node can have something Hot in it.
func (h *hotPaths) hotBelow(n *schemajson.Node, seen map[*schemajson.Node]bool) bool {
	if n = h.resolve(n); n == nil || seen[n] {
		return false
	}
	seen[n] = true
	for _, f := range n.Fields {
		if f.Class == hotupdate.Hot.String() || f.HotWhen != nil || h.hotBelow(f.Type, seen) {
			return true
		}
	}
	return n.Elem != nil && h.hotBelow(n.Elem, seen)
}
