// Package jsonpatch writes the differences between two JSON values as a JSON patch (RFC 6902).
//
// Values are trees as decoded by encoding/json, with numbers as json.Number, so that none is
// rounded. The package owns the format. It must not know the meaning of values: 1 and 1.0 differ.
//
// The library gomodules.xyz/jsonpatch cannot replace [Diff]: the order of its operations is random,
// since it ranges over maps, and common implementations cannot apply its operations below an empty
// name.
package jsonpatch

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Parse reads valid JSON into a tree. The last of several members with one name counts.
func Parse(raw []byte) (tree any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err = decoder.Decode(&tree)
	return tree, err
}

// Write writes a tree, with the members of objects in the order of their names.
func Write(tree any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(tree)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value *any   `json:"value,omitempty"` // nil for remove; null is a pointer to nil
}

// Diff returns the JSON patch that makes old equal to updated. Lists are compared index by index.
func Diff(old, updated any) ([]byte, error) {
	w := writer{operations: []operation{}}
	w.diff(old, updated)
	return Write(w.operations)
}

// writer writes a patch. Its path is that of the current value, so that what does not differ needs no
// memory.
type writer struct {
	operations []operation
	path       []byte
}

func (w *writer) remove() {
	w.operations = append(w.operations, operation{Op: "remove", Path: string(w.path)})
}

func (w *writer) set(op string, value any) {
	w.operations = append(w.operations, operation{op, string(w.path), &value})
}

// below calls do with the path of a member or element.
func (w *writer) below(name string, do func()) {
	above := len(w.path)
	w.path = fieldpath.AppendBelow(w.path, name)
	do()
	w.path = w.path[:above]
}

func (w *writer) diff(old, updated any) {
	switch before := old.(type) {
	case map[string]any:
		if after, ok := updated.(map[string]any); ok {
			w.diffMembers(before, after)
			return
		}
	case []any:
		if after, ok := updated.([]any); ok {
			w.diffPlaces(before, after)
			return
		}
	default:
		if old == updated {
			return
		}
	}
	w.set("replace", updated)
}

func (w *writer) diffMembers(old, updated map[string]any) {
	for _, name := range names(old, updated) {
		before, isOld := old[name]
		after, isNew := updated[name]
		w.below(name, func() {
			switch {
			case !isNew:
				w.remove()
			case !isOld:
				w.set("add", after)
			// common implementations cannot address anything below an empty name
			case name == "" && !reflect.DeepEqual(before, after):
				w.set("replace", after)
			default:
				w.diff(before, after)
			}
		})
	}
}

// diffPlaces removes elements from the end, so that no operation changes the index of another.
func (w *writer) diffPlaces(old, updated []any) {
	at := func(i int, do func()) { w.below(strconv.Itoa(i), do) }
	common := min(len(old), len(updated))
	for i := range common {
		at(i, func() { w.diff(old[i], updated[i]) })
	}
	for i := len(old) - 1; i >= common; i-- {
		at(i, func() { w.remove() })
	}
	for i := common; i < len(updated); i++ {
		at(i, func() { w.set("add", updated[i]) })
	}
}

// names are the names of the members of two objects, in order.
func names(a, b map[string]any) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
