package pool

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// decoder reads valid JSON into Go values. It collects all problems, so that they are reported at once.
type decoder struct {
	problems

	pool  string         // the worker pool that is being read, where paths begin; empty outside of pools
	at    fieldpath.Path // the value that is being read
	stack members        // of the objects that it stands in
}

// isJSON reports whether a text is one JSON value.
func isJSON(raw []byte) bool {
	s := canonjson.NewScanner(raw)
	s.SkipSpace()
	return s.Skip() == nil && s.End() == nil
}

// object is raw JSON that has to be an object. Its members are read elsewhere.
type object json.RawMessage

// mismatches are the problems of values that leaves of a type cannot hold.
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

// decode reads raw JSON into v. Of an object it reads the members that the struct has fields for: a member has its field's name in lower
// camel case, such as cpuManagerPolicy for CPUManagerPolicy, and no other case. Members without a field are not looked at. Null and no
// JSON leave v as it is.
func (d *decoder) decode(raw []byte, v reflect.Value) {
	if IsNull(raw) {
		return
	}
	ok := true
	switch target := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*target = raw
	case *object:
		d.members(raw)
		*target = raw
	case *string:
		*target, ok = textIn(raw)
	case *hotupdate.Strategy:
		name, isText := textIn(raw)
		*target, ok = hotupdate.ParseStrategy(name)
		ok = ok && isText
	case *resource.Quantity: // a string or a number
		text, isText := textIn(raw)
		if !isText {
			text = string(raw)
		}
		var err error
		*target, err = leaf.ParseQuantity(text)
		ok = err == nil
	case *bool, *int, *metav1.Time:
		ok = json.Unmarshal(raw, target) == nil
	default:
		d.composite(raw, v)
	}
	if !ok {
		d.fail(mismatches[v.Type()])
	}
}

func (d *decoder) composite(raw []byte, v reflect.Value) {
	//exhaustive:ignore
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(raw, v.Elem())
	case reflect.Struct:
		before := len(d.stack)
		d.fields(d.members(raw), v)
		d.stack = d.stack[:before]
	case reflect.Slice:
		elements, ok := manifests.Elements(raw)
		if !ok {
			d.fail(fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a list", Hint: "write a list"})
		}
		v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
		for i, element := range elements {
			d.below(element, v.Index(i), fieldpath.Step{Kind: fieldpath.Index, At: i})
		}
	}
}

// below reads what stands some steps below.
func (d *decoder) below(raw []byte, v reflect.Value, steps ...fieldpath.Step) {
	before := len(d.at)
	d.at = append(d.at, steps...)
	d.decode(raw, v)
	d.at = d.at[:before]
}

// fields reads the members of an object into the fields of a struct, in the order of the fields.
func (d *decoder) fields(members members, v reflect.Value) {
	for i, name := range memberNames(v.Type()) {
		if name == "" { // embedded
			d.fields(members, v.Field(i))
		} else if raw := members.get(name); raw != nil {
			d.below(raw, v.Field(i), fieldpath.Step{Name: name})
		}
	}
}

// namesOfTypes caches what memberNames returns.
var namesOfTypes sync.Map

// memberNames returns the names of the members that the fields of a struct stand for; nothing for an embedded one.
func memberNames(t reflect.Type) []string {
	if known, ok := namesOfTypes.Load(t); ok {
		return known.([]string)
	}
	names := make([]string, t.NumField())
	for i := range names {
		if field := t.Field(i); !field.Anonymous {
			names[i] = memberName(field.Name)
		}
	}
	namesOfTypes.Store(t, names)
	return names
}

// memberName is the name of a field in lower camel case: the capitals that it begins with are one word.
func memberName(field string) string {
	end := len(field) - len(strings.TrimLeft(field, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if end > 1 && end < len(field) {
		end--
	}
	return strings.ToLower(field[:end]) + field[end:]
}

// members are the members of an object, in their order.
type members []manifests.Member

// get returns the last member of a name, nil if there is none.
func (m members) get(name string) []byte {
	for _, one := range slices.Backward(m) {
		if string(one.Name) == name {
			return one.Raw
		}
	}
	return nil
}

// members returns the members of an object. Another type is a problem, and so is a duplicate member.
func (d *decoder) members(raw []byte) members {
	raw = bytes.TrimSpace(raw)
	switch {
	case IsNull(raw):
		return nil
	case raw[0] != '{':
		d.fail(fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not an object", Hint: "write an object"})
		return nil
	}
	before := len(d.stack)
	d.stack = manifests.AppendValid(d.stack, raw)
	all := d.stack[before:]
	for i, one := range all {
		if slices.ContainsFunc(all[:i], func(other manifests.Member) bool { return bytes.Equal(other.Name, one.Name) }) {
			twin := fault.Error{Kind: fault.Duplicate, Code: "duplicate-member", What: "stands twice in its object", Hint: "remove one of the members"}
			d.problems.fail(d.pool, fieldpath.Join(d.at.String(), string(one.Name)), twin)
		}
	}
	return all
}

// textIn returns what a JSON string says.
func textIn(raw []byte) (string, bool) {
	if last := len(raw) - 1; last > 0 && raw[0] == '"' && raw[last] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1:last]), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// fail adds a problem of the value that is being read.
func (d *decoder) fail(problem fault.Error) { d.problems.fail(d.pool, d.at.String(), problem) }

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
	if isJSON(raw) {
		(&decoder{}).decode(raw, reflect.ValueOf(&meta).Elem())
	}
	return meta
}
