package gardener_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
)

// kind says how an edit changes a field.
type kind string

const (
	set       kind = "set"       // the field was absent
	unset     kind = "unset"     // the field is absent then
	empty     kind = "empty"     // null, {}, [], "", 0
	filled    kind = "filled"    // the field was empty
	changed   kind = "changed"   // another value
	added     kind = "added"     // an element of a list or map
	removed   kind = "removed"   // an element of a list or map
	reordered kind = "reordered" // the elements of a list
	mistyped  kind = "mistyped"  // a value that the type does not have
	unknown   kind = "unknown"   // a member that the type does not have
)

// undone is the kind of an edit that is undone.
var undone = map[kind]kind{
	set: unset, unset: set, empty: filled, filled: empty, changed: changed, added: removed, removed: added,
	reordered: reordered, mistyped: mistyped, unknown: unknown,
}

// edit changes one field of a Shoot.
type edit struct {
	path   []any  // names and indices
	field  string // the path without indices and keys, such as spec.provider.workers[].zones
	kind   kind
	value  any
	absent bool // the field is removed
}

func (e edit) String() string {
	path := ""
	for _, step := range e.path {
		switch s := step.(type) {
		case int:
			path += "[" + strconv.Itoa(s) + "]"
		case string:
			path += "." + s
		}
	}
	value := "-"
	if !e.absent {
		text, _ := json.Marshal(e.value)
		value = string(text)
	}
	return strings.TrimPrefix(path, ".") + " " + value
}

// overlaps reports whether one of the edits changes what the other one changes.
func (e edit) overlaps(other edit) bool {
	n := min(len(e.path), len(other.path))
	return slices.Equal(e.path[:n], other.path[:n])
}

// apply returns a Shoot with the edit.
func (e edit) apply(shoot object) object {
	result, _ := replaced(shoot, e.path, e).(object)
	return result
}

// replaced returns a copy of a value in which the edit is made at the path.
func replaced(value any, path []any, e edit) any {
	switch step := path[0].(type) {
	case int:
		list, _ := value.([]any)
		list = slices.Clone(list)
		if len(path) == 1 {
			list[step] = e.value
			return list
		}
		list[step] = replaced(list[step], path[1:], e)
		return list
	default:
		members, _ := value.(object)
		members = maps.Clone(members)
		if members == nil {
			members = object{}
		}
		name := fmt.Sprint(step)
		switch {
		case len(path) == 1 && e.absent:
			delete(members, name)
		case len(path) == 1:
			members[name] = e.value
		default:
			members[name] = replaced(members[name], path[1:], e)
		}
		return members
	}
}

// drawer draws edits of the fields of a type.
type drawer struct {
	lot     lot
	base    string           // the Shoot that is edited
	harvest map[string][]any // values of all Shoots by field
	edits   []edit
}

// newDrawer makes a drawer that knows the values of some Shoots.
func newDrawer(seed uint64, all []base) *drawer {
	d := &drawer{lot: lot(seed), harvest: map[string][]any{}}
	for _, b := range all {
		d.collect(b.shoot["spec"], reflect.TypeFor[gardencorev1beta1.ShootSpec](), "spec")
	}
	return d
}

// collect collects values by field.
func (d *drawer) collect(value any, t reflect.Type, field string) {
	if value == "assumed-seed" { // of a Shoot read back: no user has it
		return
	}
	if !slices.ContainsFunc(d.harvest[field], func(known any) bool { return reflect.DeepEqual(known, value) }) {
		d.harvest[field] = append(d.harvest[field], value)
	}
	t = indirect(t)
	switch v := value.(type) {
	case object:
		if isLeaf(t) || t.Kind() != reflect.Struct {
			return
		}
		fields := gardener.JSONFields(t)
		for name, member := range v {
			if of, is := fields[name]; is {
				d.collect(member, of, field+"."+name)
			}
		}
	case []any:
		for _, element := range v {
			if t.Kind() == reflect.Slice {
				d.collect(element, t.Elem(), field+"[]")
			}
		}
	}
}

