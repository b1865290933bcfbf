package schemajson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// maxArray bounds the arrays of a loaded Schema in bytes, since their values are allocated.
const maxArray = 1 << 20

// Load reads the JSON form of a plan and compiles it. Every problem has a JSON pointer into the
// document.
func Load(data []byte) (*fieldplan.Plan, error) {
	d, err := decode(data)
	if err != nil {
		return nil, err
	}
	plan, err := (&builder{}).plan(d, nil)
	if err != nil {
		return nil, err
	}
	if again, err := Export(plan); err != nil || again.Fingerprint != d.Fingerprint {
		return nil, invalid("/root", "contradicts itself, as in a class that is inherited and another than that above",
			exportAgain)
	}
	return plan, nil
}

// AdmitUnknown returns a plan like p that admits unknown members, as Immutable fields. It is
// compiled once for p.
func AdmitUnknown(p *fieldplan.Plan) (*fieldplan.Plan, error) {
	if p.Open {
		return p, nil
	}
	open := func() any { return sync.OnceValues(func() (*fieldplan.Plan, error) { return opened(p) }) }
	return p.Derived(fieldplan.Opening, open).(func() (*fieldplan.Plan, error))()
}

func opened(p *fieldplan.Plan) (*fieldplan.Plan, error) {
	d, err := Export(p)
	if err != nil {
		return nil, err
	}
	d.Unknown = structtag.Immutable.String()
	d.Root.keepTypes(p.Root)
	open, err := (&builder{}).plan(d, nil)
	if err != nil {
		return nil, err
	}
	open.OfResource = p.OfResource
	return open, nil
}

// keepTypes notes the Go types that only their own decoders can read.
func (n *Node) keepTypes(from *fieldplan.Node) {
	switch n.Kind {
	case kindRef:
		return // a type that contains itself has no plan anyway
	case kindOpaque:
		n.goType = from.Type
	case kindMap:
		n.goKeys = from.Type.Key()
	}
	for i, f := range n.Fields {
		f.Type.keepTypes(from.Fields[i].Node)
	}
	if n.Elem != nil {
		n.Elem.keepTypes(from.Elem)
	}
}

// Compile compiles a document that was made from another description of a type, under overrides.
// Fields have a path in place of a Go field, and problems name it. A plan that cannot be exported,
// because it has too many levels, is an error.
func Compile(d *Document, overrides []fieldplan.Override) (*fieldplan.Plan, error) {
	plan, err := (&builder{byPath: true}).plan(d, overrides)
	if err != nil {
		return nil, err
	}
	_, err = Export(plan)
	return plan, err
}

func (b *builder) plan(d *Document, overrides []fieldplan.Override) (*fieldplan.Plan, error) {
	b.pointers = map[string]string{}
	b.open = d.Unknown != ""
	root := b.object(d.Root, "/root", d.TypeMeta)
	if len(b.faults) > 0 {
		return nil, b.faults.Err()
	}
	plan, err := fieldplan.Build(root, append(d.Root.keyOverrides("", nil), overrides...), rawjson.ReadPart)
	if err != nil {
		return nil, b.locate(err)
	}
	isMeta := func(f *fieldplan.Field) bool { return slices.Contains(d.TypeMeta, f.Name) }
	for _, f := range plan.Root.Fields {
		if isMeta(f) {
			plan.Meta = append(plan.Meta, f)
		}
	}
	plan.Root.Fields = slices.DeleteFunc(plan.Root.Fields, isMeta)
	annotate(plan.Root, d.Root)
	return plan, nil
}

// typeMeta are the members of metav1.TypeMeta.
var typeMeta = []string{"apiVersion", "kind"}

const exportAgain = "export the Schema again"

// versionOf returns the format version of an exported Schema, and 0 if it cannot be read.
func versionOf(data []byte) int {
	var header struct {
		FormatVersion int `json:"formatVersion"`
	}
	if sigsjson.UnmarshalCaseSensitivePreserveInts(data, &header) != nil {
		return 0
	}
	return header.FormatVersion
}

func unknownVersion(version int) error {
	return invalid("/formatVersion", "is "+strconv.Itoa(version),
		"use a release of this library that knows the format; this one knows up to "+strconv.Itoa(lastVersion))
}

