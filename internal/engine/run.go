package engine

import (
	"crypto/sha256"
	"hash"
	"io"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

const (
	spillAt        = 4 << 10  // bytes that are worth handing on
	maxPooledBytes = 16 << 10 // larger buffers are not kept for the next run
	maxPooled      = 512      // entries that are kept for the next run
	usualDepth     = 32       // frames that are kept for the next run, as many as are needed by what is not deep
)

// run writes one value, with the memory that it needs. When it has found a fault, what it wrote is of no use.
type run struct {
	buf     []byte
	out     io.Writer // nil: everything stays in buf
	failed  error     // of out
	flushed int       // bytes that have left buf
	held    int       // collections being sorted: nothing may be flushed

	frames    []frame   // the first is none
	depth     int       // of the frame at hand
	trail     Trail     // leads to the first frame
	base      int       // length of its path
	ancestors Ancestors // of the values in frames, those that may contain themselves

	digest  hash.Hash // for sums
	scratch []byte    // texts beside the document

	// Stacks, one frame per collection.
	entries []entry
	keys    []string // of maps
	spans   []span   // of sets

	sortBuffer []entry

	// Values of maps of leaves, which do not nest.
	texts      []string
	quantities []resource.Quantity
	pair       [2]resource.Quantity // that are compared
}

// frame is an object or collection that the run stands in, and where in it.
type frame struct {
	node *node
	op   *op    // the member of an object
	at   int    // the element of a list, or its key on the stack of keys
	list memory // where a keyed list stands
}

// runs keeps memory for further runs. One run keeps about 90 KiB at most.
var runs = sync.Pool{New: func() any {
	return &run{buf: make([]byte, 0, 2*spillAt), digest: sha256.New(), frames: make([]frame, usualDepth)}
}}

func start() *run { return runs.Get().(*run) }

// end hands the memory on, without what was read. Larger pieces are left to the garbage collector.
func (r *run) end() {
	r.buf, r.scratch = recycled(r.buf, maxPooledBytes), recycled(r.scratch, maxPooledBytes/2)
	r.entries, r.keys, r.spans = recycled(r.entries, maxPooled), recycled(r.keys, maxPooled), recycled(r.spans, maxPooled)
	r.texts, r.quantities, r.sortBuffer = recycled(r.texts, maxPooled), recycled(r.quantities, maxPooled), recycled(r.sortBuffer, maxPooled)
	r.out, r.failed, r.flushed = nil, nil, 0
	if len(r.frames) > usualDepth {
		r.frames, r.ancestors = make([]frame, usualDepth), nil
	}
	if cap(r.trail.Path) > 0 || r.trail.Failed() {
		r.trail = Trail{}
	}
	r.base = 0
	runs.Put(r)
}

// recycled empties memory that is used again, or drops it if there is too much. Values of users have been cleared out of it.
func recycled[T any](s []T, most int) []T {
	if cap(s) > most {
		return nil
	}
	return s[:0]
}

// withRoom returns s with room for n more: for maxPooled in all if that is enough.
func withRoom[T any](s []T, n int) []T {
	switch need := len(s) + n; {
	case need <= cap(s):
		return s
	case need <= maxPooled/8:
		return append(make([]T, 0, maxPooled/8), s...)
	case need <= maxPooled:
		return append(make([]T, 0, maxPooled), s...)
	default:
		return append(make([]T, 0, max(need, 2*cap(s))), s...)
	}
}

// enter goes into an object or collection. It is false where the run must not go, see [Trail.Visit]. It is small enough to be inlined.
func (r *run) enter(n *node, m memory) bool {
	r.depth++
	r.frames[r.depth].node = n
	return !n.deep || r.visit(n, m)
}

// visit is the part of enter that values are spared which are never deep.
func (r *run) visit(n *node, m memory) bool {
	above := r.depth - 1
	if !r.trail.lost {
		problem := r.ancestors.visit(n.plan, valueAt(m, n.plan.Type), r.base+above)
		if problem == nil {
			if r.depth == len(r.frames)-1 {
				r.frames = append(r.frames, make([]frame, len(r.frames))...)
			}
			return true
		}
		r.reportAt(above, problem)
		r.trail.lost = true // nothing is entered any more
	}
	r.depth = above
	return false
}

func (r *run) leave(n *node) {
	if n.recursive {
		r.ancestors = r.ancestors[:len(r.ancestors)-1]
	}
	r.depth--
}

// at notes which element of the list, or entry of the map, the run goes on to.
func (r *run) at(i int) { r.frames[r.depth].at = i }

// in notes which member of the object the run goes on to.
func (r *run) in(o *op) { r.frames[r.depth].op = o }

// report records what is wrong with the part at hand.
func (r *run) report(problem *fault.Error) { r.reportAt(r.depth, problem) }

// reportWhole records what is wrong with the object or collection at hand.
func (r *run) reportWhole(problem *fault.Error) { r.reportAt(r.depth-1, problem) }

func (r *run) reportAt(frames int, problem *fault.Error) {
	r.explain(frames, func(t *Trail) { t.Report(problem) })
}

// explain calls find with a trail that leads to where so many frames do.
func (r *run) explain(frames int, find func(t *Trail)) {
	for i := range frames {
		r.trail.Enter(r.step(&r.frames[1+i]))
	}
	find(&r.trail)
	r.trail.Path = r.trail.Path[:r.base]
}

func (r *run) step(f *frame) fieldpath.Step {
	switch n := f.node.plan; {
	case n.Kind == fieldplan.Object:
		return fieldpath.Step{Kind: fieldpath.Member, Name: f.op.field.Name}
	case n.Kind == fieldplan.Map:
		e := Element{Key: r.keys[f.at]}
		return e.Step(n)
	case n.Pairing == fieldplan.ByKey:
		e := Element{At: f.at, Value: valueAt(f.list, n.Type).Index(f.at)}
		_ = e.readKey(n) // which it has, or it would have been left out
		return e.Step(n)
	default:
		return fieldpath.Step{Kind: fieldpath.Index, At: f.at}
	}
}

// rootOf returns where the configuration stands. Nil pointers are none. A configuration without an address is copied.
func (p *Program) rootOf(v reflect.Value) memory {
	if v.IsValid() && v.Type() == p.pointer {
		return pointee(v)
	}
	return valueOf(v)
}

// valueOf returns where the value behind any pointers stands.
func valueOf(v reflect.Value) memory {
	v, ok := Deref(v)
	if !ok {
		return none
	}
	return memoryOf(leaf.Addressable(v))
}

// Append appends the canonical document of v, a value of the plan's type behind any pointers. The zero reflect.Value and nil pointers
// are the empty configuration. On error dst is returned as it was, with every problem joined.
func (p *Program) Append(dst []byte, v reflect.Value) ([]byte, error) {
	return p.appendTo(dst, p.canonical, v)
}

// AppendHot appends what is hot in v, with the keys and selectors of the elements in which it stands: in the order and with the texts of
// the canonical document, but so that the plan's type can be read from it. TypeMeta of the root is left out. On error dst is returned as
// it was, with every problem joined.
func (p *Program) AppendHot(dst []byte, v reflect.Value) ([]byte, error) {
	return p.appendTo(dst, p.hot(), v)
}

func (p *Program) appendTo(dst []byte, w *writing, v reflect.Value) ([]byte, error) {
	r := start()
	defer r.end()
	written := r.writeTo(dst, func() { r.document(w.root, p.rootOf(v)) })
	if err := r.trail.Err(); err != nil {
		return dst, err
	}
	return written, nil
}

func (r *run) writeTo(dst []byte, write func()) []byte {
	own := r.buf
	r.buf = dst
	write()
	dst, r.buf = r.buf, own
	return dst
}

// AppendElement appends the canonical text of an element with nothing left out, whatever the classes below it. It identifies the elements
// of sets. Problems are reported to t.
func (p *Program) AppendElement(dst []byte, t *Trail, n *fieldplan.Node, v reflect.Value) []byte {
	r := start()
	defer r.end()
	r.base = len(t.Path)
	r.trail.Path = t.Path[:r.base:r.base]
	dst = r.writeTo(dst, func() { r.element(p.whole.nodes[n], valueOf(v)) })
	r.trail.MoveTo(t)
	return dst
}

// Write writes the canonical document to out in pieces, so that large configurations need no large buffer. After an error out has
// received an unusable part of the document.
func (p *Program) Write(out io.Writer, v reflect.Value) error {
	r := start()
	r.out = out
	r.document(p.canonical.root, p.rootOf(v))
	r.flush()
	err := r.trail.Err()
	if err == nil {
		err = r.failed
	}
	r.end() // not deferred: what out leaves by a panic is not in order
	return err
}

// Sum returns the SHA-256 of the canonical document.
func (p *Program) Sum(v reflect.Value) (sum [sha256.Size]byte, err error) {
	r := start()
	r.out = r.digest
	r.document(p.canonical.root, p.rootOf(v))
	switch {
	case r.trail.Failed():
		err = r.trail.Err()
	case r.flushed == 0:
		sum = sha256.Sum256(r.buf)
	default:
		r.flush()
		copy(sum[:], r.digest.Sum(r.buf[:0])) // sum[:0] would be allocated
	}
	if r.flushed > 0 {
		r.digest.Reset()
	}
	r.end()
	return sum, err
}

// document writes an object, and an empty one if nothing is left of it.
func (r *run) document(n *node, root memory) {
	if exists(root) && r.enter(n, root) {
		written := r.object(n, root, ifSome)
		r.leave(n)
		if written {
			return
		}
	}
	r.buf = append(r.buf, "{}"...)
}

// position and cut bracket what is written on trial.
func (r *run) position() int { return r.flushed + len(r.buf) }

func (r *run) cut(position int) { r.buf = r.buf[:position-r.flushed] }

// commit is called where everything written so far is known to stay.
func (r *run) commit() {
	if len(r.buf) >= spillAt {
		r.spill()
	}
}

// spill stands apart, so that commit is inlined.
//
//go:noinline
func (r *run) spill() {
	if r.canFlush() {
		r.flush()
	}
}

func (r *run) canFlush() bool { return r.out != nil && r.held == 0 }

func (r *run) flush() {
	if r.failed == nil && !r.trail.Failed() {
		r.failed = writeAll(r.out, r.buf)
	}
	r.flushed += len(r.buf)
	r.buf = r.buf[:0]
}

// writeAll writes all of b to out. A writer that takes less without an error has one.
func writeAll(out io.Writer, b []byte) error {
	n, err := out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}
