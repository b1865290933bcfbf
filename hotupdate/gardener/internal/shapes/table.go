package shapes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Release is a release of Gardener with the shapes of its kinds.
type Release struct {
	Version string
	Kinds   map[string]Shapes
}

// Span has the first and the last release of a member; empty for the one of the object that has the member.
type Span struct {
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Table has what all releases have.
type Table struct {
	Generated string   `json:"generated"`
	Releases  []string `json:"releases"`
	// Members are the spans of members by their kinds and paths.
	Members map[string]map[string]Span `json:"members"`

	kinds map[string]Shapes
}

// generated says where the files are from.
const generated = "by go generate ./internal/shapes in the module hotupdate/gardener, from the types of these " +
	"releases of github.com/gardener/gardener"

// Merge merges releases, the oldest first. A member has the shape of the last release that has it. If its
// values had another type in an earlier one, it is free JSON, since a manifest may have either.
func Merge(releases []Release) *Table {
	t := &Table{Generated: generated, Members: map[string]map[string]Span{}, kinds: map[string]Shapes{}}
	spans := map[string]map[string]*span{}
	for i, release := range releases {
		t.Releases = append(t.Releases, release.Version)
		for kind, shapes := range release.Kinds {
			if t.kinds[kind] == nil {
				t.kinds[kind] = Shapes{}
				spans[kind] = map[string]*span{}
			}
			t.kinds[kind].merge(shapes)
			for path := range shapes {
				if spans[kind][path] == nil {
					spans[kind][path] = &span{first: i}
				}
				spans[kind][path].last = i
			}
		}
	}
	for kind, shapes := range t.kinds {
		shapes.prune()
		t.Members[kind] = t.spansOf(shapes, spans[kind])
	}
	return t
}

// merge adds the shapes of a later release.
func (s Shapes) merge(later Shapes) {
	for path, shape := range later {
		known, isKnown := s[path]
		if isKnown && known.Kind != shape.Kind {
			shape.Kind = free
			shape.Bits = 0
		}
		s[path] = shape
	}
}

// prune removes the parts of free JSON.
func (s Shapes) prune() {
	maps.DeleteFunc(s, func(path string, _ Shape) bool {
		for above := range above(path) {
			if s[above].Kind == free {
				return true
			}
		}
		return false
	})
}

// above yields the paths above a path, from the next one to that of the whole object.
func above(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for path != "" {
			path = path[:max(0, strings.LastIndexAny(path, ".[{"))]
			if !yield(path) {
				return
			}
		}
	}
}

// span has the positions of the first and the last release.
type span struct{ first, last int }

// spansOf returns the spans that are not those of the object above.
func (t *Table) spansOf(shapes Shapes, spans map[string]*span) map[string]Span {
	all := map[string]Span{}
	for path := range shapes {
		if path == "" || strings.HasSuffix(path, "]") || strings.HasSuffix(path, "}") {
			continue
		}
		var one Span
		own := spans[path]
		parent := slices.Collect(above(path))[0]
		if own.first != spans[parent].first {
			one.First = t.Releases[own.first]
		}
		if own.last != spans[parent].last {
			one.Last = t.Releases[own.last]
		}
		if one != (Span{}) {
			all[path] = one
		}
	}
	return all
}

// Files returns the files by their names. It gets the paths of the members of a Shoot on which no name of a pool
// depends; their class is ignored.
func (t *Table) Files(unhashed []string) (map[string][]byte, error) {
	table, err := json.MarshalIndent(t, "", "")
	if err != nil {
		return nil, err
	}
	spans := strings.NewReplacer("{\n\"first\"", "{\"first\"", ",\n\"last\"", ",\"last\"", "{\n\"last\"", "{\"last\"",
		"\"\n}", "\"}")
	files := map[string][]byte{"releases.json": []byte(spans.Replace(string(table)) + "\n")}
	for kind, shapes := range t.kinds {
		schema, err := shapes.Schema(keysOf(kind), unhashedOf(kind, unhashed))
		if err != nil {
			return nil, err
		}
		files[strings.ToLower(kind)+".schema.json"] = schema
	}
	return files, nil
}

