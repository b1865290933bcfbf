package pool

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// at returns the value at a path of a tree; nil if there is none.
func at(value any, path ...string) any {
	for _, name := range path {
		value = membersOf(value)[name]
	}
	return value
}

func membersOf(value any) map[string]any {
	all, _ := value.(map[string]any)
	return all
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// text returns a string of a tree, or nothing.
func text(value any) string {
	s, _ := value.(string)
	return s
}

// number returns a whole number or a fraction of a tree.
func number(value any) (float64, bool) {
	n, isNumber := value.(json.Number)
	f, err := n.Float64()
	return f, isNumber && err == nil
}

func isTrue(value any) bool { return value == true }

// pathOf returns the path of a member.
func pathOf(names []string) (path fieldpath.Path) {
	for _, name := range names {
		path = append(path, fieldpath.Step{Name: name})
	}
	return path
}

// stepsOf returns the names in a path. The key of an annotation has dots.
func stepsOf(path string) []string {
	if key, ok := strings.CutPrefix(path, "metadata.annotations."); ok {
		return []string{"metadata", "annotations", key}
	}
	return strings.Split(path, ".")
}

// difference is a path at which two JSON values differ. Nil is absent.
type difference struct {
	at            fieldpath.Path
	before, after any
}

// path returns the names that lead to the difference, which may have dots.
func (d difference) path() string {
	var names []string
	for _, step := range d.at {
		names = append(names, step.Name)
	}
	return strings.Join(names, ".")
}

// textOf returns a value in JSON, or nothing for null.
func textOf(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // it was decoded from JSON
	return strings.TrimPrefix(strings.TrimSpace(text.String()), leaf.Null)
}

// differences finds the paths at which two JSON values differ. Objects are compared member by
// member, also with an absent one unless both are empty. Other values are compared as a whole.
func differences(old, updated any, at ...fieldpath.Step) (all []difference) {
	before, isObject := old.(map[string]any)
	after, isToo := updated.(map[string]any)
	switch {
	case reflect.DeepEqual(old, updated):
	case len(before)+len(after) > 0 && (isObject || old == nil) && (isToo || updated == nil):
		names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			all = append(all, differences(before[name], after[name],
				append(slices.Clip(at), fieldpath.Step{Name: name})...)...)
		}
	default:
		all = []difference{{at, old, updated}}
	}
	return all
}

// with returns a copy of a JSON value with another value at a path of [differences].
func with(value any, at fieldpath.Path, other any) any {
	if len(at) == 0 {
		return other
	}
	object, _ := value.(map[string]any)
	changed := map[string]any{}
	maps.Copy(changed, object)
	name := at[0].Name
	if changed[name] = with(object[name], at[1:], other); changed[name] == nil {
		delete(changed, name)
	}
	return changed
}

// decoded decodes JSON. It replaces members that are null, which are text in a config.
func decoded(config []byte, null any) any { return tree.Of(config).Value(null) }
