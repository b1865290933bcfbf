package engine

import (
	"crypto/sha256"
	"hash"
	"reflect"
	"slices"
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
)

// run writes one value, with the memory that it needs. When it has found a fault, what it wrote is of no use.
type run struct {
	buf     []byte
	sums    bool // what is known to stay is handed to the digest; otherwise it stays in buf
	flushed int  // bytes that have left buf
	held    int  // collections being sorted: nothing may be flushed

	deep      bool      // depth and ancestors are kept
	depth     int       // steps from the root to the object or collection at hand
	ancestors Ancestors // of what is written
	traced    bool      // the trail leads to the part at hand; otherwise to where the run began
	trail     Trail

	digest  hash.Hash
	scratch []byte // texts beside the document

	// Stacks, one frame per collection.
	entries []entry
	dealt   []entry  // while entries are sorted
	keys    []string // of maps
	spans   []span   // of sets

	// Values of maps of leaves, which do not nest.
	texts      []string
	quantities []resource.Quantity
	pair       [2]resource.Quantity // that are compared
}

// runs keeps memory for further runs. One run keeps about 90 KiB at most.
var runs = sync.Pool{New: func() any {
	return &run{buf: make([]byte, 0, 2*spillAt), digest: sha256.New()}
}}

func start() *run { return runs.Get().(*run) }

// end hands the memory on, without what was read. Larger pieces are left to the garbage collector.
func (r *run) end() {
	recycle(&r.buf, maxPooledBytes)
	recycle(&r.scratch, maxPooledBytes/2)
	recycle(&r.entries, maxPooled)
	recycle(&r.dealt, maxPooled)
	recycle(&r.keys, maxPooled)
	recycle(&r.spans, maxPooled)
	recycle(&r.texts, maxPooled)
	recycle(&r.quantities, maxPooled)
	recycle(&r.ancestors, maxPooled/8)
	if r.flushed > 0 {
		r.digest.Reset()
	}
	r.sums, r.flushed = false, 0
	r.depth, r.deep, r.traced = 0, false, false
	if cap(r.trail.Path) > 0 || r.trail.Failed() {
		r.trail = Trail{}
	}
	runs.Put(r)
}

