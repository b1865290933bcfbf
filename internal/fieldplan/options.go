package fieldplan

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// optionOf is a class of a key that an option of the field declares.
func optionOf(f *Field, k structtag.KeyClass) KeyClass {
	if f.optionPath != "" {
		return overriddenKey(k, f.optionPath)
	}
	return KeyClass{KeyClass: k, Declared: StructTag, Source: f.GoField, Place: f.place}
}

func (c *compiler) pairing(n *Node, f *Field, tag structtag.Tag) {
	switch {
	case tag.Set && n.Kind != List:
		n.Pairing = ByPosition
		c.misplaced(f, "set", "slices")
	case tag.Key != "" && (n.Kind != List || n.Elem.Kind != Object):
		n.Pairing = ByPosition
		c.misplaced(f, "key", "slices of structs")
	case tag.Key != "":
		c.checks = append(c.checks, func() { c.key(n, f, tag.Key) })
	case len(tag.Keys) > 0 && n.Kind != Map:
		c.misplaced(f, "keyclass", "maps whose keys are strings or text marshalers")
	}
}

// takesHotWhen reports whether the elements of n may have a selector.
func (c *compiler) takesHotWhen(n *Node, f *Field) bool {
	switch {
	case n.Pairing != ByKey && n.Kind != Map, n.Elem.Kind != Object:
		c.misplaced(f, "hotwhen", "slices with key= and maps, of structs")
	case n.Keys != nil:
		c.rejectOption(f, "conflicting-options", "has the option `hotwhen`, and an override gives a single key a class",
			"keep one of them")
	default:
		return true
	}
	return false
}

func (c *compiler) misplaced(f *Field, option, allowed string) {
	c.rejectOption(f, "misplaced-option", fmt.Sprintf("has the option `%s`, which is for %s", option, allowed),
		"remove the option")
}

// rejectOption reports an option at the field, or at the override that it comes from.
func (c *compiler) rejectOption(f *Field, code, what, hint string) {
	c.rejectAt(f, f.optionPath, code, what, hint)
}

func (c *compiler) rejectAt(f *Field, override, code, what, hint string) {
	problem := mistake(f.place, code, what, hint)
	if override != "" {
		problem.Field = ""
		problem.Path = override
		problem.Type = f.GoField
	}
	c.faults.Add(problem)
}

func mistake(place, code, what, hint string) *fault.Error {
	return &fault.Error{Kind: fault.Declaration, Code: code, Field: place, What: what, Hint: hint}
}

// innermost returns the node of the elements of a list, array or map, of their elements, and so on.
// It is nil for a type that holds nothing but itself.
func (n *Node) innermost() *Node {
	for seen := map[*Node]bool{}; n != nil && n.Kind != Leaf && n.Kind != Object; n = n.Elem {
		if seen[n] {
			return nil
		}
		seen[n] = true
	}
	return n
}

// takesMeaning reports whether n is a string, or a list, array or map whose innermost elements are
// strings. Such strings may have a declared meaning. So may what the front says.
func (n *Node) takesMeaning() bool {
	inner := n.innermost()
	if inner == nil || inner.Kind != Leaf {
		return false
	}
	return inner.Leaf.IsText() || inner.takesAs
}

// ByOption names, for people, what declares the meaning of strings.
const ByOption = "the option as"

// Meaning is the declared meaning of the strings in f.
func (f *Field) Meaning() structtag.Meaning {
	if inner := f.Node.innermost(); inner != nil {
		return inner.Leaf.Meaning()
	}
	return structtag.Undeclared
}

func (c *compiler) key(n *Node, f *Field, name string) {
	key := n.Elem.Lookup(name)
	what := ""
	switch {
	case key == nil:
		what = "names no JSON field of " + n.Elem.TypeName()
	case key.Node.Leaf.Meaning() != structtag.Undeclared:
		what = "names a field with `as=`"
	case key.Node.Leaf != leaf.String && key.Node.Leaf != leaf.Int && key.Node.Leaf != leaf.Uint:
		what = "names a field that is neither a string nor an integer"
	case key.Optional && !key.Pointer && key.Node.Leaf != leaf.String:
		what = "names an optional integer, which leaves out 0"
	case n.Elem.isBehindEmbeddedPointer(key) && !key.Pointer && key.Node.Leaf != leaf.String:
		what = "names an integer of a struct that is embedded by pointer, which leaves it out if the pointer is nil"
	case key.Default != nil:
		what = "names a field with `default=`"
	case key.Node.Class != n.Class:
		what = "names a field that is " + key.Node.Class.String() + " while the list is " + n.Class.String()
	default:
		n.Key = key
		return
	}
	c.rejectOption(f, "invalid-key-field", fmt.Sprintf("has the option `key=%s`, which %s", name, what),
		"name a string or integer field of the list's own class that every element has")
}

