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
	"github.com/hotupdate/providerconfig/internal/structtag"
)

const (
	spillAt        = 4 << 10  // this many final bytes are written to the digest
	maxPooledBytes = 16 << 10 // larger values are not kept for the next run
	maxPooled      = 512      // values and entries with references that are kept for the next run

	// Texts and the places in them are kept for a longer document, since most configs that are long are compared
	// or hashed often.
	maxPooledText  = 256 << 10 // bytes of a buffer
	maxPooledSpans = 8 << 10   // pieces, spans and entries
)

// run writes one value. It holds the memory for that. After a fault the written bytes are useless.
type run struct {
	buf     []byte
	sums    bool // final bytes go to the digest; otherwise they stay in buf
	isLarge bool // a stack may be too large for the pool
	flushed int  // number of bytes that went to the digest
	held    int  // number of enclosing sets and arrays, in which nothing is final

	probes    bool      // it is only asked whether anything is written
	deep      bool      // depth and ancestors are recorded
	depth     int       // of the current object or collection below the root
	ancestors Ancestors // of the current part
	traced    bool      // the trail's path is that of the current part; otherwise, that of the first one
	stands    bool      // a leaf without a canonical text stands for itself
	hides     bool      // a value that is written may be sensitive: nothing of it is kept
	trail     Trail

	digest  hash.Hash
	scratch []byte // elements of a set in order

	// Stacks, one frame per collection.
	entries []entry
	dealt   []entry  // scratch of the radix sort
	keys    []string // of maps
	spans   []span   // of sets

	// Values of the current map of leaves. Such maps do not nest.
	texts      []string
	quantities []resource.Quantity
}

// runs pools the memory of runs: at most about 1 MiB each, and about 30 KiB for most documents.
var runs = sync.Pool{New: func() any {
	return &run{buf: make([]byte, 0, 2*spillAt), digest: sha256.New()}
}}

func start() *run { return runs.Get().(*run) }

// end returns the memory to the pool, without references to users' values. Memory for a large piece is left to the
// garbage collector.
func (r *run) end() {
	if cap(r.ancestors) > maxPooled/8 {
		return
	}
	if r.hides {
		clear(r.buf[:cap(r.buf)])
		clear(r.scratch[:cap(r.scratch)])
		clear(r.entries[:cap(r.entries)]) // with bytes of texts
		clear(r.dealt[:cap(r.dealt)])
		r.hides = false
	}
	recycle(&r.buf, maxPooledText)
	recycle(&r.scratch, maxPooledText)
	if r.isLarge {
		r.dropLarge()
	}
	r.entries = r.entries[:0]
	r.ancestors = r.ancestors[:0]
	if r.flushed > 0 {
		r.digest.Reset()
	}
	r.sums = false
	r.flushed = 0
	r.depth = 0
	r.deep = false
	r.traced = false
	r.probes = false
	r.stands = false
	if cap(r.trail.Path) > 0 || r.trail.Failed() {
		r.trail = Trail{}
	}
	runs.Put(r)
}

// dropLarge drops the stacks that are too large for the pool.
func (r *run) dropLarge() {
	r.isLarge = false
	recycle(&r.entries, maxPooledSpans)
	recycle(&r.dealt, maxPooledSpans)
	recycle(&r.spans, maxPooledSpans)
	recycle(&r.keys, maxPooled)
	recycle(&r.texts, maxPooled)
	recycle(&r.quantities, maxPooled)
}

// withRoom returns s with capacity for n more elements.
func withRoom[T any](r *run, s []T, n int) []T {
	switch need := len(s) + n; {
	case need <= cap(s):
		return s
	case need <= maxPooled/8:
		return append(make([]T, 0, maxPooled/8), s...)
	case need <= maxPooled:
		return append(make([]T, 0, maxPooled), s...)
	default:
		r.isLarge = true
		return append(make([]T, 0, max(need, 2*cap(s))), s...)
	}
}

// enter begins an object or collection. It is false if the run must not enter it, see
// [Trail.visit]. Like leave, in, at and atKey, it is small enough to be inlined.
func (r *run) enter(n *routine, m memory) bool { return !r.deep || r.visit(n, m) }

