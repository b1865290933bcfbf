// Package members knows the members of Gardener's manifests, so that misspelled and new members are
// found, and values that the API server does not read.
//
// members.json lists them: under the name of each type its members, each with its type. It holds
// the Shoot of core.gardener.cloud/v1beta1 and the Worker of extensions.gardener.cloud/v1alpha1 of
// Gardener v1.150, and the members of earlier releases that manifests of today may still have. The
// package must not know what a member means.
package members

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

//go:embed members.json
var file []byte

// table returns the members of every type. It is parsed once, for the first manifest.
var table = sync.OnceValue(func() map[Type]map[string]Type {
	var all map[Type]map[string]Type
	_ = json.Unmarshal(file, &all) // a test reads it
	return all
})

// Type is a type in members.json: an object by its name, []T for a list of T, {}T for a map from
// names to T, or a leaf. Leaves are string, bool, int, number, quantity, duration, time,
// intOrString and any, whose members are not known.
type Type string

// The manifests.
const (
	Shoot  Type = "Shoot"
	Worker Type = "Worker"
)

// Members returns the members of an object by name, and nil for other types.
func (t Type) Members() map[string]Type { return table()[t] }

// Elem returns the type of the elements of a list or map, and nothing for other types.
func (t Type) Elem() Type {
	for _, prefix := range []string{"[]", "{}"} {
		if elem, ok := strings.CutPrefix(string(t), prefix); ok {
			return Type(elem)
		}
	}
	return ""
}

// Problem is a member of a manifest that its type does not have, or whose value cannot be read.
type Problem struct {
	// Path leads to the member, such as spec.provider.workers[0].minmum.
	Path string
	// Meant is the missing member with a similar name, or nothing if there is none.
	Meant string
	// Want is the type of a member whose value is no value of the type, and nothing for members that
	// the type does not have.
	Want Type
}

// Problems returns the problems of a JSON value, whose numbers are decoded as json.Number, in the
// order of their paths in the types. Null counts as absent.
func Problems(t Type, value any) []Problem { return problems(t, "", value) }

func problems(t Type, path string, value any) (found []Problem) {
	if !t.holds(value) {
		return []Problem{{Path: path, Want: t}}
	}
	list, _ := value.([]any)
	object, _ := value.(map[string]any)
	known := t.Members()
	for i := range list {
		found = append(found, problems(t.Elem(), fieldpath.At(path, i), list[i])...)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		if member, ok := known[name]; ok {
			found = append(found, problems(member, at, object[name])...)
		} else if known == nil {
			found = append(found, problems(t.Elem(), at, object[name])...)
		} else {
			missing := slices.DeleteFunc(slices.Sorted(maps.Keys(known)),
				func(name string) bool { _, is := object[name]; return is })
			found = append(found, Problem{Path: at, Meant: fieldpath.Nearest(name, missing)})
		}
	}
	return found
}

// holds reports whether the API server reads a value as one of the type.
func (t Type) holds(value any) (ok bool) {
	var err error
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return t.Members() != nil || t.isFree() || strings.HasPrefix(string(t), "{}")
	case []any:
		return t.isFree() || strings.HasPrefix(string(t), "[]")
	case bool:
		return t.isFree() || t == "bool"
	case json.Number:
		switch string(t) {
		case "int", "intOrString":
			_, err = v.Int64()
		case "quantity":
			_, err = leaf.ParseQuantity(v.String())
		}
		return err == nil && (t.isFree() || slices.Contains([]Type{"int", "intOrString", "number", "quantity"}, t))
	case string:
		switch string(t) {
		case "duration":
			_, err = time.ParseDuration(v)
		case "quantity":
			_, err = leaf.ParseQuantity(v)
		case "time":
			_, err = time.Parse(time.RFC3339, v)
		}
		return err == nil &&
			(t.isFree() || slices.Contains([]Type{"string", "duration", "quantity", "time", "intOrString"}, t))
	}
	return false
}

// isFree reports whether members of the type are not known.
func (t Type) isFree() bool { return t == "" || t == "any" }

// Kind names the kind of JSON value that the type has.
func (t Type) Kind() string {
	switch {
	case strings.HasPrefix(string(t), "[]"):
		return "list"
	case t.Members() != nil || strings.HasPrefix(string(t), "{}"):
		return "object"
	}
	return string(t)
}

// Hint says how a value of a leaf's type is written, for readers who do not know Go types.
func (t Type) Hint() string {
	switch string(t) {
	case "string":
		return "put it in quotes"
	case "int":
		return "write a whole number without quotes"
	case "bool":
		return "write true or false without quotes"
	case "time":
		return "write it as in 2026-01-31T12:00:00Z"
	case "quantity":
		return "write a number with an optional unit, such as 80m or 1Gi"
	case "duration":
		return "write a number with a unit, such as 1h30m"
	}
	return "write a value of that type"
}
