package pool

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// decoder collects the problems of a JSON text that is read, so that all of them are reported at once.
type decoder struct {
	problems

	pool    string             // the worker pool that is being read, where paths begin; empty outside of pools
	members []manifests.Member // of all objects that are read
}

// value is a JSON value that is read. What is absent or null has no raw JSON: it is read as an object without members, an empty list or nil.
type value struct {
	d           *decoder
	above, name string // the path of what it is a member or an element of, and the step from there
	raw         json.RawMessage
}

// object is a JSON object with its members in their order.
type object struct {
	value

	path    string
	members []manifests.Member
}

// root is the value of a JSON text.
func (d *decoder) root(raw []byte) value {
	raw = bytes.TrimSpace(raw)
	if IsNull(raw) {
		raw = nil
	}
	return value{d: d, raw: raw}
}

func (v value) fail(problem fault.Error) {
	v.d.problems.fail(v.d.pool, joinPaths(v.above, v.name), problem)
}

// object reads an object. Another type is a problem, and so is a duplicate member.
func (v value) object() object {
	o := object{value: v}
	switch {
	case v.raw == nil:
		return o
	case v.raw[0] != '{':
		v.fail(fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not an object", Hint: "write an object"})
		return o
	}
	before := len(v.d.members)
	v.d.members = manifests.AppendMembers(v.d.members, v.raw)
	o.path, o.members = joinPaths(v.above, v.name), v.d.members[before:]
	for i, one := range o.members {
		if slices.ContainsFunc(o.members[:i], func(other manifests.Member) bool { return bytes.Equal(other.Name, one.Name) }) {
			twin := fault.Error{Kind: fault.Duplicate, Code: "duplicate-member", What: "stands twice in its object", Hint: "remove one of the members"}
			value{d: v.d, above: o.path, name: string(one.Name)}.fail(twin)
		}
	}
	return o
}

// get returns the value of a member. Names are case-sensitive.
func (o object) get(name string) value {
	below := value{d: o.d, above: o.path, name: name}
	for _, one := range slices.Backward(o.members) {
		if string(one.Name) == name {
			if string(one.Raw) != leaf.Null {
				below.raw = one.Raw
			}
			break
		}
	}
	return below
}

// below returns the object that is the value of a member.
func (o object) below(name string) object { return o.get(name).object() }

// elements returns the elements of a list. Another type is a problem.
func (v value) elements() (all []value) {
	if v.raw == nil {
		return nil
	}
	if v.raw[0] != '[' {
		v.fail(fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a list", Hint: "write a list"})
		return nil
	}
	elements := manifests.AppendMembers(nil, v.raw)
	above := joinPaths(v.above, v.name)
	all = make([]value, len(elements))
	for i, one := range elements {
		all[i] = v.d.root(one.Raw)
		all[i].above, all[i].name = above, "["+strconv.Itoa(i)+"]"
	}
	return all
}

// mismatches are the problems of values that are no leaves of a type.
var mismatches = map[reflect.Type]fault.Error{
	reflect.TypeFor[string]():      {Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a string", Hint: "put it in quotes"},
	reflect.TypeFor[bool]():        {Kind: fault.WrongType, Code: "wrong-json-type", What: "is not true or false", Hint: "write one of them, without quotes"},
	reflect.TypeFor[int]():         {Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a whole number", Hint: "write a number without quotes"},
	reflect.TypeFor[metav1.Time](): {Kind: fault.Malformed, Code: "malformed-time", What: "is no time", Hint: "write it as in 2026-01-31T12:00:00Z"},
	reflect.TypeFor[resource.Quantity](): {
		Kind: fault.Malformed, Code: "malformed-quantity", What: "is no quantity", Hint: "write a number with an optional unit, such as 80m or 1Gi",
	},
	reflect.TypeFor[hotupdate.Strategy](): {
		Kind: fault.Unknown, Code: "unknown-strategy", What: "is unknown", Hint: "write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate",
	},
}

// text returns a string, nothing if there is none.
func (v value) text() string {
	text, ok := textIn(v.raw)
	if !ok && v.raw != nil {
		v.fail(mismatches[reflect.TypeFor[string]()])
	}
	return text
}

// read returns a leaf, the zero T if there is none.
func read[T any](v value) T { return *orDefault(pointer[T](v), *new(T)) }

// pointer returns a leaf, nil if there is none.
func pointer[T any](v value) *T {
	if v.raw == nil {
		return nil
	}
	leaf := new(T)
	if !parse(v.raw, leaf) {
		v.fail(mismatches[reflect.TypeFor[T]()])
	}
	return leaf
}

// parse reports whether raw JSON is a leaf of the type that to points to, and sets it.
func parse(raw []byte, to any) (ok bool) {
	text, isText := textIn(raw)
	switch to := to.(type) {
	case *string:
		*to = text
		return isText
	case *hotupdate.Strategy:
		*to, ok = hotupdate.ParseStrategy(text)
		return ok && isText
	case *resource.Quantity: // a string or a number
		if !isText {
			text = string(raw)
		}
		quantity, err := leaf.ParseQuantity(text)
		*to = quantity
		return err == nil
	}
	return json.Unmarshal(raw, to) == nil
}

// textIn returns what a JSON string says.
func textIn(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

func (o object) typeMeta() TypeMeta {
	return TypeMeta{o.get("apiVersion").text(), o.get("kind").text()}
}

// IsNull reports whether raw JSON is null or missing.
func IsNull(raw []byte) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// problems collects errors, so that all of them are reported at once.
type problems []error

// fail adds a problem at a path: from the pool on, or from the manifest's root if no pool is named.
func (p *problems) fail(pool, path string, problem fault.Error) {
	problem.Path = path
	switch {
	case pool != "":
		problem.Where = "pool " + strconv.Quote(pool)
	case path == "":
		problem.Where = "manifest"
	}
	*p = append(*p, &problem)
}

// found adds what another package found below a path of a pool.
func (p *problems) found(pool, path string, err error) {
	all := fault.All(err)
	if err != nil && len(all) == 0 {
		all.Add(&fault.Error{Kind: fault.Failed, Code: "config-failed", What: "cannot be hashed", Cause: err})
	}
	for _, problem := range all {
		p.fail(pool, joinPaths(path, problem.Path), *problem)
	}
}

// joinPaths returns the path of what lies below another path.
func joinPaths(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}

// TypeMetaOf returns what an object says about its kind, as far as it can be read.
func TypeMetaOf(raw []byte) (meta TypeMeta) {
	if manifests.IsJSON(raw) {
		meta = (&decoder{}).root(raw).object().typeMeta()
	}
	return meta
}