// draw returns edits of every field of a Shoot, but for its identity and its status.
func (d *drawer) draw(b *base) []edit {
	d.edits = nil
	d.base = b.name
	shoot := b.shoot
	metadata, _ := shoot["metadata"].(object)
	for _, name := range []string{"labels", "annotations", "finalizers"} {
		t := gardener.JSONFields(reflect.TypeFor[metav1.ObjectMeta]())[name]
		value, isPresent := metadata[name]
		d.walk(value, isPresent, t, []any{"metadata", name}, "metadata."+name)
	}
	d.walkStruct(shoot["spec"], reflect.TypeFor[gardencorev1beta1.ShootSpec](), []any{"spec"}, "spec")
	return d.edits
}

func (d *drawer) add(path []any, field string, k kind, value any) {
	d.edits = append(d.edits, edit{path: slices.Clone(path), field: field, kind: k, value: value})
}

// walk draws edits of a value and of what is below it.
func (d *drawer) walk(value any, isPresent bool, t reflect.Type, path []any, field string) {
	t = indirect(t)
	if isPresent {
		d.edits = append(d.edits, edit{path: slices.Clone(path), field: field, kind: unset, absent: true})
		d.add(path, field, empty, nil)
	}
	switch {
	case isLeaf(t):
		d.walkLeaf(value, isPresent, t, path, field)
	case t.Kind() == reflect.Struct:
		d.add(path, field, kindOfEmpty(isPresent), object{})
		d.walkStruct(value, t, path, field)
	case t.Kind() == reflect.Slice:
		d.add(path, field, kindOfEmpty(isPresent), []any{})
		d.walkList(value, isPresent, t, path, field)
	case t.Kind() == reflect.Map:
		d.add(path, field, kindOfEmpty(isPresent), object{})
		d.walkMap(value, isPresent, t, path, field)
	default:
		panic(fmt.Sprintf("%s has the type %s, which the test does not know", field, t))
	}
}

func kindOfEmpty(isPresent bool) kind {
	if isPresent {
		return empty
	}
	return set
}

func (d *drawer) walkStruct(value any, t reflect.Type, path []any, field string) {
	members, _ := value.(object)
	if members != nil {
		d.add(append(slices.Clone(path), "noSuchMember"), field, unknown, "x")
	}
	fields := gardener.JSONFields(t)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		member, isPresent := members[name]
		d.walk(member, isPresent, fields[name], append(slices.Clone(path), name), field+"."+name)
	}
}

func (d *drawer) walkList(value any, isPresent bool, t reflect.Type, path []any, field string) {
	list, _ := value.([]any)
	element := field + "[]"
	candidates := d.elements(t.Elem(), element)
	for _, candidate := range candidates {
		if !isPresent || len(list) == 0 {
			d.add(path, field, set, []any{candidate})
			continue
		}
		d.add(path, field, added, append(slices.Clone(list), candidate))
	}
	if len(list) == 0 {
		return
	}
	d.add(path, field, added, append(slices.Clone(list), list[0]))
	for i := range list {
		d.add(path, field, removed, slices.Delete(slices.Clone(list), i, i+1))
	}
	if len(list) > 1 {
		turned := slices.Clone(list)
		slices.Reverse(turned)
		d.add(path, field, reordered, turned)
	}
	for i := range list {
		if i > 0 && field != "spec.provider.workers" {
			break
		}
		at := append(slices.Clone(path), i)
		of := indirect(t.Elem())
		if of.Kind() == reflect.Struct && !isLeaf(of) {
			d.walkStruct(list[i], of, at, element)
			continue
		}
		for _, v := range d.values(of, element, list[i]) {
			d.add(at, element, changed, v)
		}
	}
}

