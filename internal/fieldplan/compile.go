package fieldplan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// context is what a node inherits. One type in one context is one node, so recursive types end.
type context struct {
	typ       reflect.Type
	class     structtag.Class
	sensitive structtag.Sensitivity
	path      string // in the spelling of overrides, or noOverride
	root      bool
	closed    bool              // unknown members are not admitted
	as        structtag.Meaning // of strings, also in lists and maps
	maybeHot  bool              // the class is that of elements that hotwhen may make Hot
}

type compiler struct {
	nodes      map[context]*Node
	open       map[*Node]bool // nodes that are being compiled
	order      []*Node
	meta       []*Field             // of the root
	keyOptions map[*Node][]keyClass // of maps with the option keyclass
	overrides  map[string]override  // by path
	checks     []func()             // checks that need all nodes
	readPart   ReadPart
	faults     fault.List
}

// ReadPart reads the value of a node from JSON, as it is read in a configuration.
type ReadPart func(n *Node, raw []byte) (reflect.Value, error)

// Build compiles the plan of struct type t, not a pointer, without caching it: the caller owns it.
// Defaults of objects, lists and maps are read by readPart. All problems are returned joined, each
// once, in a stable order.
func Build(t reflect.Type, overrides []Override, readPart ReadPart) (*Plan, error) {
	c := &compiler{
		nodes: map[context]*Node{}, open: map[*Node]bool{}, overrides: map[string]override{},
		keyOptions: map[*Node][]keyClass{}, readPart: readPart,
	}
	if t.Kind() != reflect.Struct || leaf.KindOf(t) != leaf.NotALeaf {
		what := "is not a struct of fields"
		hint := "use the versioned struct type of the provider config"
		if leaf.KindOf(t).MarshalsItself() && t.Kind() == reflect.Struct {
			what = "marshals itself, so that its fields are not what is in its JSON"
			hint = "remove its marshaler; one of an embedded type is promoted: give that a field of its own"
		}
		c.faults.Add(&fault.Error{
			Kind: fault.Declaration, Code: "unsupported-root", Type: t.String(), What: what, Hint: hint,
		})
		return nil, c.faults.Err()
	}
	c.readOverrides(overrides)
	root := c.node(context{typ: t, root: true, closed: !admitsUnknown(t)}, typeName(t, "config"))
	// Only the root's node has no TypeMeta, so it is never met again. Its values may contain
	// themselves if its type is met again.
	root.Recursive = slices.ContainsFunc(c.order[1:], func(n *Node) bool { return n.Type == t })
	c.refuseMetadata(root)
	c.spreadClasses()
	for _, check := range c.checks {
		check()
	}
	c.reportUnmatched(root)
	if len(c.faults) > 0 {
		c.faults = distinct(c.faults)
		return nil, c.faults.Err()
	}
	return &Plan{Type: t, Root: root, Meta: c.meta, Open: root.Rest != nil}, nil
}

// refuseMetadata refuses a root that is a whole Kubernetes object, unless a struct tag or an
// override declares the class of its metadata.
func (c *compiler) refuseMetadata(root *Node) {
	f := root.Lookup("metadata")
	if f == nil || f.Declared != Inherited || !isObjectMeta(f.Node.Type) {
		return
	}
	c.faults.Add(mistake(f.GoField, "whole-object",
		"makes the configuration a whole object, whose metadata changes with every write",
		"use the type of its spec, or give the field the class `ignore`"))
}

func isObjectMeta(t reflect.Type) bool {
	return t.Name() == "ObjectMeta" && t.PkgPath() == reflect.TypeFor[metav1.TypeMeta]().PkgPath()
}

// distinct sorts problems by field and drops duplicates: a type in two contexts repeats its
// problems.
func distinct(faults fault.List) fault.List {
	compare := func(a, b *fault.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.What, b.What))
	}
	slices.SortStableFunc(faults, compare)
	return slices.CompactFunc(faults, func(a, b *fault.Error) bool { return compare(a, b) == 0 })
}

// typeName is the name of a type in messages. A type without a name has the name of its field.
func typeName(t reflect.Type, fallback string) string {
	if t.Name() == "" {
		return fallback
	}
	return t.String()
}