func (r *run) visit(n *routine, m memory) bool {
	if !r.trail.visit(&r.ancestors, n.plan, valueAt(m, n.plan.Type), r.depth) {
		return false
	}
	r.depth++
	if r.traced {
		r.trail.Enter(fieldpath.Step{}) // in or at fills it in
	}
	return true
}

func (r *run) leave(n *routine) {
	if r.deep {
		r.leaveVisited(n)
	}
}

func (r *run) leaveVisited(n *routine) {
	r.depth--
	if r.traced {
		r.trail.Leave()
	}
	if n.recursive {
		r.ancestors = r.ancestors[:len(r.ancestors)-1]
	}
}

// in records the current member of an object.
func (r *run) in(o *op) {
	if r.traced {
		r.goTo(o.step())
	}
}

// at records the current element of a list.
func (r *run) at(n *routine, i int) {
	if r.traced {
		r.goToElement(n, i)
	}
}

// atKey records the current entry of a map.
func (r *run) atKey(n *routine, key string) {
	if r.traced {
		r.goToKey(n, key)
	}
}

func (r *run) goToElement(n *routine, i int) {
	e := Element{At: i}
	r.goTo(e.Step(n.plan))
}

func (r *run) goToKey(n *routine, key string) {
	e := Element{Key: key}
	r.goTo(e.Step(n.plan))
}

func (r *run) goTo(step fieldpath.Step) { r.trail.Path[len(r.trail.Path)-1] = step }

// report records a problem of the current part.
func (r *run) report(problem *fault.Error) { r.trail.Report(problem) }

// whole calls find with the trail of the enclosing object or collection.
func (r *run) whole(find func(t *Trail)) {
	path := r.trail.Path
	if r.traced {
		r.trail.Path = path[:len(path)-1]
	}
	find(&r.trail)
	r.trail.Path = path
}

// rootOf returns the address of the configuration, and none for nil pointers. A configuration that
// is not addressable is copied.
func (p *Program) rootOf(v reflect.Value) memory {
	if v.IsValid() && v.Type() == p.pointer {
		return pointee(v)
	}
	return valueOf(v)
}

// valueOf returns the address of the value behind any pointers, and none for nil. A value that is
// not addressable is copied.
func valueOf(v reflect.Value) memory {
	v, ok := Deref(v)
	if !ok {
		return none
	}
	return memoryOf(leaf.Addressable(v))
}

// Append appends the canonical document of v, a value of the plan's type behind any pointers. The
// zero reflect.Value and nil pointers are the empty configuration. On error dst is returned as it
// was, with every problem joined.
func (p *Program) Append(dst []byte, v reflect.Value) ([]byte, error) {
	return p.appendTo(dst, p.canonical, v)
}

// AppendReadable appends the fields of a class in v, with the keys and selectors of the elements
// that hold them. Order and texts are those of the canonical document, except that the result
// decodes into the plan's type. The class is Hot or InPlace. On error dst is returned as it was,
// with every problem joined.
func (p *Program) AppendReadable(dst []byte, class structtag.Class, v reflect.Value) ([]byte, error) {
	return p.appendTo(dst, p.readable[class](), v)
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
	dst = r.buf
	r.buf = own
	return dst
}

// AppendElement appends the canonical text of an element with the fields of all classes. The text
// identifies an element of a set. Problems are reported to t.
func (p *Program) AppendElement(dst []byte, t *Trail, n *fieldplan.Node, v reflect.Value) []byte {
	compiled := p.whole.of(n)
	m := valueOf(v)
	if compiled.kind.isLeaf() && exists(m) { // a valid leaf needs no run
		if text, problem := appendLeaf(dst, compiled, m); problem == nil {
			return text
		}
	}
	r := start()
	defer r.end()
	r.depth = len(t.Path)
	r.trail.Path = slices.Clip(t.Path)
	r.stands = t.stands && !fieldplan.IsProjected(n.Class)
	dst = r.writeTo(dst, func() { r.write(p.whole, compiled, m, (*run).element) })
	r.trail.MoveTo(t)
	return dst
}

