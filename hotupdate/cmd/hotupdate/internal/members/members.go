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

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
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
// intOrString and any, whose members are not known. A member named * has the type of all
// members that are not listed.
type Type string

const others = "*"

// The manifests.
const (
	Shoot        Type = "Shoot"
	Worker       Type = "Worker"
	CloudProfile Type = "CloudProfile" // and NamespacedCloudProfile
)

// Members returns the members of an object by name, and nil for other types.
func (t Type) Members() map[string]Type { return table()[t] }

// Elem returns the type of the elements of a list or map, and nothing for other types.
func (t Type) Elem() Type {
	if strings.HasPrefix(string(t), "[]") || strings.HasPrefix(string(t), "{}") {
		return t[2:]
	}
	return ""
}

// Problem is a member of a manifest that its type does not have, or whose value cannot be read.
type Problem struct {
	// Path leads to the member, such as spec.provider.workers[0].minmum.
	Path string
	// Meant is the missing member with a similar name, or nothing if there is none.
	Meant string
	// Want is the type of a member whose value does not have this type, and nothing for members that
	// the type does not have.
	Want Type
	// Reading is what YAML makes of the value, see [tree.Node.Reading].
	Reading string
	// IsTwice says that the member stands twice in its object.
	IsTwice bool
}

// maxProblems bounds the problems, for example of a list of a million wrong elements.
const maxProblems = 1000

// Problems returns the first problems of a value, in the order of its text. Null counts as absent.
func Problems(t Type, value *tree.Node) (found []Problem) {
	problems(&found, t, nil, value)
	return found
}

// place is a member or an element of the value at another place; nil is the whole value.
type place struct {
	above *place
	name  string
	index int // of an element; -1 for a member
}

func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.index >= 0:
		return fieldpath.At(p.above.String(), p.index)
	}
	return strings.TrimPrefix(p.above.String()+"."+p.name, ".")
}

func problems(found *[]Problem, t Type, at *place, value *tree.Node) {
	add := func(p Problem) { *found = append(*found, p) }
	switch {
	case len(*found) >= maxProblems || t.holds(value) && t.isFree():
		return
	case !t.holds(value):
		add(Problem{Path: at.String(), Want: t, Reading: value.Reading()})
		return
	}
	for i, element := range value.Elements() {
		problems(found, t.Elem(), &place{above: at, index: i}, element)
	}
	for _, name := range value.Duplicates() {
		add(Problem{Path: (&place{at, name, -1}).String(), IsTwice: true})
	}
	for name, member := range value.Members() {
		below := &place{at, name, -1}
		if typ, isKnown := t.member(name); isKnown {
			problems(found, typ, below, member)
		} else if len(*found) < maxProblems {
			missing := slices.DeleteFunc(slices.Sorted(maps.Keys(t.Members())),
				func(name string) bool { return value.At(name) != nil })
			add(Problem{Path: below.String(), Meant: fieldpath.Nearest(name, missing)})
		}
	}
}

// member returns the type of a member, and false for an unknown one.
func (t Type) member(name string) (Type, bool) {
	all := t.Members()
	if all == nil {
		return t.Elem(), true
	}
	for _, listed := range []string{name, others} {
		if typ, is := all[listed]; is {
			return typ, true
		}
	}
	return "", false
}

// holds reports whether the API server reads a value as one of the type.
func (t Type) holds(value *tree.Node) bool {
	var err error
	isOne := func(types ...Type) bool { return err == nil && (t.isFree() || slices.Contains(types, t)) }
	switch value.Kind() {
	case tree.Null:
	case tree.Object:
		return t.Members() != nil || t.isFree() || strings.HasPrefix(string(t), "{}")
	case tree.List:
		return t.isFree() || strings.HasPrefix(string(t), "[]")
	case tree.Bool:
		return isOne("bool")
	case tree.Number:
		number, _ := value.Number()
		switch string(t) {
		case "int", "intOrString":
			_, err = number.Int64()
		case "quantity":
			_, err = leaf.ParseQuantity(number.String())
		}
		return isOne("int", "intOrString", "number", "quantity")
	case tree.Text:
		switch string(t) {
		case "duration":
			_, err = time.ParseDuration(value.Text())
		case "quantity":
			_, err = leaf.ParseQuantity(value.Text())
		case "time":
			_, err = time.Parse(time.RFC3339, value.Text())
		}
		return isOne("string", "duration", "quantity", "time", "intOrString")
	}
	return true
}

// isFree reports whether members of the type are not known.
func (t Type) isFree() bool { return t == "" || t == "any" }

// Kind names the kind of JSON value that the type has, such as: an object.
func (t Type) Kind() string {
	switch {
	case strings.HasPrefix(string(t), "[]"):
		return "a list"
	case t.Members() != nil || strings.HasPrefix(string(t), "{}"):
		return "an object"
	case strings.HasPrefix(string(t), "int"):
		return "an " + string(t)
	}
	return "a " + string(t)
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
