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

// context is what a node inherits. Equal values in one context are one node, so recursive types end.
type context struct {
	values    Values
	class     structtag.Class
	sensitive structtag.Sensitivity
	path      string            // in the spelling of overrides, or noOverride
	closed    bool              // unknown members are not admitted
	as        structtag.Meaning // of strings, also in lists and maps
	maybeHot  bool              // the class is that of elements that hotwhen may make Hot
}

type compiler struct {
	nodes      map[context]*Node
	open       map[*Node]bool // nodes that are being compiled
	order      []*Node
	meta       []*Field             // of the root
	keyOptions map[*Node][]KeyClass // of maps with the option keyclass
	overrides  map[string]override  // by path
	checks     []func()             // checks that need all nodes
	readPart   ReadPart
	faults     fault.List
	report     func(*fault.Error) // adds to faults
}

// ReadPart reads the value of a node from JSON, as it is read in a configuration.
type ReadPart func(n *Node, raw []byte) (reflect.Value, error)

// Build compiles the plan of struct type t, not a pointer, without caching it: the caller owns it.
// Defaults of objects, lists and maps are read by readPart. All problems are returned joined, each
// once, in a stable order.
func Build(t reflect.Type, overrides []Override, readPart ReadPart) (*Plan, error) {
	if t.Kind() == reflect.Struct && leaf.KindOf(t) == leaf.NotALeaf {
		return BuildFrom(goRoot{goType{t}}, typeName(t, "config"), overrides, readPart)
	}
	what := "is not a struct of fields"
	hint := "use the versioned struct type of the provider config"
	if leaf.KindOf(t).MarshalsItself() && t.Kind() == reflect.Struct {
		what = "marshals itself, so that its fields are not what is in its JSON"
		hint = "remove its marshaler; one of an embedded type is promoted: give that a field of its own"
	}
	return nil, &fault.Error{
		Kind: fault.Declaration, Code: "unsupported-root", Type: t.String(), What: what, Hint: hint,
	}
}

// BuildFrom is [Build] for the values that a front describes, which are objects. The place is that of
// the root. A mistake of a field has its place as the Field, and one of an override the path of the
// override as the Path.
func BuildFrom(values Values, place string, overrides []Override, readPart ReadPart) (*Plan, error) {
	c := &compiler{
		nodes: map[context]*Node{}, open: map[*Node]bool{}, overrides: map[string]override{},
		keyOptions: map[*Node][]KeyClass{}, readPart: readPart,
	}
	c.report = c.faults.Add
	c.readOverrides(overrides)
	root := c.node(context{values: values}, place)
	// Only the root's node has no TypeMeta, so it is never met again. Its values may contain
	// themselves if its type is met again.
	root.Recursive = slices.ContainsFunc(c.order[1:], func(n *Node) bool { return n.Type == root.Type })
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
	return &Plan{Type: root.Type, Root: root, Meta: c.meta, Open: root.Rest != nil}, nil
}