// isPresent reports whether a member with the presence option is set, v behind any pointers. A nil
// list or map is not.
func (o *op) isPresent(v reflect.Value) bool {
	return !o.routine.isNull(valueOf(v))
}

// appendText appends the canonical text of a member that is a leaf, v behind any pointers, and
// reports whether it is set. Problems are reported to t.
func (o *op) appendText(dst []byte, t *Trail, v reflect.Value) (text []byte, set bool) {
	m := valueOf(v)
	if !exists(m) {
		return dst, false
	}
	r := start()
	defer r.end()
	r.trail.Path = slices.Clip(t.Path)
	r.stands = t.stands && !fieldplan.IsProjected(o.routine.plan.Class)
	r.hides = o.routine.plan.HidesBelow
	if set = r.member(o, m, ','); set {
		dst = append(dst, r.textOfMember(o, 0)...)
	}
	r.trail.MoveTo(t)
	return dst, set
}

// Sum returns the SHA-256 of the canonical document. Large documents are hashed in pieces, so that
// they need no large buffer.
func (p *Program) Sum(v reflect.Value) (sum [sha256.Size]byte, err error) {
	r := start()
	r.sums = true
	r.write(p.canonical, p.canonical.root, p.rootOf(v), (*run).document)
	if r.trail.Failed() {
		err = r.trail.Err()
	} else {
		sum = r.sum()
	}
	r.end()
	return sum, err
}

// sum returns the SHA-256 of all written bytes.
func (r *run) sum() (sum [sha256.Size]byte) {
	if r.flushed == 0 {
		return sha256.Sum256(r.buf)
	}
	r.flush()
	copy(sum[:], r.digest.Sum(r.buf[:0])) // sum[:0] would be allocated
	return sum
}

// write writes the value at m. If it finds a fault, it writes the value once more, with the paths
// of the faults.
func (r *run) write(w *writing, n *routine, m memory, how func(*run, *routine, memory)) {
	start := len(r.buf)
	r.deep = w.deep
	r.hides = w.hides
	how(r, n, m)
	if !r.trail.Failed() {
		return
	}
	found := r.trail.faults
	r.buf = r.buf[:start]
	r.trail.faults = nil
	r.trail.lost = false
	r.deep = true
	r.traced = true
	how(r, n, m)
	if !r.trail.Failed() { // a marshaler failed the first time only
		r.trail.faults = found
	}
}

// document writes the root object, also if it has no members.
func (r *run) document(n *routine, root memory) {
	if !exists(root) || !r.object(n, root, omitted) {
		r.buf = append(r.buf, "{}"...)
	}
}

// position and cut bracket a part that is written on trial.
func (r *run) position() int { return r.flushed + len(r.buf) }

func (r *run) cut(position int) { r.buf = r.buf[:position-r.flushed] }

// commit is called when all bytes written so far are final.
func (r *run) commit() {
	if len(r.buf) >= spillAt {
		r.spill()
	}
}

// spill is a function of its own, so that commit is inlined.
//
//go:noinline
func (r *run) spill() {
	if r.position() > maxDocument && !r.trail.lost {
		r.report(tooLarge())
		r.trail.lost = true
	}
	if r.canFlush() {
		r.flush()
	}
}

// maxDocument bounds the size of a document, so that short JSON needs neither much time nor much
// memory: an array of fixed length is written with all its elements. An object of Kubernetes has at
// most 3 MiB of JSON, and its document is at most 16 times as long without such arrays.
const maxDocument = 128 << 20

func tooLarge() *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "too-large", What: "makes the canonical document larger than 128 MiB",
		Hint: "use fewer or shorter values; arrays of fixed length count with all their elements",
	}
}

func (r *run) canFlush() bool { return r.sums && r.held == 0 }

func (r *run) flush() {
	r.digest.Write(r.buf)
	r.flushed += len(r.buf)
	r.buf = r.buf[:0]
}
