package hotupdatetest

import (
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// IgnoreHot lets cmp compare configurations of type C, wherever they stand, by what is hashed: two of them are equal exactly if they have
// one hash. Differences in Hot and Ignored parts, in spelling (1Gi and 1024Mi) and in presence (an empty object and none) do not count.
//
//	if diff := cmp.Diff(want, got, hotupdatetest.IgnoreHot[v1alpha1.WorkerConfig]()); diff != "" {
//
// Where two configurations differ, cmp lists their fields as they stand in Go, leaves by their meaning. A type without a Schema equals
// nothing, and the difference says why; a configuration that cannot be hashed equals nothing either. What differs is shown by cmp, which
// does not know the option sensitive: compare no real secrets.
func IgnoreHot[C any](options ...Option) cmp.Option { return comparing[C](options, fieldplan.Kept) }

// IgnoreImmutable lets cmp compare configurations of type C by their Hot and Ignored parts: two of them are equal exactly if
// [hotupdate.Diff] lists no Hot and no Ignored change. For all else see [IgnoreHot].
func IgnoreImmutable[C any](options ...Option) cmp.Option {
	return comparing[C](options, fieldplan.Dropped)
}

// invalidType stands for a configuration whose type has no Schema.
type invalidType struct{ Error string }

// Equal is false: without a Schema nothing can be said.
func (invalidType) Equal(invalidType) bool { return false }

func comparing[C any](options []Option, seen fieldplan.ClassSet) cmp.Option {
	s, err := subjectOf[C](options)
	if err != nil {
		return cmp.FilterPath(func(p cmp.Path) bool { return deref(p.Last().Type()) == deref(reflect.TypeFor[C]()) && !inTransform(p) },
			cmp.Transformer("SchemaOf", func(any) invalidType { return invalidType{err.Error()} }))
	}
	c := comparison{s, seen}
	return cmp.Options{
		cmp.FilterPath(c.isOutermost, cmp.FilterValues(func(a, b C) bool { return c.same(a, b) }, cmp.Ignore())),
		cmp.FilterPath(c.isOutermost, cmp.FilterValues(func(a, b *C) bool { return c.same(a, b) }, cmp.Ignore())),
		cmp.FilterPath(c.isUnseen, cmp.Ignore()),
		cmp.FilterPath(c.isLeaf, cmp.Comparer(sameLeaf)),
	}
}

func inTransform(p cmp.Path) bool {
	return slices.ContainsFunc(p, func(step cmp.PathStep) bool { _, ok := step.(cmp.Transform); return ok })
}

// comparison compares by some classes.
type comparison struct {
	s    *subject
	seen fieldplan.ClassSet
}

// same reports whether nothing that is seen differs.
func (c comparison) same(a, b any) bool {
	changes, err := c.s.schema.Diff(a, b)
	return err == nil && !slices.ContainsFunc(changes, func(change hotupdate.Change) bool {
		return c.seen.Any(fieldplan.Of(structtag.Class(change.Class)))
	})
}

// isOutermost reports whether a path ends at a configuration, or a pointer to one, that stands in no other.
func (c comparison) isOutermost(p cmp.Path) bool {
	at := slices.IndexFunc(p, func(step cmp.PathStep) bool { return step.Type() == c.s.plan.Type })
	return (at < 0 || at == len(p)-1) && deref(p.Last().Type()) == c.s.plan.Type
}

// isUnseen reports whether everything at a path has classes that are not seen.
func (c comparison) isUnseen(p cmp.Path) bool {
	_, classes, known := c.locate(p)
	return known && !classes.Any(c.seen)
}

// isLeaf reports whether a path ends at a leaf, behind its pointers.
func (c comparison) isLeaf(p cmp.Path) bool {
	n, _, known := c.locate(p)
	return known && n.Kind == fieldplan.Leaf && p.Last().Type() == n.Type
}

// sameLeaf compares leaves by meaning. Those that cannot be written differ.
func sameLeaf(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		return x.IsValid() == y.IsValid()
	}
	first, problem := leaf.Append(nil, leaf.KindOf(x.Type()), x)
	if problem != nil {
		return false
	}
	second, problem := leaf.Append(nil, leaf.KindOf(y.Type()), y)
	return problem == nil && string(first) == string(second)
}

// locate follows cmp's path from the outermost configuration on. It is false above one, in between two fields of the plan, and for what
// the plan does not know.
func (c comparison) locate(p cmp.Path) (n *fieldplan.Node, classes fieldplan.ClassSet, known bool) {
	at := slices.IndexFunc(p, func(step cmp.PathStep) bool { return step.Type() == c.s.plan.Type })
	if at < 0 {
		return nil, 0, false
	}
	l := &locator{node: c.s.plan.Root, classes: fieldplan.All, known: true, seen: c.seen}
	for _, step := range p[at+1:] {
		if !l.follow(step) {
			return nil, 0, false
		}
	}
	return l.node, l.classes, l.known
}

// locator is where the plan stands.
type locator struct {
	node    *fieldplan.Node
	classes fieldplan.ClassSet
	in      *fieldplan.Node // the collection of which node is an element
	index   []int           // of embedded structs on the way to a field
	known   bool
	seen    fieldplan.ClassSet
}

func (l *locator) follow(step cmp.PathStep) bool {
	switch s := step.(type) {
	case cmp.Indirect:
		return true
	case cmp.StructField:
		return l.field(s.Index())
	case cmp.SliceIndex, cmp.MapIndex:
		return l.element(step)
	default:
		return l.node.Kind == fieldplan.Leaf
	}
}

func (l *locator) field(index int) bool {
	if l.node.Kind != fieldplan.Object {
		return l.node.Kind == fieldplan.Leaf
	}
	l.index, l.known = append(l.index, index), false
	for _, f := range l.node.Fields {
		if slices.Equal(f.Index, l.index) {
			l.enter(f)
			return true
		}
		if len(f.Index) > len(l.index) && slices.Equal(f.Index[:len(l.index)], l.index) {
			return true
		}
	}
	return false
}

// enter follows into a field. One by which an element is found or selected is seen with the rest of the element.
func (l *locator) enter(f *fieldplan.Field) {
	classes := f.Classes()
	if l.in != nil && l.in.Identity(f) && l.node.Classes.Any(l.seen) {
		classes |= l.seen
	}
	l.node, l.classes, l.in, l.index, l.known = f.Node, classes, nil, nil, true
}

// element follows into an element. Its classes are those of either side.
func (l *locator) element(step cmp.PathStep) bool {
	if l.node.Elem == nil {
		return l.node.Kind == fieldplan.Leaf
	}
	collection := l.node
	l.node, l.classes, l.in = nil, 0, collection
	vx, vy := step.Values()
	for _, v := range []reflect.Value{vx, vy} {
		if v.IsValid() {
			n := engine.ElementNode(collection, v)
			l.classes |= n.Classes | fieldplan.Of(n.Class)
			if l.node == nil || fieldplan.IsKept(n.Class) {
				l.node = n
			}
		}
	}
	return l.node != nil
}