// refuseMetadata refuses a root that is a whole Kubernetes object, unless a struct tag or an
// override declares the class of its metadata.
func (c *compiler) refuseMetadata(root *Node) {
	f := root.Lookup("metadata")
	if f == nil || f.Declared != Inherited || !isObjectMeta(f.Node.Type) {
		return
	}
	c.faults.Add(mistake(f.place, "whole-object",
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

// node compiles the node of values in a context, which are reached through the field at a place.
func (c *compiler) node(ctx context, place string) *Node {
	if n, ok := c.nodes[ctx]; ok {
		c.closeCycle(n)
		return n
	}
	n := &Node{Class: ctx.class, Sensitive: ctx.sensitive}
	c.nodes[ctx] = n
	c.order = append(c.order, n)
	c.open[n] = true
	before := len(c.faults)
	c.outlined(n, ctx, place)
	delete(c.open, n)
	if slices.ContainsFunc(c.faults[before:], func(e *fault.Error) bool { return e.Field == place }) {
		delete(c.nodes, ctx) // the values have a problem themselves, which is reported for each of their fields
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

// outlined compiles what the front says of the values of a node, and returns it.
func (c *compiler) outlined(n *Node, ctx context, place string) Outline {
	o := ctx.values.Outline(place, c.report)
	n.Kind = o.Kind
	n.Type = o.Type
	switch o.Kind {
	case Leaf:
		n.Recognized = o.Recognized
		n.takesAs = o.TakesAs
		if n.Leaf = o.Leaf; n.Leaf.IsText() && ctx.as != structtag.Undeclared {
			n.Leaf = leaf.TextKind(ctx.as)
		}
	case Object:
		c.object(n, o, ctx)
	case List, Array:
		c.element(n, o, ctx, place)
	case Map:
		o.Keys = c.keyClasses(o.Key, append(o.Keys, c.keyOptions[n]...), ctx.path, place)
		ctx.maybeHot = ctx.maybeHot || len(o.Keys) > 0 && !ctx.closed
		c.element(n, o, ctx, place)
		n.Keys = newKeyRules(c.keyRules(o, ctx, place))
	}
	return o
}

// keyRules compiles the classes of single keys of a map.
func (c *compiler) keyRules(o Outline, ctx context, place string) (rules []*KeyRule) {
	for _, k := range o.Keys {
		n := c.node(c.elements(o, ctx, k.Class), place)
		rules = append(rules, &KeyRule{Pattern: k.Key, Node: n, Declared: k.Declared, Source: k.Source, from: k})
	}
	return rules
}

// elements is the context of elements that have a class, in a collection with a context.
func (c *compiler) elements(o Outline, ctx context, class structtag.Class) context {
	ctx.values = o.Elem
	ctx.class = class
	ctx.path = c.place(fieldpath.Elements(ctx.path))
	return ctx
}

func (c *compiler) element(n *Node, o Outline, ctx context, place string) {
	inner := c.elements(o, ctx, ctx.class)
	inner.closed = ctx.closed || n.closes(ctx)
	n.ElemPointer = o.ElemPointer
	n.Elem = c.node(inner, place)
	if n.Type == nil {
		n.Type = o.TypeOf(n.Elem.Type)
	}
}

// closes reports whether elements of n must not have unknown members, which would be Immutable.
// That is so in sets and in Hot or Ignored lists that are paired by position, where everything must
// have one class. It is also so in positional lists below an element that may be hot, since raw
// JSON is decoded before it is known whether the element is hot.
func (n *Node) closes(ctx context) bool {
	isInMaybeHot := ctx.maybeHot && n.isPositional()
	return n.Pairing == ByValue || n.isUnprojectedList() || isInMaybeHot
}

// collection compiles the node of a field with set, key, hotwhen or keyclass. These options belong to
// the field and not to its values, so the node is not shared with other fields.
func (c *compiler) collection(f *Field, tag structtag.Tag, ctx context) *Node {
	n := &Node{Class: ctx.class, Sensitive: ctx.sensitive}
	c.order = append(c.order, n)
	c.open[n] = true
	defer delete(c.open, n)
	switch {
	case tag.Set:
		n.Pairing = ByValue
	case tag.Key != "":
		n.Pairing = ByKey
	}
	for _, k := range tag.Keys {
		c.keyOptions[n] = append(c.keyOptions[n], optionOf(f, k))
	}
	ctx.maybeHot = ctx.maybeHot || tag.HotWhen != nil && !ctx.closed
	o := c.outlined(n, ctx, f.place)
	c.pairing(n, f, tag)
	if tag.HotWhen == nil || !c.takesHotWhen(n, f) {
		return n
	}
	hot := c.elements(o, ctx, structtag.Hot)
	hot.maybeHot = false
	n.When = &Selector{Source: f.GoField, place: f.place, Hot: c.node(hot, f.place)}
	c.checks = append(c.checks, func() { c.selector(n, f, *tag.HotWhen) })
	return n
}

func (c *compiler) object(n *Node, o Outline, ctx context) {
	ctx.closed = ctx.closed || o.Rest == nil
	meta := c.fields(o.Meta, context{path: noOverride}) // overrides would have no effect
	n.Fields = c.fields(o.Members, ctx)
	var rest *Field
	if o.Rest != nil {
		rest = c.field(o.Rest, ctx)
	}
	if !ctx.closed {
		n.Rest = rest
	}
	if n.Type == nil {
		n.Type = c.structOf(slices.Concat(meta, n.Fields), rest)
	}
	c.meta = append(c.meta, meta...)
}

func (c *compiler) fields(members []*Member, ctx context) []*Field {
	if len(members) == 0 {
		return nil
	}
	all := make([]*Field, len(members))
	for i, m := range members {
		all[i] = c.field(m, ctx)
	}
	return all
}

func (c *compiler) field(m *Member, ctx context) *Field {
	header, problem := canonjson.AppendString(nil, m.Name)
	if problem != nil {
		problem.Field = m.Place
		c.faults.Add(problem)
	}
	f := &Field{
		Name: m.Name, Header: string(header) + ":", Index: m.Index, GoField: m.GoField, Declared: m.Declared,
		Source: m.Source, Optional: m.Optional, Quoted: m.Quoted, Pointer: m.Pointer, Fills: m.Fills, place: m.Place,
	}
	child := context{
		values: m.Values, class: ctx.class, path: c.place(fieldpath.Join(ctx.path, m.Name)), closed: ctx.closed,
	}
	tag := c.declare(f, m, &child)
	child.maybeHot = ctx.maybeHot && f.Declared == Inherited
	child.sensitive = max(ctx.sensitive, tag.Sensitive)
	child.as = tag.As
	if tag.IsForCollection() {
		f.Node = c.collection(f, tag, child)
	} else {
		f.Node = c.node(child, m.Place)
	}
	f.Zero = m.Zero
	c.fieldOptions(f, tag)
	return f
}

// declare applies the nearest declaration of a class: override, front, inheritance. It returns the
// field's struct tag with the override applied.
func (c *compiler) declare(f *Field, m *Member, child *context) structtag.Tag {
	if m.Declared != Inherited {
		child.class = m.Tag.Class
	}
	o, overridden := c.overrides[child.path]
	if !overridden {
		return m.Tag
	}
	child.class = o.tag.Class
	f.Declared = Overridden
	f.Source = o.path
	if o.tag.ReplacesOptions() {
		f.optionPath = o.path
	}
	if o.tag.As != structtag.Undeclared {
		f.asPath = o.path
	}
	return m.Tag.Override(o.tag)
}

// place returns the path, or noOverride if no override is at or below it.
func (c *compiler) place(path string) string {
	for overridden := range c.overrides {
		if strings.HasPrefix(overridden, path) {
			return path
		}
	}
	return noOverride
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
