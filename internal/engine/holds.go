package engine

import (
	"io"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// holds reports whether a document of the classes would say something of v, beside what identifies an element of collection in. A value that
// cannot be written counts: what is wrong with it is found where it is copied.
func (p *Program) holds(n *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet, in *fieldplan.Node) bool {
	w, m := p.writing(classes), valueOf(v)
	compiled := w.nodeIn(n, in)
	if compiled == nil || !compiled.writes || !exists(m) {
		return false
	}
	r := start()
	defer r.end()
	r.deep, r.out = w.deep, io.Discard
	return r.part(compiled, m) || r.trail.Failed()
}

// writing returns the plan as it is compiled for what is projected, for all the rest, or for what is hot. Each element's identity stands in it.
func (p *Program) writing(classes fieldplan.ClassSet) *writing {
	if classes == fieldplan.Projected {
		return p.canonical
	}
	if classes == fieldplan.Unprojected {
		return p.unprojected()
	}
	return p.hot()
}

// nodeIn returns the node of a value, which may be an element of collection in. It is nil where nothing of the collection can be written.
func (w *writing) nodeIn(n, in *fieldplan.Node) *node {
	if in == nil || in.Key == nil && in.When == nil {
		return w.nodes[n]
	}
	switch list := w.nodes[in]; {
	case list == nil:
		return nil
	case list.when != nil && in.When.Hot == n:
		return list.when.hot
	default:
		return list.elem
	}
}