// recycle empties memory that is used again, or drops it if there is too much. Values of users have been cleared out of it.
func recycle[S ~[]T, T any](s *S, most int) {
	if cap(*s) > most {
		*s = nil
	}
	*s = (*s)[:0]
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

// enter goes into an object or collection. It is false where the run must not go, see [Trail.Visit]. Like leave, in, at and atKey it is
// small enough to be inlined.
func (r *run) enter(n *node, m memory) bool { return !r.deep || r.visit(n, m) }

func (r *run) visit(n *node, m memory) bool {
	if r.trail.lost {
		return false
	}
	if problem := r.ancestors.visit(n.plan, valueAt(m, n.plan.Type), r.depth); problem != nil {
		r.trail.Report(problem)
		r.trail.lost = true // nothing is entered any more
		return false
	}
	r.depth++
	if r.traced {
		r.trail.Enter(fieldpath.Step{}) // in or at fills it in
	}
	return true
}

func (r *run) leave(n *node) {
	if r.deep {
		r.leaveVisited(n)
	}
}

func (r *run) leaveVisited(n *node) {
	r.depth--
	if r.traced {
		r.trail.Leave()
	}
	if n.recursive {
		r.ancestors = r.ancestors[:len(r.ancestors)-1]
	}
}

// in notes which member of the object the run goes on to.
func (r *run) in(o *op) {
	if r.traced {
		r.goTo(fieldpath.Step{Kind: fieldpath.Member, Name: o.field.Name})
	}
}

// at notes which element of the list at m the run goes on to.
func (r *run) at(n *node, m memory, i int) {
	if r.traced {
		r.goToElement(n, m, i)
	}
}

// atKey notes which entry of the map the run goes on to.
func (r *run) atKey(n *node, key string) {
	if r.traced {
		r.goToKey(n, key)
	}
}

func (r *run) goToElement(n *node, m memory, i int) {
	e := Element{At: i}
	if n.key != nil {
		e = n.keyAt(m, i)
	}
	r.goTo(e.Step(n.plan))
}

func (r *run) goToKey(n *node, key string) {
	e := Element{Key: key}
	r.goTo(e.Step(n.plan))
}

func (r *run) goTo(step fieldpath.Step) { r.trail.Path[len(r.trail.Path)-1] = step }

// report records what is wrong with the part at hand.
func (r *run) report(problem *fault.Error) { r.trail.Report(problem) }

// whole calls find with a trail that leads to the object or collection at hand.
func (r *run) whole(find func(t *Trail)) {
	path := r.trail.Path
	if r.traced {
		r.trail.Path = path[:len(path)-1]
	}
	find(&r.trail)
	r.trail.Path = path
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

// AppendReadable appends what is of some classes in v, with the keys and selectors of the elements in which it stands: in the order and with
// the texts of the canonical document, but so that the plan's type can be read from it. The classes are Hot, InPlace, or all of them, with TypeMeta
// of the root. On error dst is returned as it was, with every problem joined.
func (p *Program) AppendReadable(dst []byte, classes fieldplan.ClassSet, v reflect.Value) ([]byte, error) {
	return p.appendTo(dst, p.readable[classes](), v)
}

func (p *Program) appendTo(dst []byte, w *writing, v reflect.Value) ([]byte, error) {
	r := start()
	defer r.end()
	written := r.writeTo(dst, func() { r.write(w, w.root, p.rootOf(v), (*run).document) })
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
	compiled, m := p.whole.nodes[n], valueOf(v)
	if compiled.kind.isLeaf() && exists(m) { // needs no run, unless something is wrong
		if text, problem := appendLeaf(dst, compiled, m); problem == nil {
			return text
		}
	}
	r := start()
	defer r.end()
	r.depth, r.trail.Path = len(t.Path), slices.Clip(t.Path)
	dst = r.writeTo(dst, func() { r.write(p.whole, compiled, m, (*run).element) })
	r.trail.MoveTo(t)
	return dst
}

// isPresent reports whether a member whose presence counts is there, v behind any pointers. A nil list or map is not.
func (o *op) isPresent(v reflect.Value) bool {
	m := valueOf(v)
	return exists(m) && !isNone(o.kind, m)
}

// appendText appends the canonical text of a member that is a leaf, v behind any pointers, and reports whether it is set. Problems are reported to t.
func (o *op) appendText(dst []byte, t *Trail, v reflect.Value) (text []byte, set bool) {
	m := valueOf(v)
	if !exists(m) {
		return dst, false
	}
	r := start()
	defer r.end()
	r.trail.Path = slices.Clip(t.Path)
	if set = r.member(o, m, ','); set {
		dst = append(dst, r.textOfMember(o, 0)...)
	}
	r.trail.MoveTo(t)
	return dst, set
}

// Sum returns the SHA-256 of the canonical document. Large documents are hashed in pieces, so that they need no large buffer.
func (p *Program) Sum(v reflect.Value) (sum [sha256.Size]byte, err error) {
	r := start()
	r.sums = true
	r.write(p.canonical, p.canonical.root, p.rootOf(v), (*run).document)
	switch {
	case r.trail.Failed():
		err = r.trail.Err()
	case r.flushed == 0:
		sum = sha256.Sum256(r.buf)
	default:
		r.flush()
		copy(sum[:], r.digest.Sum(r.buf[:0])) // sum[:0] would be allocated
	}
	r.end()
	return sum, err
}

// write writes what stands at m. If it finds a fault, it writes once more with a trail that leads to the faults.
func (r *run) write(w *writing, n *node, m memory, how func(*run, *node, memory)) {
	start := len(r.buf)
	r.deep = w.deep
	how(r, n, m)
	if !r.trail.Failed() {
		return
	}
	found := r.trail.faults
	r.buf, r.trail.faults, r.trail.lost = r.buf[:start], nil, false
	r.deep, r.traced = true, true
	how(r, n, m)
	if !r.trail.Failed() { // a marshaler answers differently each time
		r.trail.faults = found
	}
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

func (r *run) canFlush() bool { return r.sums && r.held == 0 }

func (r *run) flush() {
	r.digest.Write(r.buf)
	r.flushed += len(r.buf)
	r.buf = r.buf[:0]
}