// isBehindEmbeddedPointer reports whether JSON leaves out field f of an object because an embedded
// pointer is nil.
func (n *Node) isBehindEmbeddedPointer(f *Field) bool {
	t := n.Type
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
		if t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// selector finds and checks the field that hotwhen=NAME:VALUE names. It must not be a pointer or
// have a default: either gives one meaning two spellings.
func (c *compiler) selector(n *Node, f *Field, when structtag.HotWhen) {
	field := n.Elem.Lookup(when.Name)
	what := ""
	switch {
	case n.Class == structtag.Hot:
		what = "can never take effect because the field is hot already"
	case field == nil:
		what = "names no JSON field of " + n.Elem.TypeName()
	case field.Pointer || field.Default != nil:
		what = "names a field that may be unset"
	case field.Node.Leaf.Meaning() != structtag.Undeclared:
		what = "names a field with `as=`"
	case field.Node.Class != n.Class:
		what = "names a field that is " + field.Node.Class.String() + " while the collection is " + n.Class.String()
	default:
		if value, ok := selectorText(field.Node, when.Value); ok {
			n.When.Field = field
			n.When.Value = value
			return
		}
		what = "compares a " + field.Node.TypeName() + " with a value it cannot have"
	}
	c.rejectOption(f, "invalid-selector", fmt.Sprintf("has the option `hotwhen=%s:%s`, which %s", when.Name,
		when.Value, what),
		"name a required string, integer or bool field of the collection's own class and one of its values")
}

// selectorText is the canonical text of VALUE, which is compared with the text of an element's
// field.
func selectorText(n *Node, value string) (string, bool) {
	if !slices.Contains([]leaf.Kind{leaf.Bool, leaf.Int, leaf.Uint, leaf.String}, n.Leaf) {
		return "", false
	}
	text, ok := leaf.ParseText(n.Leaf, n.Type, value)
	return string(text), ok
}

func (c *compiler) fieldOptions(f *Field, tag structtag.Tag) {
	if f.Node.Kind == Leaf && !f.Pointer && f.Node.Leaf != leaf.Opaque {
		f.Zero = leaf.Zero(f.Node.Leaf, f.Node.Type)
	}
	if !f.Pointer {
		c.unwritableZero(f)
	}
	f.Presence = tag.Presence && f.TakesPresence()
	if tag.Presence && !f.Presence {
		c.misplaced(f, "presence", "pointers to structs, lists and maps")
	}
	if tag.As != structtag.Undeclared && !f.Node.takesMeaning() {
		c.rejectAt(f, f.asPath, "misplaced-option",
			"has the option `as="+tag.As.String()+"`, which is for strings, and for lists and maps of strings",
			"remove the option; the type of a value that is not a string decides what it means")
	}
	if tag.Default != nil {
		c.defaultText(f, *tag.Default)
	}
}

// unwritableZero refuses a hashed field whose zero value cannot be marshaled, unless JSON omits the
// field, and a hashed array of such values. The value would be an error in Go, and absent in raw
// JSON. Types that are read from source code are not checked, since their marshalers cannot be
// called.
func (c *compiler) unwritableZero(f *Field) {
	n := f.Node
	isOmitted := f.Optional
	for ; n.Kind == Array && !n.ElemPointer; n = n.Elem {
		isOmitted = false
	}
	_, isUnloaded := n.Type.(leaf.Unloaded)
	isHashedLeaf := n.Kind == Leaf && IsProjected(n.Class)
	hasMarshaler := n.Leaf.MarshalsItself() && !isUnloaded
	isChecked := isHashedLeaf && !isOmitted && hasMarshaler
	if isChecked && leaf.Zero(n.Leaf, n.Type) == nil {
		c.faults.Add(mistake(f.place, "zero-fails",
			"has the type "+n.TypeName()+
				", whose marshaler fails on the zero value, so that an unset field cannot be hashed",
			"make the field a pointer or add omitzero; if the type is not yours, give the field the class true "+
				"or ignore by WithTag"))
	}
}

// TakesPresence reports whether presence may be declared for f.
func (f *Field) TakesPresence() bool {
	return f.Pointer && slices.Contains([]Kind{Object, List, Map}, f.Node.Kind)
}
