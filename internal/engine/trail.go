package engine

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// MaxDepth bounds the nesting of a configuration. Kubernetes' own types stay below 30.
const MaxDepth = canonjson.MaxDepth

// maxFaults bounds the problems that one walk reports; a list of a million NaNs needs no million errors.
const maxFaults = 100

// Trail is where a walk stands, and what it has found wrong.
type Trail struct {
	Path   fieldpath.Path
	faults fault.List
	lost   bool // the value contains itself or is too deep; going on could take for ever
}

// Enter steps down and Leave up again.
func (t *Trail) Enter(s fieldpath.Step) { t.Path = append(t.Path, s) }

// Leave undoes the last Enter.
func (t *Trail) Leave() { t.Path = t.Path[:len(t.Path)-1] }

// Report records a problem at the current path.
func (t *Trail) Report(problem *fault.Error) {
	if len(t.faults) < maxFaults {
		problem.Path = t.Path.String()
		t.faults.Add(problem)
	}
}

// Failed reports whether a problem was recorded.
func (t *Trail) Failed() bool { return len(t.faults) > 0 }

// MoveTo hands the problems found to another trail.
func (t *Trail) MoveTo(other *Trail) {
	other.faults = append(other.faults, t.faults[:min(len(t.faults), maxFaults-len(other.faults))]...)
	other.lost = other.lost || t.lost
	t.faults = nil
}

// Err returns the problems, joined.
func (t *Trail) Err() error { return t.faults.Err() }

// Ancestors are the values that a walk stands in. A walk over two values has two of them.
type Ancestors []visit

// visit is a value by its type and memory. Not by its node: one type has several, the root's among them, and a value that stands above
// itself does so under whichever it is met.
type visit struct {
	typ  reflect.Type
	at   uintptr
	size int
}

// Visit records that the walk goes into v. It is false, and the problem is recorded, where v is nested too deeply or stands above
// itself. The caller cuts above back to its former length when it leaves v.
func (t *Trail) Visit(above *Ancestors, n *fieldplan.Node, v reflect.Value) bool {
	if t.lost {
		return false
	}
	problem := above.visit(n, v, len(t.Path))
	if problem != nil {
		t.Report(problem)
		t.lost = true
	}
	return problem == nil
}

// visit adds v, so many steps from the root, to the ancestors if it may contain itself.
func (a *Ancestors) visit(n *fieldplan.Node, v reflect.Value, depth int) *fault.Error {
	if depth > MaxDepth {
		return &fault.Error{Kind: fault.Limit, Code: "too-deep", What: "is nested too deeply", Hint: "flatten the value"}
	}
	if !n.Recursive {
		return nil
	}
	now := visitTo(n, v)
	if now.at != 0 && slices.Contains(*a, now) {
		return &fault.Error{Kind: fault.Unsupported, Code: "pointer-cycle", Type: n.TypeName(), What: "contains itself", Hint: "remove the cycle"}
	}
	*a = append(*a, now)
	return nil
}

// visitTo identifies a value by where its memory is.
func visitTo(n *fieldplan.Node, v reflect.Value) visit {
	switch {
	case v.Kind() == reflect.Map, v.Kind() == reflect.Slice:
		return visit{typ: n.Type, at: v.Pointer(), size: v.Len()}
	case v.CanAddr():
		return visit{typ: n.Type, at: v.Addr().Pointer()}
	default:
		return visit{typ: n.Type}
	}
}
