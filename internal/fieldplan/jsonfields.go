package fieldplan

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// jsonField is a Go field that encoding/json would consider for a JSON name.
type jsonField struct {
	Member // without what its struct tags say

	typ      reflect.Type
	tag      *taggedField
	embedded *taggedField // the nearest embedded struct with a hotupdatable struct tag, or nil
	typeMeta bool         // promoted from metav1.TypeMeta
}

// taggedField is a field's own hotupdatable struct tag.
type taggedField struct {
	structtag.Tag

	goField string
	present bool
	used    bool // a field in JSON has it, or another mistake of the field is reported

	outer *taggedField // of an embedded struct: that of the nearest one around it, or nil
}

// level is a struct type found at one depth of embedding.
type level struct {
	typ      reflect.Type
	name     string
	index    []int
	embedded *taggedField
	typeMeta bool
	twice    bool // the type is embedded more than once at this depth: its fields cancel each other out
}

// resolver finds the JSON fields of a struct as encoding/json does: breadth first, so that the
// shallowest name wins.
type resolver struct {
	report  func(*fault.Error)
	root    bool // the struct is the root, whose TypeMeta is left out
	found   []*jsonField
	tags    []*taggedField
	visited map[reflect.Type]bool
	next    []*level
}

// resolve returns the fields of struct t that encoding/json would write, in the order of their
// names' bytes.
func (r *resolver) resolve(t reflect.Type, name string) []*jsonField {
	r.visited = map[reflect.Type]bool{}
	for current := []*level{{typ: t, name: name}}; len(current) > 0; current = r.next {
		r.next = nil
		for _, l := range current {
			if r.visited[l.typ] {
				continue
			}
			r.visited[l.typ] = true
			for i := range l.typ.NumField() {
				r.field(l, l.typ.Field(i), i)
			}
		}
	}
	winners := r.dominant()
	r.refuseUnused(winners)
	return winners
}

// field handles one Go field: as embedded, as a member, or as not in JSON.
func (r *resolver) field(l *level, sf reflect.StructField, i int) {
	goField := l.name + "." + sf.Name
	tag := r.parse(goField, sf.Tag)
	jsonTag := sf.Tag.Get("json")
	name, options, _ := strings.Cut(jsonTag, ",")
	promoted := sf.Anonymous && Deref(sf.Type).Kind() == reflect.Struct
	switch {
	case !sf.IsExported() && !promoted, jsonTag == "-": // not in JSON
	case !sf.IsExported() && (sf.Type.Kind() == reflect.Pointer || leaf.KindOf(sf.Type) != leaf.NotALeaf):
		r.refuse(tag, mistake(goField, "unsupported-type",
			"is embedded and unexported, so encoding/json can neither fill it nor call its marshaler",
			"export its type"))
	case promoted && !isJSONName(name):
		r.embed(l, sf, i, tag)
	case !isJSONName(name):
		r.refuse(tag, unnamed(goField, sf, options, tag))
	default:
		f := &jsonField{typ: sf.Type, tag: tag, embedded: l.embedded, typeMeta: l.typeMeta, Member: Member{
			Name: name, Place: goField, GoField: goField, Index: appendIndex(l.index, i),
			Optional: hasOption(options, "omitempty") || hasOption(options, "omitzero"),
			Quoted:   hasOption(options, "string") && isQuotable(sf.Type),
		}}
		r.found = append(r.found, f)
		if l.twice {
			r.found = append(r.found, f)
		}
	}
}

// unnamed reports a field without a JSON name, or with inline although it is not embedded.
func unnamed(goField string, sf reflect.StructField, options string, tag *taggedField) *fault.Error {
	suggestion := jsonTagOf(lowerCamel(sf.Name))
	if tag.present && hasOption(options, "inline") {
		return mistake(goField, "inline-named-field",
			"is a named field with `json:\",inline\"`, which encoding/json nests under its Go name",
			"embed the struct, or write "+suggestion)
	}
	hint := "use the versioned type (v1alpha1), or write " + suggestion
	if versionedPackage().MatchString(goField) {
		hint = "write " + jsonTagOf(sf.Name) + ", its name in JSON today"
	}
	return mistake(goField, fault.NoJSONName, "has no JSON name; JSON names are the contract of a versioned API type",
		hint+", or `json:\"-\"` to leave it out")
}

// versionedPackage matches a field whose package is that of a version of an API.
var versionedPackage = lazyregexp.New(`^v[0-9]+((alpha|beta)[0-9]+)?\.`)

func jsonTagOf(name string) string { return "`json:\"" + name + "\"`" }

// lowerCamel returns the usual JSON name of a Go field: apiVersion of APIVersion.
func lowerCamel(name string) string {
	letters := []rune(name)
	for i, letter := range letters {
		beginsWord := i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if beginsWord || !unicode.IsUpper(letter) {
			break
		}
		letters[i] = unicode.ToLower(letter)
	}
	return string(letters)
}

// refuse reports a mistake of a field, whatever its struct tag is.
func (r *resolver) refuse(tag *taggedField, problem *fault.Error) {
	tag.used = true
	r.report(problem)
}

