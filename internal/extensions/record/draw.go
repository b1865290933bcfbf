//go:build ignore

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A value is drawn JSON: a text, an object or a list.
type value interface{ append(text []byte) []byte }

type (
	text   string
	list   []value
	object struct {
		of      reflect.Type // a struct
		path    string
		members []member
	}
	member struct {
		name  string
		value value
	}
)

func (t text) append(to []byte) []byte { return append(to, t...) }

func (l list) append(to []byte) []byte {
	to = append(to, '[')
	for i, v := range l {
		if i > 0 {
			to = append(to, ',')
		}
		to = v.append(to)
	}
	return append(to, ']')
}

func (o *object) append(to []byte) []byte {
	to = append(to, '{')
	for i, m := range o.members {
		if i > 0 {
			to = append(to, ',')
		}
		to = m.value.append(append(strconv.AppendQuote(to, m.name), ':'))
	}
	return append(to, '}')
}

// jsonField is a JSON field of a struct.
type jsonField struct {
	name string
	of   reflect.Type
}

// fieldsOf returns the JSON fields of a struct, with those of embedded structs, without TypeMeta.
func fieldsOf(of reflect.Type) (fields []jsonField) {
	for f := range structFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || f.Name == "TypeMeta":
		case name == "" && f.Anonymous:
			fields = append(fields, fieldsOf(f.Type)...)
		default:
			fields = append(fields, jsonField{name, f.Type})
		}
	}
	return fields
}

func structFields(of reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range of.NumField() {
			if !yield(of.Field(i)) {
				return
			}
		}
	}
}

// drawer draws JSON documents of Go types.
type drawer struct {
	*rand.Rand

	// values are the texts of a field, by its path or its type. The fields in required are always
	// set. The fields in leftOut are never drawn.
	values   map[string][]string
	required []string
	leftOut  []string
	// seldom are the prefixes of fields that are mostly absent. It does not apply to the fields
	// below them.
	seldom []string
	// mostly are fields that are seldom absent: without them releases return an error or panic.
	mostly []string
	seen   map[string]map[string]bool
}

// valuesOfTypes are the texts of types with a JSON form of their own.
var valuesOfTypes = map[string][]string{
	"resource.Quantity":  {`"1"`, `"2"`, `"100m"`, `"1500m"`, `"1Gi"`, `4`},
	"v1.Duration":        {`"1m0s"`, `"2h0m0s"`},
	"v1.Time":            {`"2026-01-02T03:04:05Z"`, `"2026-02-02T03:04:05Z"`},
	"intstr.IntOrString": {`0`, `1`, `"25%"`},
}

func (d *drawer) pick(texts []string) string { return texts[d.Intn(len(texts))] }

// document draws a document of a struct.
func (d *drawer) document(of reflect.Type, path string) *object {
	o := &object{of: of, path: path}
	for _, f := range fieldsOf(of) {
		d.redraw(o, f)
	}
	d.Shuffle(len(o.members), func(i, j int) { o.members[i], o.members[j] = o.members[j], o.members[i] })
	return o
}

// redraw draws one member of an object again: it may become absent, null or empty.
func (d *drawer) redraw(o *object, f jsonField) string {
	path := o.path + "." + f.name
	if slices.Contains(d.leftOut, path) {
		return path
	}
	i := slices.IndexFunc(o.members, func(m member) bool { return m.name == f.name })
	chance := d.Intn(100)
	absent := 35
	switch {
	case d.isSeldom(path):
		absent = 85
	case slices.Contains(d.mostly, path):
		absent = 5
	}
	isRequired := slices.Contains(d.required, path)
	if !isRequired && chance < absent {
		if i >= 0 {
			o.members = slices.Delete(o.members, i, i+1)
		}
		return path
	}
	var drawn value = text("null")
	if isRequired || chance < 97 {
		drawn = d.value(f.of, path)
	}
	if i < 0 {
		i = d.Intn(len(o.members) + 1)
		o.members = slices.Insert(o.members, i, member{name: f.name})
	}
	o.members[i].value = drawn
	return path
}

func (d *drawer) isSeldom(path string) bool {
	return slices.ContainsFunc(d.seldom, func(prefix string) bool {
		rest, isBelow := strings.CutPrefix(path, prefix)
		return isBelow && !strings.Contains(rest, ".")
	})
}

func (d *drawer) value(of reflect.Type, path string) value {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	texts := d.values[path]
	if texts == nil {
		texts = valuesOfTypes[of.String()]
	}
	if texts != nil {
		return d.leaf(path, d.pick(texts))
	}
	switch of.Kind() {
	case reflect.Struct:
		return d.document(of, path)
	case reflect.Slice:
		return d.list(of.Elem(), path)
	case reflect.Map:
		return d.mapOf(of.Elem(), path)
	case reflect.String:
		return d.leaf(path, d.pick([]string{`""`, `"a"`, `"b"`, `"x, y"`, `"<&>"`, `"3000"`, `"a }"`}))
	case reflect.Bool:
		return d.leaf(path, d.pick([]string{`true`, `false`}))
	case reflect.Int, reflect.Int32, reflect.Int64:
		return d.leaf(path, d.pick([]string{`0`, `1`, `7`, `3000`}))
	}
	panic(fmt.Sprintf("%s has a type that the generator does not know: %s", path, of))
}

