package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// shape tells the members of objects from the keys of maps, so that a difference is named by its field and no key is shown.
type shape struct{ node *schemajson.Node }

// shapeOf reads the shape of a Schema from its JSON.
func shapeOf(s *hotupdate.Schema) *shape {
	exported, err := s.MarshalJSON()
	var d schemajson.Document
	if err != nil || json.Unmarshal(exported, &d) != nil {
		return &shape{}
	}
	return &shape{d.Root}
}

func (s *shape) isObject() bool { return s != nil && s.node != nil && s.node.Kind == "object" }

func (s *shape) member(name string) *shape {
	if s == nil || s.node == nil {
		return nil
	}
	for _, f := range s.node.Fields {
		if f.Name == name {
			return &shape{f.Type}
		}
	}
	return nil
}

func (s *shape) elem() *shape {
	if s == nil || s.node == nil || s.node.Elem == nil {
		return nil
	}
	return &shape{s.node.Elem}
}

// differences lists the paths at which two canonical documents differ, each once, as WithTag takes them.
func differences(old, updated *shape, before, after []byte) []string {
	found := map[string]bool{}
	compareTrees(found, "", old, updated, treeOf(before), treeOf(after))
	return slices.Sorted(maps.Keys(found))
}

func treeOf(document []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var tree any
	_ = decoder.Decode(&tree) // a canonical document is JSON
	return tree
}

func compareTrees(found map[string]bool, path string, old, updated *shape, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	first, isObject := before.(map[string]any)
	second, isToo := after.(map[string]any)
	if (isObject || before == nil) && (isToo || after == nil) && (old.isObject() || updated.isObject()) {
		for name := range union(first, second) {
			compareTrees(found, memberPath(path, name), old.member(name), updated.member(name), first[name], second[name])
		}
		return
	}
	list, isList := before.([]any)
	other, isListToo := after.([]any)
	switch {
	case isObject && isToo:
		for name := range union(first, second) {
			compareTrees(found, path+"[]", old.elem(), updated.elem(), first[name], second[name])
		}
	case isList && isListToo && len(list) == len(other):
		for i := range list {
			compareTrees(found, path+"[]", old.elem(), updated.elem(), list[i], other[i])
		}
	default:
		found[path] = true
	}
}

func union(a, b map[string]any) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// memberPath adds a JSON name to a path.
func memberPath(path, name string) string {
	if name == "" || strings.ContainsAny(name, `[]"=.`) || printable(name) != name {
		return path + "[" + strconv.Quote(name) + "]"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}