func (r *resolver) parse(goField string, tag reflect.StructTag) *taggedField {
	parsed, present, problems := structtag.Parse(tag)
	for _, p := range problems {
		p.Field = goField
		r.report(p)
	}
	if len(problems) > 0 {
		return &taggedField{}
	}
	t := &taggedField{Tag: parsed, goField: goField, present: present}
	r.tags = append(r.tags, t)
	return t
}

func (r *resolver) embed(l *level, sf reflect.StructField, i int, tag *taggedField) {
	goField := l.name + "." + sf.Name
	if leaf.KindOf(Deref(sf.Type)) != leaf.NotALeaf {
		what := "is embedded and marshals itself, but another embedded field's marshaler hides it, so " +
			"its value is not in JSON"
		r.refuse(tag, mistake(goField, "promoted-marshaler", what, "give the field a JSON name"))
		return
	}
	t := Deref(sf.Type)
	embedded := l.embedded
	if tag.present {
		tag.outer = l.embedded
		embedded = tag
		if !tag.CanBeHandedDown() {
			what := "is embedded without a JSON name, so only a class and `sensitive` can be handed down to its fields"
			r.report(mistake(goField, "misplaced-option", what,
				"remove the other options or give the field a JSON name"))
		}
	}
	for _, queued := range r.next {
		if queued.typ == t {
			queued.twice = true
			return
		}
	}
	r.next = append(r.next, &level{
		typ: t, name: typeName(t, goField), index: appendIndex(l.index, i), embedded: embedded,
		typeMeta: l.typeMeta || t == reflect.TypeFor[metav1.TypeMeta](),
	})
}

// dominant resolves name conflicts: the shallowest field wins, and two fields of one depth drop
// each other.
func (r *resolver) dominant() []*jsonField {
	slices.SortStableFunc(r.found, func(a, b *jsonField) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(len(a.Index), len(b.Index)))
	})
	var winners []*jsonField
	for start, end := 0, 0; start < len(r.found); start = end {
		for end < len(r.found) && r.found[end].Name == r.found[start].Name {
			end++
		}
		winner := r.found[start]
		if end == start+1 || len(r.found[start+1].Index) > len(winner.Index) {
			winners = append(winners, winner)
		} else {
			r.refuseSameName(r.found[start:end])
		}
	}
	return winners
}

// refuseSameName reports fields of one struct among those of one JSON name, which is not in JSON.
// Fields of two embedded structs may drop each other, as in encoding/json.
func (r *resolver) refuseSameName(found []*jsonField) {
	for _, f := range found {
		for _, other := range found {
			if f == other || !f.isBeside(other) {
				continue
			}
			r.refuse(f.tag, mistake(f.GoField, "duplicate-json-name",
				"has the JSON name `"+f.Name+"` of "+other.GoField+", so that neither of them is in JSON",
				"give each a JSON name of its own, or leave one out by `json:\"-\"`"))
			break
		}
	}
}

// isBeside reports whether two fields stand in the same struct, reached by the same way.
func (jf *jsonField) isBeside(other *jsonField) bool {
	last := len(jf.Index) - 1
	return len(other.Index) == len(jf.Index) && slices.Equal(jf.Index[:last], other.Index[:last])
}

// refuseUnused reports each struct tag that no field in JSON has: of a field that is unexported,
// left out, or dropped because of its name, and of an embedded struct that promotes no field.
func (r *resolver) refuseUnused(fields []*jsonField) {
	for _, f := range fields {
		f.tag.used = true
		for e := f.embedded; e != nil && (!r.root || !f.typeMeta); e = e.outer {
			e.used = true
		}
	}
	for _, t := range r.tags {
		if t.present && !t.used {
			r.report(mistake(t.goField, "ineffective-tag",
				"has a hotupdatable struct tag without effect, since it gives JSON no field",
				"export it under a JSON name that no other field has, or remove the struct tag"))
		}
	}
}

// PathName returns the name of a field in a path, even if the field is not in JSON. It is false for
// an embedded struct whose fields are promoted in JSON.
func PathName(sf reflect.StructField) (string, bool) {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	switch {
	case name == "-":
		name = ""
	case name == "" && sf.Anonymous && Deref(sf.Type).Kind() == reflect.Struct:
		return "", false
	}
	return cmp.Or(name, sf.Name), true
}

// Deref returns the type behind pointers. It does not follow a pointer type with a name, such as
// type P *P.
func Deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t
}

func appendIndex(index []int, i int) []int { return append(slices.Clone(index), i) }

func hasOption(options, want string) bool {
	for option := range strings.SplitSeq(options, ",") {
		if option == want {
			return true
		}
	}
	return false
}

// isQuotable reports whether encoding/json obeys the option string on a field of type t: a scalar,
// or a pointer to one.
func isQuotable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return slices.Contains([]leaf.Kind{leaf.Bool, leaf.Int, leaf.Uint, leaf.Float, leaf.String, leaf.Number},
		leaf.KindOf(t))
}

// isJSONName reports whether encoding/json takes the name from a struct tag.
func isJSONName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}
