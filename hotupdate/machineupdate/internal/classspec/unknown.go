package classspec

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// findings are the members of a spec whose names differ from all field names.
type findings struct {
	isFolded    bool     // a name differs from a field's name only in case
	isAmbiguous bool     // such a name could mean several fields
	entries     []string // the others, each with its path and canonical JSON, sorted
}

// unknown looks through a spec that is valid JSON.
func unknown(schema *hotupdate.Schema, spec []byte) *findings {
	found := &findings{}
	plan := (*schemabridge.Schema)(schema).Plan()
	found.object(plan.Root, spec, "", func(name string) bool {
		return slices.ContainsFunc(plan.Meta, func(f *fieldplan.Field) bool { return f.Name == name })
	})
	slices.Sort(found.entries)
	return found
}

// value searches a value for unknown members. A value that does not have the node's shape is
// skipped: reading the spec reports it.
func (f *findings) value(n *fieldplan.Node, value json.RawMessage, path string) {
	switch n.Kind {
	case fieldplan.Object:
		f.object(n, value, path, func(string) bool { return false })
	case fieldplan.Map:
		for _, entry := range membersOf(value) {
			f.value(n.Entry(entry.name), entry.value, step(path, entry.name))
		}
	case fieldplan.List, fieldplan.Array:
		f.list(n, value, path)
	case fieldplan.Leaf:
	}
}

func (f *findings) object(n *fieldplan.Node, value json.RawMessage, path string, isMeta func(name string) bool) {
	for _, m := range membersOf(value) {
		switch fields := fieldsNamed(n, m.name); {
		case isMeta(m.name):
		case len(fields) == 0:
			f.add(step(path, m.name), m.value)
		default:
			f.isFolded = f.isFolded || fields[0].Name != m.name
			f.isAmbiguous = f.isAmbiguous || len(fields) > 1
			f.value(fields[0].Node, m.value, step(path, fields[0].Name))
		}
	}
}

// list looks through a list. The order of a list that is paired by keys means nothing, so the path of
// an element has its key.
func (f *findings) list(n *fieldplan.Node, value json.RawMessage, path string) {
	var elements []json.RawMessage
	_ = json.Unmarshal(value, &elements) // see value
	for i, element := range elements {
		place := strconv.Itoa(i)
		if n.Pairing == fieldplan.ByKey {
			place = keyOf(n, element)
		}
		f.value(n.Elem, element, step(path, place))
	}
}

// keyOf returns the key of an element, as canonical JSON; empty if it has none. Of several spellings,
// the last holds.
func keyOf(n *fieldplan.Node, element json.RawMessage) (key string) {
	for _, m := range membersOf(element) {
		if strings.EqualFold(m.name, n.Key.Name) {
			key = canonical(m.value)
		}
	}
	return key
}

// add notes an unknown member. Null counts as absent.
func (f *findings) add(path string, member json.RawMessage) {
	if text := canonical(member); text != "null" {
		f.entries = append(f.entries, path+"="+text)
	}
}

// fieldsNamed returns the fields that a name can mean: the field with exactly this name, or else
// all fields whose names differ from it only in case.
func fieldsNamed(n *fieldplan.Node, name string) []*fieldplan.Field {
	if field := n.Lookup(name); field != nil {
		return []*fieldplan.Field{field}
	}
	differs := func(f *fieldplan.Field) bool { return !strings.EqualFold(f.Name, name) }
	return slices.DeleteFunc(slices.Clone(n.Fields), differs)
}

// member is a member of an object, and value its JSON.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object, in their written order.
func membersOf(value json.RawMessage) (members []member) {
	d := json.NewDecoder(bytes.NewReader(value))
	if opening, err := d.Token(); err != nil || opening != json.Delim('{') {
		return nil // see value
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return members
		}
		m := member{name: name.(string)}
		if d.Decode(&m.value) != nil {
			return members
		}
		members = append(members, m)
	}
	return members
}

// canonical returns the canonical JSON of a value, or the value if it has none.
func canonical(value json.RawMessage) string {
	text, problem := canonjson.AppendValue(nil, value)
	if problem != nil {
		return string(value)
	}
	return string(text)
}

// step appends a name to a path. A quoted name cannot be taken for several.
func step(path, name string) string { return path + "/" + strconv.Quote(name) }
