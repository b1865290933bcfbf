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

// maxFaults bounds the problems that one walk reports, for example for a list of a million NaNs.
const maxFaults = 100

// Trail is the path of the current part of a walk, and the problems that the walk has found.
type Trail struct {
	Path   fieldpath.Path
	faults fault.List
	lost   bool // the value contains itself or is too deep, and the walk must end
	stands bool // a Hot or Ignored leaf without a canonical text stands for itself, see [leaf.AppendStanding]
}

// Enter adds a step to the path.
func (t *Trail) Enter(s fieldpath.Step) { t.Path = append(t.Path, s) }

// Leave removes the last step from the path.
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

// MoveTo moves the problems to another trail.
func (t *Trail) MoveTo(other *Trail) {
	other.faults = append(other.faults, t.faults[:min(len(t.faults), maxFaults-len(other.faults))]...)
	other.lost = other.lost || t.lost
	t.faults = nil
}

// Err returns the problems, joined.
func (t *Trail) Err() error { return t.faults.Err() }

// walk is a walk over two values side by side.
type walk struct {
	trail Trail
	above [2]Ancestors
}

// within calls do for a part of both values, unless the part is nested too deeply or contains
// itself.
func (w *walk) within(n *fieldplan.Node, part twoValues, do func()) {
	defer func(above [2]Ancestors) { w.above = above }(w.above)
	for side, v := range part {
		if v.IsValid() && !w.trail.visit(&w.above[side], n, v, len(w.trail.Path)) {
			return
		}
	}
	do()
}

// Ancestors are the values around the current part of a walk.
type Ancestors []visit

// visit identifies a value by its type and memory. Its node does not identify it, since one type
// may have several nodes, and a value that contains itself may be met under any of them.
type visit struct {
	typ  reflect.Type
	at   uintptr
	size int
}

// visit records that the walk enters v, at a depth below the root. If v is nested too deeply or
// contains itself, it reports the problem and returns false; nothing is entered any more. The caller
// cuts above back to its former length when the walk leaves v.
func (t *Trail) visit(above *Ancestors, n *fieldplan.Node, v reflect.Value, depth int) bool {
	if t.lost {
		return false
	}
	problem := above.visit(n, v, depth)
	if problem != nil {
		t.Report(problem)
		t.lost = true
	}
	return problem == nil
}

// visit adds v, at a depth below the root, to the ancestors if it may contain itself.
func (a *Ancestors) visit(n *fieldplan.Node, v reflect.Value, depth int) *fault.Error {
	if depth > MaxDepth {
		return &fault.Error{
			Kind: fault.Invalid, Code: fault.TooDeep, What: "is nested too deeply", Hint: "flatten the value",
		}
	}
	if !n.Recursive {
		return nil
	}
	now := visitTo(n, v)
	if now.at != 0 && slices.Contains(*a, now) {
		return &fault.Error{
			Kind: fault.Unsupported, Code: "pointer-cycle", Type: n.TypeName(), What: "contains itself",
			Hint: "remove the cycle",
		}
	}
	*a = append(*a, now)
	return nil
}

// visitTo identifies a value by the address of its memory.
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
