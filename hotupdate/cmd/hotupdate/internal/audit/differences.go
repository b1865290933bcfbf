package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// within reports whether a path lies at or below another one.
func within(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || above == "" || rest[0] == '.' || rest[0] == '[')
}

// brackets matches a step in brackets, whose quotes may hold brackets.
var brackets = regexp.MustCompile(`\[(?:[^\]"]|"(?:[^"\\]|\\.)*"?)*\]?`)

// patternOf turns the path of an element into the path of all: dataVolumes[name=a].iops into dataVolumes[].iops. Names in brackets become [], too.
func patternOf(path string) string { return brackets.ReplaceAllString(path, "[]") }

// differences lists the paths at which two canonical documents differ, each once, as WithTag takes them. The roots of their Schemas tell the
// members of objects from the keys of maps, so that a difference is named by its field and no key is shown.
func differences(old, updated *schemajson.Node, before, after []byte) []string {
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

func compareTrees(found map[string]bool, path string, old, updated *schemajson.Node, before, after any) {
	first, isObject := before.(map[string]any)
	second, isToo := after.(map[string]any)
	list, isList := before.([]any)
	other, isListToo := after.([]any)
	switch {
	case reflect.DeepEqual(before, after):
	case (isObject || before == nil) && (isToo || after == nil) && (old.Kind == "object" || updated.Kind == "object"):
		for name := range union(first, second) {
			compareTrees(found, fieldpath.Join(path, name), member(old, name), member(updated, name), first[name], second[name])
		}
	case isObject && isToo:
		for name := range union(first, second) {
			compareTrees(found, path+"[]", elem(old), elem(updated), first[name], second[name])
		}
	case isList && isListToo && len(list) == len(other):
		for i := range list {
			compareTrees(found, path+"[]", elem(old), elem(updated), list[i], other[i])
		}
	default:
		found[path] = true
	}
}

// member returns the node of an object's member, an empty one if it is not known.
func member(n *schemajson.Node, name string) *schemajson.Node {
	for _, f := range n.Fields {
		if f.Name == name {
			return f.Type
		}
	}
	return &schemajson.Node{}
}

func elem(n *schemajson.Node) *schemajson.Node { return cmp.Or(n.Elem, &schemajson.Node{}) }

func union(a, b map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