// decode reads the document strictly and checks its fingerprint.
func decode(data []byte) (*Document, error) {
	if _, problem := canonjson.AppendValue(nil, data); problem != nil {
		return nil, problem
	}
	if version := versionOf(data); version > lastVersion {
		return nil, unknownVersion(version) // whatever else is unknown in it
	}
	d := &Document{}
	if strict, err := sigsjson.UnmarshalStrict(data, d); err != nil || len(strict) > 0 {
		return nil, invalid("", "is not a Schema in JSON: "+errors.Join(append(strict, err)...).Error(), exportAgain)
	}
	switch {
	case d.FormatVersion < FormatVersion:
		return nil, unknownVersion(d.FormatVersion)
	case d.Root == nil || d.Root.Kind != kindObject:
		return nil, invalid("/root", "must be an object", exportAgain)
	case !slices.Equal(d.TypeMeta, typeMeta) && len(d.TypeMeta) > 0:
		return nil, invalid("/typeMeta", "is neither empty nor apiVersion and kind", exportAgain)
	case d.Unknown != "" && d.Unknown != structtag.Immutable.String():
		return nil, invalid("/unknownMembers", "is neither missing nor immutable", exportAgain)
	}
	fingerprint, err := d.fingerprint()
	if err != nil {
		return nil, err
	}
	if d.Fingerprint != fingerprint {
		return nil, invalid("/fingerprint",
			"is not the fingerprint of this Schema, which was edited after it was exported", exportAgain)
	}
	return d, nil
}

// builder builds a Go type for a document. Names of Go fields are unique, so that no two nodes of
// the document share a compiled node.
type builder struct {
	open     bool // objects may have unknown members
	byPath   bool // problems name the paths of fields
	faults   fault.List
	pointers map[string]string // Go field -> JSON pointer, or path
}

func (b *builder) reject(pointer, what, hint string) { b.faults.Add(invalid(pointer, what, hint)) }

func (b *builder) object(n *Node, pointer string, meta []string) reflect.Type {
	fields := make([]reflect.StructField, 0, len(meta)+len(n.Fields))
	for _, name := range meta {
		fields = append(fields, b.goField(reflect.TypeFor[string](),
			fmt.Sprintf("json:%q", name+",omitempty"), pointer))
	}
	for i, f := range n.Fields {
		at := pointer + "/fields/" + strconv.Itoa(i)
		switch {
		case f == nil || f.Type == nil:
			b.reject(at, "has no type", exportAgain)
			continue
		case i > 0 && n.Fields[i-1] != nil && n.Fields[i-1].Name >= f.Name, slices.Contains(meta, f.Name):
			b.reject(at+"/name", "is not after the name before it", "sort the fields by name, each once")
			continue
		case strings.Contains(f.Name, ","):
			b.reject(at+"/name", "has a comma, with which a json struct tag ends a name", "rename the field")
			continue
		}
		t := b.typ(f.Type, at+"/type")
		if t != nil && f.Nullable {
			t = reflect.PointerTo(t)
		}
		tag := b.structTag(f, at)
		if b.byPath {
			at = f.GoField
		}
		if t != nil {
			fields = append(fields, b.goField(t, tag, at))
		}
	}
	if b.open {
		tag := fmt.Sprintf("json:%q hotupdatable:%q", restName(n, meta), "false,sensitive")
		fields = append(fields, b.goField(reflect.TypeFor[fieldplan.Unknown](), tag, pointer))
	}
	return reflect.StructOf(fields)
}

// restName is a name for the field that holds unknown members. No other field has it, and it is
// never in JSON.
func restName(n *Node, meta []string) string {
	name := "unknown"
	for slices.Contains(meta, name) || slices.ContainsFunc(n.Fields,
		func(f *Field) bool { return f != nil && f.Name == name }) {
		name += "~"
	}
	return name
}

func (b *builder) goField(t reflect.Type, tag, pointer string) reflect.StructField {
	name := "F" + strconv.Itoa(len(b.pointers)+1)
	b.pointers[name] = pointer
	return reflect.StructField{Name: name, Type: t, Tag: reflect.StructTag(tag)}
}

// typ returns the Go type of a node, or nil if there is none.
func (b *builder) typ(n *Node, pointer string) reflect.Type {
	switch n.Kind {
	case kindObject:
		return b.object(n, pointer, nil)
	case kindList, kindArray, kindMap:
		return b.collection(n, pointer)
	case kindRef:
		b.reject(pointer, "is a type that contains itself", "use the Schema of the Go type")
		return nil
	}
	if n.goType != nil {
		return n.goType
	}
	t := leafType(n.Kind, n.Bits)
	if t == nil {
		b.reject(pointer, "has an unknown kind or width", "use a release of this library that knows it")
	}
	return t
}