// node compiles the node of a type, with pointers, in a context. goField names the field or type
// through which it was reached.
func (c *compiler) node(ctx context, goField string) *Node {
	ctx.typ = Deref(ctx.typ)
	if n, ok := c.nodes[ctx]; ok {
		c.closeCycle(n)
		return n
	}
	n := &Node{Type: ctx.typ, Class: ctx.class, Sensitive: ctx.sensitive}
	c.nodes[ctx] = n
	c.order = append(c.order, n)
	c.open[n] = true
	before := len(c.faults)
	c.shape(n, ctx, goField)
	delete(c.open, n)
	if slices.ContainsFunc(c.faults[before:], func(e *fault.Error) bool { return e.Field == goField }) {
		delete(c.nodes, ctx) // the type itself has a problem, which is reported for each field of that type
	}
	return n
}

// closeCycle marks the nodes on the way from n to the current node as recursive, if n is being
// compiled.
func (c *compiler) closeCycle(n *Node) {
	if !c.open[n] {
		return
	}
	for _, below := range c.order[slices.Index(c.order, n):] {
		below.Recursive = below.Recursive || c.open[below]
	}
}

func (c *compiler) shape(n *Node, ctx context, goField string) {
	if ctx.typ.Name() == "" && ctx.typ.Kind() == reflect.Struct && leaf.ReadsItself(ctx.typ) {
		c.faults.Add(mistake(goField, "unsupported-type",
			"is a struct without a name that embeds an unmarshaler, which encoding/json calls in some places only",
			"give the struct a name"))
		return
	}
	if n.Leaf = leaf.KindOf(ctx.typ); n.Leaf != leaf.NotALeaf {
		if n.Leaf == leaf.String && ctx.as != structtag.Undeclared {
			n.Leaf = leaf.TextKind(ctx.as)
		}
		if n.Leaf.MarshalsItself() {
			c.refuseTagsBelow(n.Type, goField)
		}
		return
	}
	switch ctx.typ.Kind() {
	case reflect.Struct:
		n.Kind = Object
		c.object(n, ctx, goField)
	case reflect.Slice:
		n.Kind = List
		c.element(n, ctx, goField)
	case reflect.Array:
		n.Kind = Array
		c.element(n, ctx, goField)
	case reflect.Map:
		n.Kind = Map
		c.mapKey(ctx.typ, goField)
		keys := c.declaredKeys(n, ctx)
		ctx.maybeHot = ctx.maybeHot || len(keys) > 0 && !ctx.closed
		c.element(n, ctx, goField)
		c.keyRules(n, ctx, keys, goField)
	default:
		c.faults.Add(mistake(goField, "unsupported-type", "has the unsupported type "+ctx.typ.String(),
			"use a type that JSON can carry and no pointer type with a name, or `json:\"-\"`"))
	}
}

func (c *compiler) refuseTagsBelow(t reflect.Type, goField string) {
	for _, tagged := range leaf.TaggedFields(t) {
		what := "has a hotupdatable struct tag below " + t.String() + ", which marshals itself"
		c.faults.Add(mistake(tagged, "below-marshaler", what,
			"put the struct tag on "+goField+" or remove it; the marshaler may be that of an embedded type"))
	}
}

func (c *compiler) mapKey(t reflect.Type, goField string) {
	if leaf.MapKeyKind(t.Key()) == leaf.NotALeaf {
		c.faults.Add(mistake(goField, "unsupported-map-key", "has map keys of type "+t.Key().String(),
			"use keys that are strings, integers or text marshalers"))
		return
	}
	c.refuseTagsBelow(t.Key(), goField)
}

func (c *compiler) element(n *Node, ctx context, goField string) {
	elem := ctx.typ.Elem()
	n.ElemPointer = elem.Kind() == reflect.Pointer
	n.Elem = c.node(context{
		typ: elem, class: ctx.class, sensitive: ctx.sensitive, path: c.place(fieldpath.Elements(ctx.path)),
		closed: ctx.closed || n.closes(ctx), as: ctx.as, maybeHot: ctx.maybeHot,
	}, goField)
}

func (c *compiler) object(n *Node, ctx context, goField string) {
	name := typeName(ctx.typ, goField)
	r := &resolver{faults: &c.faults, root: ctx.root}
	for _, jf := range r.resolve(ctx.typ, name) {
		switch {
		case ctx.root && jf.typeMeta:
			c.meta = append(c.meta, c.field(jf, context{path: noOverride})) // overrides would have no effect
		case jf.typ == reflect.TypeFor[Unknown]():
			if !ctx.closed {
				n.Rest = c.field(jf, ctx)
			}
		default:
			n.Fields = append(n.Fields, c.field(jf, ctx))
		}
	}
	if len(n.Fields) == 0 && onlyUnexported(ctx.typ, map[reflect.Type]bool{}) {
		what := "has type " + ctx.typ.String() +
			" with only unexported fields and no marshaler, so its value is not in JSON"
		c.faults.Add(mistake(goField, "opaque-struct", what, "use a type that marshals itself, or `json:\"-\"`"))
	}
}

