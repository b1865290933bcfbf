package pool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// reader collects the problems of a manifest, so that all of them are reported at once.
type reader struct{ problems []error }

// fail reports a problem at a path, from the manifest's root or, if there is a pool, from the pool.
func (r *reader) fail(pool, path string, problem fault.Error) {
	problem.Where, problem.Path = whereOf(pool), path
	if pool == "" && path == "" {
		problem.Where = "manifest"
	}
	r.problems = append(r.problems, &problem)
}

// found reports what another package found below a path of a pool.
func (r *reader) found(pool, path string, err error) {
	if err == nil {
		return
	}
	problems := fault.All(err)
	if len(problems) == 0 {
		r.fail(pool, path, fault.Error{Kind: fault.Failed, Code: "config-failed", What: "cannot be hashed", Cause: err})
	}
	for _, p := range problems {
		r.fail(pool, joinPaths(path, p.Path), *p)
	}
}

func joinPaths(path, inner string) string {
	if path == "" || inner == "" || inner[0] == '[' {
		return path + inner
	}
	return path + "." + inner
}

func whereOf(pool string) string {
	if pool == "" {
		return ""
	}
	return "pool " + strconv.Quote(pool)
}

func (r *reader) err() error { return errors.Join(r.problems...) }

// object is a JSON object whose members are looked up by name, case-sensitively. Null counts as absent, and so does the whole of an
// absent object. Members that nobody asks for are not looked at.
type object struct {
	reader  *reader
	pool    string // the pool that it is part of
	path    string // from the manifest's root, or from the pool
	members map[string]json.RawMessage
}

// open reads the members of an object. Anything else is a problem, null is not.
func (r *reader) open(pool, path string, raw []byte) object {
	o := object{reader: r, pool: pool, path: path}
	if isNull(raw) {
		return o
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		o.wrongType("", "an object", "write an object")
		return o
	}
	o.members = map[string]json.RawMessage{}
	for decoder.More() {
		name, _ := decoder.Token() // the manifest is valid JSON
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return o
		}
		key, _ := name.(string)
		if _, twice := o.members[key]; twice {
			r.fail(pool, o.at(key), fault.Error{Kind: fault.Duplicate, Code: "duplicate-member", What: "stands twice in its object", Hint: "remove one of the members"})
		}
		o.members[key] = value
	}
	return o
}

// at returns the path of a member.
func (o object) at(name string) string {
	return joinPaths(o.path, name)
}

func (o object) wrongType(name, want, cure string) {
	o.reader.fail(o.pool, o.at(name), fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", What: "is not " + want, Hint: cure})
}

// has reports whether the member is there and not null.
func (o object) has(name string) bool { return !isNull(o.members[name]) }

func (o object) child(name string) object {
	return o.reader.open(o.pool, o.at(name), o.members[name])
}

// list returns the elements of a list.
func (o object) list(name string) []json.RawMessage {
	var elements []json.RawMessage
	if o.has(name) && json.Unmarshal(o.members[name], &elements) != nil {
		o.wrongType(name, "a list", "write a list")
	}
	return elements
}

// objects returns the elements of a list of objects.
func (o object) objects(name string) []object {
	var all []object
	for i, element := range o.list(name) {
		all = append(all, o.reader.open(o.pool, o.at(name)+"["+strconv.Itoa(i)+"]", element))
	}
	return all
}

func (o object) text(name string) *string {
	return member[string](o, name, "a string", "put it in quotes")
}

// plain returns a string, which is empty if there is none.
func (o object) plain(name string) string {
	if text := o.text(name); text != nil {
		return *text
	}
	return ""
}

func (o object) boolean(name string) *bool {
	return member[bool](o, name, "true or false", "write one of them, without quotes")
}

func (o object) time(name string) *metav1.Time {
	text := o.text(name)
	if text == nil {
		return nil
	}
	t := &metav1.Time{}
	if err := t.UnmarshalQueryParameter(*text); err != nil {
		o.reader.fail(o.pool, o.at(name), fault.Error{Kind: fault.Malformed, Code: "malformed-time", What: "is no time", Hint: "write it as in 2026-01-31T12:00:00Z"})
		return nil
	}
	return t
}

// quantity reads what Kubernetes reads as a quantity: a string or a number.
func (o object) quantity(name string) *resource.Quantity {
	if !o.has(name) {
		return nil
	}
	q := &resource.Quantity{}
	if err := json.Unmarshal(o.members[name], q); err != nil {
		o.reader.fail(o.pool, o.at(name), fault.Error{Kind: fault.Malformed, Code: "malformed-quantity", What: "is no quantity", Hint: "write a number with an optional unit, such as 80m or 1Gi"})
		return nil
	}
	return q
}

func member[T any](o object, name, want, cure string) *T {
	if !o.has(name) {
		return nil
	}
	value := new(T)
	if json.Unmarshal(o.members[name], value) != nil {
		o.wrongType(name, want, cure)
		return nil
	}
	return value
}

// isNull reports whether raw JSON says nothing.
func isNull(raw []byte) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}
