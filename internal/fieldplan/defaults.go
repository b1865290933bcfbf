package fieldplan

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/plaintext"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// defaultText reads the option default. The default of an object, list or map is checked when all
// nodes are known.
func (c *compiler) defaultText(f *Field, text string) {
	if !f.TakesDefault() {
		c.misplaced(f, "default", "scalars other than a plain bool, free JSON, and pointers to structs, lists and maps")
		return
	}
	if f.Node.Kind != Leaf {
		c.checks = append(c.checks, func() { c.fallback(f, text) })
		return
	}
	canonical, ok := leaf.ParseText(f.Node.Leaf, f.Node.Type, text)
	switch {
	case !ok:
		c.rejectOption(f, "invalid-default", "has a default that is not "+plaintext.WithArticle(f.Node.TypeName()),
			"write a value of the field's type")
	case !f.Pointer && bytes.Equal(canonical, f.Zero):
		c.rejectOption(f, "invalid-default",
			"has the zero value as its default, which counts as unset already", "remove the option")
	default:
		f.Default = canonical
	}
}

// TakesDefault reports whether default=TEXT may be declared for f, unless f is the key of a list or
// selects elements.
func (f *Field) TakesDefault() bool {
	n := f.Node
	switch {
	case n.Kind != Leaf:
		return f.TakesPresence() && !n.Recursive
	case n.Leaf == leaf.Interface && n.Type.NumMethod() > 0:
		return false
	default:
		return n.Leaf.TakesDefault() && (f.Pointer || n.Leaf != leaf.Bool)
	}
}

// fallback reads the default of an object, list or map, which is JSON.
func (c *compiler) fallback(f *Field, text string) {
	canonical, problem := canonjson.AppendValue(nil, []byte(text))
	tree, err := jsonpatch.Parse([]byte(text))
	if problem != nil || err != nil {
		c.rejectOption(f, "invalid-default", "has a default that is not JSON",
			"write the value in JSON, as in default='{\"a\":1}'")
		return
	}
	r := defaultReader{}
	r.read(f.Node, tree, "") // alone, for a type that is not loaded
	if _, isUnloaded := f.Node.Type.(leaf.Unloaded); !isUnloaded {
		_, err := c.readPart(f.Node, canonical)
		for _, problem := range fault.All(err) {
			r.reject(problem.Path, problem.What)
		}
	}
	if r.what != "" {
		c.rejectOption(f, "invalid-default", "has a default "+r.what, "write a value of the field's type")
		return
	}
	if text := string(canonical); text == "{}" || text == "[]" {
		c.rejectOption(f, "invalid-default", "has an empty default, which counts as unset already", "remove the option")
	} else if r.classes != 0 { // otherwise it fills in what its parts have as defaults of their own
		f.Default = canonical
		f.Filled = r.classes
	}
}

// defaultReader checks the default of an object, list or map, and finds the classes of its parts.
type defaultReader struct {
	classes ClassSet
	what    string // the first problem
}

func (r *defaultReader) reject(path, what string) {
	if r.what != "" {
		return
	}
	if r.what = "that " + what; path != "" {
		r.what = "whose part " + path + " " + what
	}
}

// read reads a part of the default at a path below the field.
func (r *defaultReader) read(n *Node, tree any, path string) {
	switch members, isObject := tree.(map[string]any); {
	case n.Kind == Object && isObject:
		r.object(n, members, path)
	case n.Kind == Map && isObject:
		r.entries(n, members, path)
	case n.Kind == List || n.Kind == Array:
		list, isList := tree.([]any)
		if !isList || n.Kind == Array && len(list) > n.Type.Len() {
			r.reject(path, "is not "+plaintext.WithArticle(n.kindName()))
		}
		r.elements(n, list, path)
	case n.Kind == Leaf:
		if textOfTree(n, false, tree) == nil {
			r.reject(path, "is not "+plaintext.WithArticle(n.TypeName()))
		}
		r.classes |= Of(n.Class)
	default:
		r.reject(path, "is not "+plaintext.WithArticle(n.kindName()))
	}
}

// kindName is the name of the node's type in messages, or its kind if it has none.
func (n *Node) kindName() string { return strings.TrimPrefix(n.TypeName(), "this ") }

