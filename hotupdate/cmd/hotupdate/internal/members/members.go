// Package members knows the members of Gardener's manifests, so that misspelled and new members are
// found.
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

	"github.com/hotupdate/providerconfig/internal/fieldpath"
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
// intOrString and any, which is an object or a list with unknown members.
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

// Unknown is a member of a manifest that its type does not have.
type Unknown struct {
	// Path leads to the member, such as spec.provider.workers[0].minmum.
	Path string
	// Meant is the missing member with a similar name, or nothing if there is none.
	Meant string
}

// Unknowns returns the members of a decoded JSON value that its type does not have, in the order of
// their paths in the types.
func Unknowns(t Type, value any) []Unknown { return unknowns(t, "", value) }

func unknowns(t Type, path string, value any) (found []Unknown) {
	list, _ := value.([]any)
	object, _ := value.(map[string]any)
	known := t.Members()
	for i := range list {
		found = append(found, unknowns(t.Elem(), fieldpath.At(path, i), list[i])...)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		if member, ok := known[name]; ok {
			found = append(found, unknowns(member, at, object[name])...)
		} else if known != nil {
			missing := slices.DeleteFunc(slices.Sorted(maps.Keys(known)),
				func(name string) bool { _, is := object[name]; return is })
			found = append(found, Unknown{at, fieldpath.Nearest(name, missing)})
		}
	}
	return found
}