// onlyUnexported reports whether struct t has fields and none of them, nor of those that it embeds,
// is exported.
func onlyUnexported(t reflect.Type, seen map[reflect.Type]bool) bool {
	seen[t] = true
	for f := range t.Fields() {
		embedded := Deref(f.Type)
		isEmbeddedStruct := f.Anonymous && embedded.Kind() == reflect.Struct
		if isEmbeddedStruct && (seen[embedded] || onlyUnexported(embedded, seen)) {
			continue
		}
		if f.IsExported() || f.Anonymous {
			return false
		}
	}
	return t.NumField() > 0
}

func (c *compiler) field(jf *jsonField, ctx context) *Field {
	header, problem := canonjson.AppendString(nil, jf.name)
	if problem != nil {
		problem.Field = jf.goField
		c.faults.Add(problem)
	}
	f := &Field{
		Name: jf.name, Header: string(header) + ":", Index: jf.index, GoField: jf.goField,
		Optional: jf.optional, Quoted: jf.quoted, Pointer: jf.typ.Kind() == reflect.Pointer,
	}
	child := context{
		typ: jf.typ, class: ctx.class, path: c.place(fieldpath.Join(ctx.path, jf.name)), closed: ctx.closed,
	}
	tag := c.declare(f, jf, &child)
	child.maybeHot = ctx.maybeHot && f.Declared == Inherited
	child.sensitive = max(ctx.sensitive, tag.Sensitive, jf.embeddedSensitivity())
	child.as = tag.As
	if tag.IsForCollection() {
		f.Node = c.collection(f, tag, child)
	} else {
		f.Node = c.node(child, jf.goField)
	}
	c.fieldOptions(f, tag)
	return f
}

// declare applies the nearest declaration of a class: override, struct tag, struct tag of the
// embedded struct, inheritance. It returns the field's struct tag with the override applied.
func (c *compiler) declare(f *Field, jf *jsonField, child *context) structtag.Tag {
	tag := jf.tag.Tag
	o, overridden := c.overrides[child.path]
	switch {
	case overridden:
		child.class = o.tag.Class
		f.Declared = Overridden
		f.Source = o.path
		if o.tag.HasOptions() {
			f.optionPath = o.path
		}
		if o.tag.As != structtag.Undeclared {
			f.asPath = o.path
		}
		return tag.Override(o.tag)
	case jf.tag.present && !jf.tag.inherits:
		child.class = jf.tag.Class
		f.Declared = StructTag
		f.Source = jf.goField
	case jf.embedded != nil:
		child.class = jf.embedded.Class
		f.Declared = StructTag
		f.Source = jf.embedded.goField
	}
	return tag
}

// embeddedSensitivity is the strongest sensitivity of the embedded structs that a field is promoted
// from.
func (jf *jsonField) embeddedSensitivity() structtag.Sensitivity {
	strongest := structtag.Shown
	for e := jf.embedded; e != nil; e = e.outer {
		strongest = max(strongest, e.Sensitive)
	}
	return strongest
}

// Lookup finds a member of an object by JSON name; it is nil if there is none.
func (n *Node) Lookup(name string) *Field {
	i, found := slices.BinarySearchFunc(n.Fields, name,
		func(f *Field, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return n.Fields[i]
}

// cacheKey identifies a plan: one type under one set of overrides.
type cacheKey struct {
	typ       reflect.Type
	overrides string
}

// cache keeps each plan, or its error, for the life of the process. Programs have few configuration
// types.
var cache sync.Map // cacheKey -> func() (*Plan, error)

// Compile returns the field plan of t, behind pointers if any, under the overrides; see [Build]. A
// type that cannot be compiled yields all its problems, joined, each a *fault.Error.
func Compile(t reflect.Type, overrides []Override, readPart ReadPart) (*Plan, error) {
	t = Deref(t)
	build := sync.OnceValues(func() (*Plan, error) { return Build(t, overrides, readPart) })
	found, _ := cache.LoadOrStore(cacheKey{t, fmt.Sprintf("%q", overrides)}, build)
	return found.(func() (*Plan, error))()
}