// textOfTree is the canonical text of a leaf, given as a tree of JSON. It is nil if there is none.
func textOfTree(n *Node, isQuoted bool, tree any) []byte { //nolint:revive // a fact about the field
	raw, err := jsonpatch.Write(tree)
	if text, isString := tree.(string); isQuoted && isString {
		raw = []byte(text)
	}
	if canonical, ok := leaf.ParseJSON(n.Leaf, n.Type, raw); ok && err == nil {
		return canonical
	}
	return nil
}

// object reads the members of an object. Null and what counts as unset have no class.
func (r *defaultReader) object(n *Node, members map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member := members[name]
		f := n.Lookup(name)
		at := fieldpath.Join(path, name)
		switch {
		case f == nil:
			r.reject(at, "is not a field of "+n.TypeName())
		case member == nil:
		case f.Node.Kind == Leaf:
			text := textOfTree(f.Node, f.Quoted, member)
			if text == nil {
				r.reject(at, "is not "+plaintext.WithArticle(f.Node.TypeName()))
			} else if !f.Unset(text) {
				r.classes |= Of(f.Node.Class)
			}
		default:
			r.member(f, member, at)
		}
	}
}

// member reads a member that is an object or a collection.
func (r *defaultReader) member(f *Field, member any, at string) {
	inner := defaultReader{what: r.what}
	inner.read(f.Node, member, at)
	if f.Presence || f.HasPresence() {
		inner.classes |= Of(f.Node.Class)
	}
	r.what = inner.what
	if text, err := jsonpatch.Write(member); err == nil && f.Default != nil {
		if canonical, _ := canonjson.AppendValue(nil, text); bytes.Equal(canonical, f.Default) {
			return // the default of the member itself
		}
		inner.classes |= f.Filled
	}
	r.classes |= inner.classes
}

// entries reads the entries of a map.
func (r *defaultReader) entries(n *Node, entries map[string]any, path string) {
	keys := leaf.MapKeyKind(n.Type.Key())
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		elem := entries[key]
		if _, ok := leaf.ParseText(keys, n.Type.Key(), key); !ok && keys != leaf.TextMarshaler {
			r.reject(path, "has a key that is not "+plaintext.WithArticle(n.Type.Key().String()))
		}
		at := fieldpath.Elements(path)
		if rule := n.RuleOf(n.KeyText(key)); rule != nil {
			r.content(rule.Node, rule.Node.Class, elem, at)
		} else {
			r.element(n, elem, at)
		}
	}
}

// elements reads the elements of a list or array.
func (r *defaultReader) elements(n *Node, list []any, path string) {
	var keys []string
	for _, elem := range list {
		at := fieldpath.Elements(path)
		if r.element(n, elem, at); n.Pairing != ByKey || n.Key == nil {
			continue
		}
		members, _ := elem.(map[string]any)
		key := string(textOfTree(n.Key.Node, n.Key.Quoted, members[n.Key.Name]))
		isNumberBehindPointer := n.Key.Pointer && n.Key.Node.Leaf != leaf.String
		if key == "" && !isNumberBehindPointer { // it is absent
			key = string(leaf.Zero(n.Key.Node.Leaf, n.Key.Node.Type))
		}
		if slices.Contains(keys, key) {
			r.reject(at, "has no "+n.Key.Name+" of its own, by which it is found")
		}
		keys = append(keys, key)
	}
}

// element reads an element, whose presence belongs to its collection, or to the element itself if
// hotwhen holds. Null is the zero value.
func (r *defaultReader) element(n *Node, elem any, at string) {
	node := n.Elem
	if n.When != nil && n.When.Field != nil {
		members, _ := elem.(map[string]any)
		selector := []byte(nil)
		f := n.When.Field
		if value, isSet := members[f.Name]; isSet && value != nil {
			selector = textOfTree(f.Node, f.Quoted, value)
		}
		if n.When.Holds(selector, nil) {
			node = n.When.Hot
		}
	}
	class := n.Class
	if node != n.Elem {
		class = node.Class
	}
	r.content(node, class, elem, at)
}

func (r *defaultReader) content(n *Node, class structtag.Class, elem any, at string) {
	r.classes |= Of(class)
	if elem != nil {
		r.read(n, elem, at)
	}
}