func (b *builder) collection(n *Node, pointer string) reflect.Type {
	if n.Elem == nil {
		b.reject(pointer+"/elem", "is missing", exportAgain)
		return nil
	}
	elem := b.typ(n.Elem, pointer+"/elem")
	if elem != nil && n.ElemNullable {
		elem = reflect.PointerTo(elem)
	}
	switch {
	case elem == nil:
		return nil
	case n.Kind == kindList:
		return reflect.SliceOf(elem)
	case n.Kind == kindMap:
		b.checkKeyClasses(n, pointer)
		return b.mapOf(n, elem, pointer)
	case n.Elem.Kind == kindOpaque && n.Elem.goType == nil && !n.ElemNullable:
		b.reject(pointer, "is an array of a type that marshals itself, whose zero value is not known",
			"use the Schema of the Go type")
		return nil
	case n.Length < 0 || uint64(n.Length) > maxArray/max(1, uint64(elem.Size())):
		b.reject(pointer+"/length", "makes the array larger than "+strconv.Itoa(maxArray)+" bytes", exportAgain)
		return nil
	default:
		return reflect.ArrayOf(n.Length, elem)
	}
}

func (b *builder) mapOf(n *Node, elem reflect.Type, pointer string) reflect.Type {
	if n.goKeys != nil {
		return reflect.MapOf(n.goKeys, elem)
	}
	key := leafType(n.Keys, n.KeyBits)
	isKeyKind := slices.Contains([]string{kindString, "int", "uint"}, n.Keys)
	if key == nil || !isKeyKind {
		b.reject(pointer+"/keys", "is not a kind of map key", exportAgain)
		return nil
	}
	return reflect.MapOf(key, elem)
}

// checkKeyClasses refuses classes of single keys that are not what Export writes.
func (b *builder) checkKeyClasses(n *Node, pointer string) {
	for i, k := range n.KeyClasses {
		at := pointer + "/keyClasses/" + strconv.Itoa(i)
		if k == nil {
			b.reject(at, "has no key", exportAgain)
			continue
		}
		if _, ok := structtag.ClassNamed(k.Class); !ok {
			b.reject(at+"/class", "is no class", "write immutable, in-place, hot or ignored")
		}
		if i > 0 && n.KeyClasses[i-1] != nil && n.KeyClasses[i-1].Key >= k.Key {
			b.reject(at+"/key", "is not after the key before it", "sort the keys, each once")
		}
	}
}

// keyOverrides appends the classes of all single keys at and below a node as overrides. A struct tag
// has those of the map of its own field only.
func (n *Node) keyOverrides(path string, all []fieldplan.Override) []fieldplan.Override {
	if n == nil {
		return all
	}
	for _, k := range n.KeyClasses {
		all = append(all, fieldplan.Override{Path: fieldpath.Key(path, k.Key), Tag: k.tag()})
	}
	for _, f := range n.Fields {
		if f != nil {
			all = f.Type.keyOverrides(fieldpath.Join(path, f.Name), all)
		}
	}
	return n.Elem.keyOverrides(fieldpath.Elements(path), all)
}

// tag is the class as the value of a struct tag.
func (k *KeyClass) tag() string {
	class, _ := structtag.ClassNamed(k.Class)
	return class.Word()
}

// structTag returns the struct tags of a field of the document. A class that was inherited is
// inherited again.
func (b *builder) structTag(f *Field, pointer string) string {
	json := f.Name
	if f.Name == "-" {
		json += "," // without a comma, encoding/json leaves the field out
	}
	if f.Optional {
		json += ",omitempty"
	}
	if f.Quoted {
		json += ",string"
	}
	tag := fmt.Sprintf("json:%q", json)
	if _, ok := structtag.ClassNamed(f.Class); !ok {
		b.reject(pointer+"/class", "is not a class", "write immutable, in-place, hot or ignored")
	}
	if f.Inherited {
		tag += " " + fieldplan.Inherits
	}
	return tag + fmt.Sprintf(" hotupdatable:%q", strings.Join(append([]string{f.classWord()}, f.options()...), ","))
}

func (f *Field) classWord() string {
	class, _ := structtag.ClassNamed(f.Class)
	return class.Word()
}

