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
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// decoder reads a manifest into Go values. It collects all problems, so that they are reported at once.
type decoder struct {
	pool     string // the worker pool that is being read, where paths begin; empty outside of pools
	problems problems
	broken   bool // the first object is no JSON
	checked  bool // it is, and so is all in it
	trail    []step
	stack    members // of the objects that are being read
}

// step leads from a value to a member or an element of it. Paths are made of steps when there is a problem.
type step struct {
	name  string
	index int // if there is no name
}

// into reads what lies a step away.
func (d *decoder) into(to step, path string, raw []byte, v reflect.Value) {
	d.trail = append(d.trail, to)
	d.decode(path, raw, v)
	d.trail = d.trail[:len(d.trail)-1]
}

// object is raw JSON that has to be an object. Its members are read elsewhere.
type object json.RawMessage

// decode reads raw JSON into v. Of an object it reads the members that the struct has fields for: a member has its field's name in lower
// camel case, such as cpuManagerPolicy for CPUManagerPolicy, and no other case. Members without a field are not looked at. Null and no
// JSON leave v as it is.
func (d *decoder) decode(path string, raw []byte, v reflect.Value) {
	if IsNull(raw) {
		return
	}
	switch target := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*target = raw
	case *object:
		d.members(path, raw)
		*target = raw
	case *string:
		if plain, ok := plainString(raw); ok {
			*target = plain
			return
		}
		d.leaf(path, raw, target, fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a string", Hint: "put it in quotes"})
	case *bool:
		d.leaf(path, raw, target, fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not true or false", Hint: "write one of them, without quotes"})
	case *int:
		d.leaf(path, raw, target, fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a whole number", Hint: "write a number without quotes"})
	case *metav1.Time:
		d.leaf(path, raw, target, fault.Error{Kind: fault.Malformed, Code: "malformed-time", What: "is no time", Hint: "write it as in 2026-01-31T12:00:00Z"})
	case *resource.Quantity:
		d.quantity(path, raw, target)
	case *hotupdate.Strategy:
		d.strategy(path, raw, target)
	default:
		d.composite(path, raw, v)
	}
}

func (d *decoder) composite(path string, raw []byte, v reflect.Value) {
	//exhaustive:ignore
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(path, raw, v.Elem())
	case reflect.Struct:
		start := len(d.stack)
		d.fields(path, d.members(path, raw), v)
		d.stack = d.stack[:start]
	case reflect.Slice:
		elements := d.elements(path, raw)
		v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
		for i, element := range elements {
			d.into(step{index: i}, path, element, v.Index(i))
		}
	}
}

// fields reads the members of an object into the fields of a struct, in the order of the fields.
func (d *decoder) fields(path string, members members, v reflect.Value) {
	for i, name := range memberNames(v.Type()) {
		if name == "" { // embedded
			d.fields(path, members, v.Field(i))
		} else if raw := members.get(name); raw != nil {
			d.into(step{name: name}, path, raw, v.Field(i))
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

// members returns the members of an object. Another type is a problem, and so is a duplicate member. What is no JSON is broken.
func (d *decoder) members(path string, raw []byte) members {
	if IsNull(raw) {
		return nil
	}
	start, all, isObject := len(d.stack), d.stack, bytes.TrimSpace(raw)[0] == '{'
	switch {
	case !d.checked:
		var err *fault.Error
		all, _, err = manifests.AppendMembers(all, raw)
		d.checked, d.broken = err == nil, err != nil && isObject
	case isObject:
		all = manifests.AppendValid(all, raw)
	}
	if !isObject {
		d.fail(path, fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not an object", Hint: "write an object"})
	}
	d.stack = all
	for i := start; i < len(all); i++ {
		isTwin := func(other manifests.Member) bool { return bytes.Equal(other.Name, all[i].Name) }
		if slices.ContainsFunc(all[start:i], isTwin) {
			d.trail = append(d.trail, step{name: string(all[i].Name)})
			d.fail(path, fault.Error{Kind: fault.Duplicate, Code: "duplicate-member", What: "stands twice in its object", Hint: "remove one of the members"})
			d.trail = d.trail[:len(d.trail)-1]
		}
	}
	return all[start:]
}

// elements returns the elements of a list. Another type is a problem.
func (d *decoder) elements(path string, raw []byte) [][]byte {
	all, ok := manifests.Elements(raw)
	if !ok {
		d.fail(path, fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not a list", Hint: "write a list"})
	}
	return all
}

// plainString returns a JSON string without escapes.
func plainString(raw []byte) (string, bool) {
	last := len(raw) - 1
	if last < 1 || raw[0] != '"' || raw[last] != '"' || bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return "", false
	}
	return string(raw[1:last]), true
}

func (d *decoder) leaf(path string, raw []byte, target any, problem fault.Error) {
	if json.Unmarshal(raw, target) != nil {
		d.fail(path, problem)
	}
}

// quantity reads what Kubernetes reads as a quantity: a string or a number.
func (d *decoder) quantity(path string, raw []byte, target *resource.Quantity) {
	text := string(raw)
	if raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
		text = ""
	}
	quantity, err := leaf.ParseQuantity(text)
	if err != nil {
		d.fail(path, fault.Error{Kind: fault.Malformed, Code: "malformed-quantity", What: "is no quantity", Hint: "write a number with an optional unit, such as 80m or 1Gi"})
	}
	*target = quantity
}

func (d *decoder) strategy(path string, raw []byte, target *hotupdate.Strategy) {
	var name string
	_ = json.Unmarshal(raw, &name) // what is no string is no strategy
	strategy, known := hotupdate.ParseStrategy(name)
	if !known {
		d.fail(path, fault.Error{Kind: fault.Unknown, Code: "unknown-strategy", What: "is unknown", Hint: "write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate"})
	}
	*target = strategy
}

// fail adds a problem below a path, at the end of the trail.
func (d *decoder) fail(path string, problem fault.Error) {
	for _, s := range d.trail {
		if s.name == "" {
			path += "[" + strconv.Itoa(s.index) + "]"
		} else {
			path = joinPaths(path, s.name)
		}
	}
	d.problems.fail(d.pool, path, problem)
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
func TypeMetaOf(raw []byte) TypeMeta { return typeMetaOf(raw) }