// elements returns elements for a list.
func (d *drawer) elements(t reflect.Type, field string) []any {
	t = indirect(t)
	if isLeaf(t) || t.Kind() != reflect.Struct {
		return d.values(t, field, nil)
	}
	all := d.sample(field, d.harvest[field], 2)
	var model object
	if len(all) > 0 {
		model, _ = all[0].(object)
	}
	fields := gardener.JSONFields(t)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		of := indirect(fields[name])
		if _, is := model[name]; is || !isLeaf(of) {
			continue
		}
		for _, v := range d.sample(field+"."+name, d.values(of, field+"."+name, nil), 1) {
			with := maps.Clone(model)
			if with == nil {
				with = object{}
			}
			with[name] = v
			all = append(all, with)
		}
	}
	if renamed := maps.Clone(model); renamed != nil {
		for _, name := range []string{"name", "type", "key"} {
			if _, is := renamed[name].(string); is {
				renamed[name] = "other"
				all = append(all, renamed)
				break
			}
		}
	}
	return all
}

func (d *drawer) walkMap(value any, isPresent bool, t reflect.Type, path []any, field string) {
	members, _ := value.(object)
	keys := append(slices.Clone(mapKeys[field]), "a", "Bad Key/!")
	for _, key := range keys {
		for _, v := range d.sample(field+"."+key, d.values(indirect(t.Elem()), field+"."+key, nil), 2) {
			switch _, is := members[key]; {
			case is:
			case isPresent:
				d.add(append(slices.Clone(path), key), keyed(field, key), added, v)
			default:
				d.add(path, keyed(field, key), set, object{key: v})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		at := append(slices.Clone(path), key)
		d.edits = append(d.edits, edit{path: at, field: keyed(field, key), kind: removed, absent: true})
		for _, v := range d.sample(field+"."+key, d.values(indirect(t.Elem()), field+"."+key, members[key]), 2) {
			d.add(at, keyed(field, key), changed, v)
		}
	}
}

func keyed(field, key string) string { return field + "[" + key + "]" }

func (d *drawer) walkLeaf(value any, isPresent bool, t reflect.Type, path []any, field string) {
	for _, v := range d.values(t, field, value) {
		if isPresent {
			d.add(path, field, changed, v)
			continue
		}
		d.add(path, field, set, v)
	}
	if isPresent {
		for _, v := range emptyValues(t) {
			d.add(path, field, empty, v)
		}
		d.add(path, field, mistyped, d.sample(field, mistypes, 1)[0])
	}
}

func emptyValues(t reflect.Type) []any {
	switch {
	case t == reflect.TypeFor[runtime.RawExtension]():
		return []any{object{}}
	case t.Kind() == reflect.String:
		return []any{""}
	case t.Kind() == reflect.Bool:
		return nil // false is a value
	case t.Kind() == reflect.Struct:
		return []any{""}
	}
	return []any{json.Number("0")}
}

// mistypes are values of all types.
var mistypes = []any{"x", []any{}, object{}, json.Number("1"), true}

// sample returns up to n values of a field; the first is always one of them. Another field or value
// does not change what is drawn of the others, so that another version of Gardener draws the same.
func (d *drawer) sample(field string, values []any, n int) []any {
	if len(values) <= n {
		return values
	}
	others := slices.Clone(values[1:])
	slices.SortStableFunc(others, func(a, b any) int {
		return cmp.Compare(d.lot.of(d.base, field, string(mustJSON(a))), d.lot.of(d.base, field, string(mustJSON(b))))
	})
	return append([]any{values[0]}, others[:n-1]...)
}

// lot decides by chance, for each thing by itself.
type lot uint64

// of returns the number of a thing.
func (l lot) of(thing ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, uint64(l), thing)
	n := h.Sum64()
	n ^= n >> 33 // the last letters of a text hardly reach the upper bits
	n *= 0xff51afd7ed558ccd
	return n ^ n>>33
}

// leaves are types whose JSON is a single value, or free.
var leaves = []reflect.Type{
	reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.Duration](), reflect.TypeFor[resource.Quantity](),
	reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[runtime.RawExtension](),
}

func isLeaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return slices.Contains(leaves, t)
	case reflect.Slice, reflect.Map:
		return false
	}
	return true
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