// StructTag returns the value of the field's hotupdatable struct tag.
func (f *Field) StructTag() string {
	return strings.Join(append([]string{f.classWord()}, f.Options()...), ",")
}

// Options returns the options of the field's struct tag. Overrides for single keys are not options of
// the field.
func (f *Field) Options() []string {
	options := f.options()
	if f.Type == nil {
		return options
	}
	for _, k := range f.Type.KeyClasses {
		if !k.Override {
			options = append(options, "keyclass="+k.tag()+":"+structtag.Quote(k.Key))
		}
	}
	return options
}

// options are the options but for those for single keys.
func (f *Field) options() []string {
	var options []string
	if f.Set {
		options = append(options, "set")
	}
	if f.Key != "" {
		options = append(options, "key="+f.Key)
	}
	if f.HotWhen != nil {
		options = append(options, "hotwhen="+f.HotWhen.Name+":"+structtag.Quote(f.HotWhen.Value))
	}
	if f.Default != nil {
		options = append(options, "default="+structtag.Quote(*f.Default))
	}
	if f.Presence {
		options = append(options, "presence")
	}
	if f.Type != nil && f.Type.meaning() != structtag.Undeclared {
		options = append(options, "as="+f.Type.meaning().String())
	}
	if f.Sensitive != "" {
		options = append(options, f.Sensitive)
	}
	return options
}

// locate replaces the builder's Go fields in problems by JSON pointers into the document. Problems
// of an override have its path.
func (b *builder) locate(err error) error {
	located := fault.List{}
	for _, problem := range fault.All(err) {
		place := b.pointers[problem.Field[strings.LastIndexByte(problem.Field, '.')+1:]]
		if b.byPath {
			problem.Field = ""
			problem.Type = ""
			problem.Path = cmp.Or(problem.Path, place)
			located.Add(problem)
		} else {
			invalid := invalid(place, problem.What, problem.Hint)
			invalid.Cause = problem
			located.Add(invalid)
		}
	}
	return located.Err()
}

// annotate copies to the compiled nodes what only the document knows: where classes come from, and
// the zero text of opaque leaves.
func annotate(n *fieldplan.Node, from *Node) {
	if n.Elem != nil {
		annotate(n.Elem, from.Elem)
	}
	for i, k := range from.KeyClasses {
		rule := n.Keys.All[i]
		annotate(rule.Node, from.Elem)
		rule.Source = k.Source
		rule.Declared = fieldplan.StructTag
		if k.Override {
			rule.Declared = fieldplan.Overridden
		}
	}
	for i, f := range n.Fields {
		known := from.Fields[i]
		f.GoField = known.GoField
		f.Recognized = known.Recognized
		f.Fills = known.Fills
		if f.Declared != fieldplan.Overridden {
			f.Source = known.Source
		}
		if known.Override {
			f.Declared = fieldplan.Overridden
		}
		if f.Node.Leaf == leaf.Opaque && !f.Pointer {
			f.Zero = append([]byte(nil), known.Zero...) // nil if the zero value has no text
		}
		if f.Node.When != nil {
			f.Node.When.Source = known.GoField
			annotate(f.Node.When.Hot, known.Type.Elem)
		}
		annotate(f.Node, known.Type)
	}
}

// Recompile returns the field plan behind a Schema of type t. Its overrides are read from the
// Schema's JSON.
func Recompile(schema json.Marshaler, t reflect.Type) (*fieldplan.Plan, error) {
	exported, err := schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := &Document{}
	if err := json.Unmarshal(exported, d); err != nil {
		return nil, err
	}
	return fieldplan.Compile(t, d.Root.overrides("", nil), rawjson.ReadPart)
}

// overrides appends the overrides at and below a node.
func (n *Node) overrides(path string, all []fieldplan.Override) []fieldplan.Override {
	if n == nil {
		return all
	}
	for _, k := range n.KeyClasses {
		o := fieldplan.Override{Path: fieldpath.Key(path, k.Key), Tag: k.tag()}
		if k.Override && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	for _, f := range n.Fields {
		if o := (fieldplan.Override{Path: f.Source, Tag: f.StructTag()}); f.Override && !slices.Contains(all, o) {
			all = append(all, o)
		}
		all = f.Type.overrides(fieldpath.Join(path, f.Name), all)
	}
	return n.Elem.overrides(fieldpath.Elements(path), all)
}