// The description of values in an exported Schema.
type (
	document struct {
		FormatVersion int      `json:"formatVersion"`
		Fingerprint   string   `json:"fingerprint"`
		TypeMeta      []string `json:"typeMeta,omitempty"`
		Root          *node    `json:"root"`
	}
	node struct {
		Kind         string  `json:"kind"`
		Bits         int     `json:"bits,omitempty"`
		Fields       []field `json:"fields,omitempty"`
		Keys         string  `json:"keys,omitempty"`
		Elem         *node   `json:"elem,omitempty"`
		ElemNullable bool    `json:"elemNullable,omitempty"`
	}
	field struct {
		Name      string `json:"name"`
		Class     string `json:"class"`
		Nullable  bool   `json:"nullable,omitempty"`
		Optional  bool   `json:"optional,omitempty"`
		Key       string `json:"key,omitempty"`
		Type      *node  `json:"type"`
		Inherited bool   `json:"inherited,omitempty"`
	}
)

// unhashedOf returns those of the members on which no name depends that a kind has: only Shoots are measured.
func unhashedOf(kind string, unhashed []string) []string {
	if kind == "Shoot" {
		return unhashed
	}
	return nil
}

// Schema returns the Schema of a kind as it is exported, but without a fingerprint. The class of the members on which
// no name depends is ignored; all others have the default class. It gets the keys of lists by their paths.
func (s Shapes) Schema(keys map[string]string, unhashed []string) ([]byte, error) {
	for path := range keys {
		if s[path].Kind != list {
			return nil, fmt.Errorf("%s is not a list, and cannot have a key", path)
		}
	}
	w := writer{shapes: s, children: s.children(), keys: keys, unhashed: map[string]bool{}}
	for _, path := range unhashed {
		if _, isKnown := s[path]; !isKnown {
			return nil, fmt.Errorf("%s is not a member, and cannot have a class", path)
		}
		w.unhashed[path] = true
	}
	root := w.node("", immutable)
	d := document{FormatVersion: 1, Root: root}
	isMeta := func(f field) bool { return f.Name == "apiVersion" || f.Name == "kind" }
	if slices.ContainsFunc(root.Fields, isMeta) {
		root.Fields = slices.DeleteFunc(root.Fields, isMeta)
		d.TypeMeta = []string{"apiVersion", "kind"}
	}
	return json.Marshal(d)
}

// children returns the paths of the members below each path, in the order of their names.
func (s Shapes) children() map[string][]string {
	all := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(s)) {
		if path != "" && !strings.HasSuffix(path, "]") && !strings.HasSuffix(path, "}") {
			parent := slices.Collect(above(path))[0]
			all[parent] = append(all[parent], path)
		}
	}
	return all
}

// writer writes a Schema.
type writer struct {
	shapes   Shapes
	children map[string][]string
	keys     map[string]string // of lists, by their paths
	unhashed map[string]bool   // by the paths of the members on which no name depends
}

// The classes of members.
const (
	immutable = "immutable"
	ignored   = "ignored"
)

// node returns the description of the values at a path, which have a class.
func (w writer) node(path, class string) *node {
	shape := w.shapes[path]
	n := &node{Kind: shape.Kind, Bits: shape.Bits}
	elem := ""
	switch shape.Kind {
	case object:
		for _, below := range w.children[path] {
			n.Fields = append(n.Fields, w.field(below, class))
		}
		return n
	case list:
		elem = path + ofList
	case mapping:
		elem = path + ofMap
		n.Keys = "string"
	default:
		return n
	}
	n.Elem = w.node(elem, class)
	n.ElemNullable = w.shapes[elem].Nullable
	return n
}

// field returns the description of a member of an object with a class.
func (w writer) field(path, inherited string) field {
	class := inherited
	if w.unhashed[path] {
		class = ignored
	}
	return field{
		Name: path[strings.LastIndexByte(path, '.')+1:], Class: class, Inherited: class == inherited,
		Nullable: w.shapes[path].Nullable, Optional: w.shapes[path].Optional, Key: w.keys[path],
		Type: w.node(path, class),
	}
}
