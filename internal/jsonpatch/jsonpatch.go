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
	operations := []operation{}
	diff(&operations, "", old, updated)
	return Write(operations)
}

func diff(to *[]operation, path string, old, updated any) {
	switch before := old.(type) {
	case map[string]any:
		if after, ok := updated.(map[string]any); ok {
			diffMembers(to, path, before, after)
			return
		}
	case []any:
		if after, ok := updated.([]any); ok {
			diffPlaces(to, path, before, after)
			return
		}
	default:
		if old == updated {
			return
		}
	}
	*to = append(*to, operation{"replace", path, &updated})
}

func diffMembers(to *[]operation, path string, old, updated map[string]any) {
	for _, name := range names(old, updated) {
		before, isOld := old[name]
		after, isNew := updated[name]
		switch at := fieldpath.Below(path, name); {
		case !isNew:
			*to = append(*to, operation{Op: "remove", Path: at})
		case !isOld:
			*to = append(*to, operation{"add", at, &after})
		// common implementations cannot address anything below an empty name
		case name == "" && !reflect.DeepEqual(before, after):
			*to = append(*to, operation{"replace", at, &after})
		default:
			diff(to, at, before, after)
		}
	}
}

// diffPlaces removes elements from the end, so that no operation changes the index of another.
func diffPlaces(to *[]operation, path string, old, updated []any) {
	at := func(i int) string { return path + "/" + strconv.Itoa(i) }
	common := min(len(old), len(updated))
	for i := range common {
		diff(to, at(i), old[i], updated[i])
	}
	for i := len(old) - 1; i >= common; i-- {
		*to = append(*to, operation{Op: "remove", Path: at(i)})
	}
	for i := common; i < len(updated); i++ {
		*to = append(*to, operation{"add", at(i), &updated[i]})
	}
}

// names are the names of the members of two objects, in order.
func names(a, b map[string]any) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