func (d *drawer) leaf(path, drawn string) value {
	if d.seen[path] == nil {
		d.seen[path] = map[string]bool{}
	}
	d.seen[path][drawn] = true
	return text(drawn)
}

// list draws up to four elements. The data volumes of a pool get distinct names, as Gardener's
// admission requires.
func (d *drawer) list(of reflect.Type, path string) value {
	l := list{}
	names := map[string]bool{}
	for range d.Intn(5) {
		v := d.value(of, path+"[]")
		if o, ok := v.(*object); ok && path == "pool.dataVolumes" {
			name := o.member("name")
			if names[name] {
				continue
			}
			names[name] = true
		}
		l = append(l, v)
	}
	return l
}

// member returns the text of a member; empty if there is none.
func (o *object) member(name string) string {
	if v := o.valueOf(name); v != nil {
		return string(v.append(nil))
	}
	return ""
}

func (o *object) valueOf(name string) value {
	for _, m := range o.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (d *drawer) mapOf(of reflect.Type, path string) value {
	o := &object{}
	keys := []string{"cpu", "gpu", "memory", "example.com/dongle"}
	d.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:d.Intn(4)] {
		o.members = append(o.members, member{key, d.value(of, path+"{}")})
	}
	return o
}

// edit draws one member of one object of the document again, and returns its path.
func (d *drawer) edit(root *object) string {
	var objects []*object
	var collect func(v value)
	collect = func(v value) {
		switch v := v.(type) {
		case *object:
			if v.of != nil {
				objects = append(objects, v)
			}
			for _, m := range v.members {
				collect(m.value)
			}
		case list:
			for _, e := range v {
				collect(e)
			}
		}
	}
	collect(root)
	if len(objects) > 1 && d.Intn(3) > 0 {
		objects = objects[1:] // most fields of the root are not hashed
	}
	o := objects[d.Intn(len(objects))]
	fields := fieldsOf(o.of)
	if len(fields) == 0 {
		return o.path
	}
	path := d.redraw(o, fields[d.Intn(len(fields))])
	if path == "pool.dataVolumes[].name" {
		d.distinctNames(root)
	}
	return path
}

// editNamed draws the member at the path again, or the first absent object above it.
func (d *drawer) editNamed(root *object, path ...string) string {
	for _, f := range fieldsOf(root.of) {
		if f.name != path[0] {
			continue
		}
		below, isObject := root.valueOf(f.name).(*object)
		if isObject && len(path) > 1 {
			return d.editNamed(below, path[1:]...)
		}
		return d.redraw(root, f)
	}
	panic("no field " + path[0])
}

// distinctNames draws the data volumes again if two have the same name.
func (d *drawer) distinctNames(root *object) {
	names := map[string]bool{}
	for _, m := range root.members {
		volumes, _ := m.value.(list)
		for _, v := range volumes {
			if o, ok := v.(*object); ok && m.name == "dataVolumes" {
				isRepeated := names[o.member("name")]
				names[o.member("name")] = true
				if isRepeated {
					d.editNamed(root, "dataVolumes")
					return
				}
			}
		}
	}
}

// copyOf returns a copy that can be edited.
func copyOf(v value) value {
	switch v := v.(type) {
	case *object:
		c := *v
		c.members = slices.Clone(v.members)
		for i := range c.members {
			c.members[i].value = copyOf(c.members[i].value)
		}
		return &c
	case list:
		c := slices.Clone(v)
		for i := range c {
			c[i] = copyOf(c[i])
		}
		return c
	}
	return v
}

// marshaled returns JSON as an API server stores it.
func marshaled(text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(err)
	}
	written, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return written
}

func indented(text []byte) []byte {
	var written bytes.Buffer
	if err := json.Indent(&written, text, "", "  "); err != nil {
		panic(err)
	}
	return written.Bytes()
}

// uncovered returns the fields of a type that never took two values.
func (d *drawer) uncovered(of reflect.Type, path string, within ...reflect.Type) (missing []string) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	isLeaf := valuesOfTypes[of.String()] != nil || d.values[path] != nil
	switch {
	case slices.Contains(d.leftOut, path) || slices.Contains(within, of):
		return nil
	case !isLeaf && of.Kind() == reflect.Struct:
		for _, f := range fieldsOf(of) {
			missing = append(missing, d.uncovered(f.of, path+"."+f.name, append(within, of)...)...)
		}
		return missing
	case !isLeaf && of.Kind() == reflect.Slice:
		return d.uncovered(of.Elem(), path+"[]", within...)
	case !isLeaf && of.Kind() == reflect.Map:
		return d.uncovered(of.Elem(), path+"{}", within...)
	case len(d.seen[path]) < 2:
		return []string{path}
	}
	return nil
}
