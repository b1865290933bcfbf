package engine

import (
	"sync"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// levels tell the class of elements of keyed lists as projected: the strictest class so that the
// projection to it and the stricter ones has the element. An Immutable element has the class Immutable,
// and a Hot element with an InPlace part that is set has the class InPlace.
//
// Elements of one key keep their order among those of one class as projected. So an element that a
// projection leaves out does not move those that are in it, and a diff, which pairs them by this order,
// lists a change of a class exactly if the projections differ.
type levels struct {
	views [structtag.Ignored]func() *writing // the projections to the classes up to each one
}

// viewsOf returns the projections of a plan, of which canonical is one. They are compiled when a key is
// repeated.
func viewsOf(root *fieldplan.Node, l *levels, canonical *writing) (views [structtag.Ignored]func() *writing) {
	upTo := fieldplan.ClassSet(0)
	for class := range structtag.Ignored {
		upTo |= fieldplan.Of(class)
		want := upTo
		views[class] = sync.OnceValue(func() *writing {
			if want == fieldplan.Projected {
				return canonical
			}
			return l.compile(root, want, leaf.Plain)
		})
	}
	return views
}

// mayDiffer reports whether elements of a keyed list may have different classes as projected.
func mayDiffer(list *fieldplan.Node) bool {
	hasOneClass := list.Class == structtag.Immutable || list.Classes == fieldplan.Of(list.Class)
	return list.When != nil || !hasOneClass
}

// of returns the class of an element of a list as projected. A fault in it counts as written.
func (l *levels) of(list *fieldplan.Node, m memory) structtag.Class {
	for class, view := range l.views {
		w := view()
		if n := w.of(list); n != nil && n.has(w, m) {
			return structtag.Class(class) //nolint:gosec // one of few
		}
	}
	return structtag.Ignored
}

// has reports whether a writing has an element of list n.
func (n *routine) has(w *writing, m memory) bool {
	elem, presence := n.elementAs(nil, "", m)
	if presence {
		return true
	}
	r := start()
	defer r.end()
	r.deep = w.deep
	r.hides = w.hides
	r.probes = true
	r.sums = true
	return r.traces(elem, m) || r.trail.Failed()
}

// elementAs returns the routine of an element of a keyed list, or of an entry of a map under a key, and
// whether its presence is written. It writes the selector's text behind dst.
func (n *routine) elementAs(dst []byte, key string, m memory) (elem *routine, presence bool) {
	if n.when != nil && n.when.holds(dst, m) {
		return n.when.hot, n.when.writesPresence
	}
	return n.entry(key)
}
