package schemajson

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Export returns the JSON form of a plan.
func Export(p *fieldplan.Plan) (*Document, error) {
	e := exporter{}
	d := &Document{Root: e.node(p.Root, "/root")}
	d.FormatVersion = d.Root.version()
	if p.Open {
		d.Unknown = structtag.Immutable.String()
	}
	for _, f := range p.Meta {
		d.TypeMeta = append(d.TypeMeta, f.Name)
	}
	fingerprint, err := d.fingerprint()
	d.Fingerprint = fingerprint
	return d, err
}

// Sign gives the document the fingerprint of what stands in it.
func (d *Document) Sign() error {
	fingerprint, err := d.fingerprint()
	d.Fingerprint = fingerprint
	return err
}

// fingerprint is a digest of everything that decides a hash. It leaves out names that only tell
// people where a class comes from.
func (d *Document) fingerprint() (string, error) {
	bare := &Document{TypeMeta: d.TypeMeta, Unknown: d.Unknown, Root: d.Root.bare()}
	bare.FormatVersion = d.FormatVersion + bare.Root.version() - d.Root.version() // without what only people read
	data, err := json.Marshal(bare)
	if err != nil {
		return "", err
	}
	canonical, problem := canonjson.AppendValue(nil, data)
	if problem != nil {
		return "", problem
	}
	sum := sha256.Sum256(canonical)
	return "s1:" + hex.EncodeToString(sum[:]), nil
}

// bare copies a node without the names that only people read.
func (n *Node) bare() *Node {
	if n == nil {
		return nil
	}
	copied := *n
	copied.Elem = n.Elem.bare()
	copied.KeyClasses = nil
	for _, k := range n.KeyClasses {
		if k != nil {
			copied.KeyClasses = append(copied.KeyClasses, &KeyClass{Key: k.Key, Class: k.Class})
		}
	}
	copied.Fields = make([]*Field, len(n.Fields))
	for i, f := range n.Fields {
		if f == nil {
			continue
		}
		field := *f
		field.GoField = ""
		field.Override = false
		field.Source = ""
		field.Fills = ""
		field.Type = f.Type.bare()
		copied.Fields[i] = &field
	}
	return &copied
}

// Shape is a text about everything that decides a hash in a field, but for its name.
func Shape(f *fieldplan.Field) string {
	bare := (&Node{Fields: []*Field{exporter{}.field(&fieldplan.Node{}, f, "")}}).bare().Fields[0]
	bare.Name = ""
	text, _ := json.Marshal(bare) // as fingerprint does
	return string(text)
}

// AreAlike reports whether two nodes describe the same values with the same classes.
func AreAlike(a, b *fieldplan.Node) bool {
	var texts [2]string
	for i, n := range []*fieldplan.Node{a, b} {
		text, _ := json.Marshal(exporter{}.node(n, "").bare()) // as fingerprint does
		texts[i] = n.Class.String() + string(text)
	}
	return texts[0] == texts[1]
}

// exporter remembers the JSON pointers of recursive nodes, since each is written once.
type exporter map[*fieldplan.Node]string

func (e exporter) node(n *fieldplan.Node, pointer string) *Node {
	if ref, written := e[n]; written {
		return &Node{Kind: kindRef, Ref: ref}
	}
	if n.Recursive {
		e[n] = pointer
	}
	out := &Node{}
	switch n.Kind {
	case fieldplan.Object:
		out.Kind = KindObject
		for i, f := range n.Fields {
			out.Fields = append(out.Fields, e.field(n, f, pointer+"/fields/"+strconv.Itoa(i)))
		}
	case fieldplan.List:
		out.Kind = KindList
	case fieldplan.Array:
		out.Kind = kindArray
		out.Length = n.Type.Len()
	case fieldplan.Map:
		out.Kind = KindMap
		out.Keys, out.KeyBits = KeyName(n.Type.Key())
		out.KeyClasses = keyClasses(n)
	case fieldplan.Leaf:
		out.Kind, out.Bits = LeafName(n.Leaf, n.Type)
	}
	if n.Elem != nil {
		out.Elem = e.node(n.Elem, pointer+"/elem")
		out.ElemNullable = n.ElemPointer
	}
	return out
}

func keyClasses(n *fieldplan.Node) (classes []*KeyClass) {
	if n.Keys == nil {
		return nil
	}
	for _, rule := range n.Keys.All {
		classes = append(classes, &KeyClass{
			Key: rule.Pattern, Class: rule.Node.Class.String(), Override: rule.Declared == fieldplan.Overridden,
			Source: rule.Source,
		})
	}
	return classes
}

func (e exporter) field(in *fieldplan.Node, f *fieldplan.Field, pointer string) *Field {
	n := f.Node
	out := &Field{
		Name: f.Name, Class: n.Class.String(), Inherited: f.Declared == fieldplan.Inherited, Nullable: f.Pointer,
		Optional: f.Optional, Quoted: f.Quoted, Presence: f.Presence, Set: n.Pairing == fieldplan.ByValue,
		GoField: f.GoField, Override: f.Declared == fieldplan.Overridden, Source: f.Source, Fills: f.Fills,
		Type: e.node(n, pointer+"/type"),
	}
	if n.Pairing == fieldplan.ByKey {
		out.Key = n.Key.Name
	}
	if n.When != nil {
		out.HotWhen = &When{n.When.Field.Name, plainText(n.When.Value)}
	}
	if f.Default != nil {
		out.Default = new(leaf.OptionText(n.Leaf, string(f.Default)))
	}
	if n.Sensitive > in.Sensitive {
		out.Sensitive = n.Sensitive.String()
	}
	if out.Type.Kind == kindOpaque && !f.Pointer {
		out.Zero = string(f.Zero)
	}
	return out
}

// plainText turns a canonical text into the text of an option in a struct tag: a string loses its
// quotes.
func plainText(canonical string) string {
	var text string
	if strings.HasPrefix(canonical, `"`) && json.Unmarshal([]byte(canonical), &text) == nil {
		return text
	}
	return canonical
}

func invalid(pointer, what, hint string) *fault.Error {
	return &fault.Error{Kind: fault.InvalidSchema, Code: "invalid-schema", Path: pointer, What: what, Hint: hint}
}
