package engine

import (
	"crypto/sha256"
	"hash"
	"io"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	spillAt        = 4 << 10  // bytes that are worth handing on
	maxPooledBytes = 16 << 10 // larger buffers are not kept for the next run
	maxPooled      = 512      // entries that are kept for the next run

	// maxDepth is how many steps from the root a run goes. Kubernetes' own types stay below 30; what is nested more deeply, or contains
	// itself, is not worth more than so many times the effort.
	maxDepth = 64
)

// run is one run of a program, with the memory that it needs. When it gives up, what it wrote is of no use.
type run struct {
	buf     []byte
	out     io.Writer // nil: everything stays in buf
	failed  error     // of out
	flushed int       // bytes that have left buf
	held    int       // collections being sorted: nothing may be flushed
	depth   int       // steps from the root
	gaveUp  bool

	digest  hash.Hash // for sums
	scratch []byte    // texts beside the document

	// Stacks, one frame per collection.
	entries []entry
	keys    []string // of maps
	spans   []span   // of sets

	sortBuffer []entry // for sorting

	// Values of maps of leaves, which do not nest.
	texts      []string
	quantities []resource.Quantity
	pair       [2]resource.Quantity // that are compared
}

// runs keeps memory for further runs. One run keeps about 90 KiB at most.
var runs = sync.Pool{New: func() any { return &run{buf: make([]byte, 0, 2*spillAt), digest: sha256.New()} }}

func start() *run { return runs.Get().(*run) }

// end hands the memory on, without what was read. Larger pieces, and what a run left behind that gave up, are left to the garbage
// collector.
func (r *run) end() {
	if r.gaveUp {
		*r = run{buf: r.buf, digest: r.digest}
	}
	r.buf, r.scratch = recycled(r.buf, maxPooledBytes), recycled(r.scratch, maxPooledBytes/2)
	r.entries, r.keys, r.spans, r.sortBuffer = recycled(r.entries, maxPooled), recycled(r.keys, maxPooled), recycled(r.spans, maxPooled), recycled(r.sortBuffer, maxPooled)
	r.texts, r.quantities = recycled(r.texts, maxPooled), recycled(r.quantities, maxPooled)
	r.out, r.failed, r.flushed, r.depth = nil, nil, 0, 0
	runs.Put(r)
}

// kept empties memory that is used again, or drops it if there is too much. Values of users have been cleared out of it.
func recycled[T any](s []T, most int) []T {
	if cap(s) > most {
		return nil
	}
	return s[:0]
}

// room returns s with room for n more: for maxKept in all if that is enough.
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

// giveUp ends the run. Every loop looks whether it is over.
func (r *run) giveUp() { r.gaveUp = true }

// enter goes a step further from the root. It is false, and the run is over, at maxDepth.
func (r *run) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.giveUp()
	}
	return !r.gaveUp
}

func (r *run) leave() { r.depth-- }

// rootOf returns where the configuration stands. Nil pointers are none. A configuration without an address is copied.
func (p *Program) rootOf(v reflect.Value) memory {
	if v.IsValid() && v.Type() == p.pointer {
		return pointee(v)
	}
	return valueOf(v)
}

// valueOf returns where the value behind any pointers stands.
func valueOf(v reflect.Value) memory {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return none
		}
		v = v.Elem()
	}
	if !v.IsValid() {
		return none
	}
	if !v.CanAddr() {
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		v = copied
	}
	return memoryOf(v)
}

// Append appends the canonical document of v, a value of the plan's type behind any pointers. It is false, and dst is returned as it
// was, if the run gave up.
func (p *Program) Append(dst []byte, v reflect.Value) ([]byte, bool) {
	if p.open {
		return dst, false
	}
	r := start()
	own := r.buf
	r.buf = dst
	r.document(p, v)
	written, gaveUp := r.buf, r.gaveUp
	r.buf = own
	r.end()
	if gaveUp {
		return dst, false
	}
	return written, true
}

// Write writes the canonical document to out in pieces. It is false if the run gave up; then out has received the first bytes of the
// document, as many as are returned. The error is that of out.
func (p *Program) Write(out io.Writer, v reflect.Value) (written int, ok bool, err error) {
	if p.open {
		return 0, false, nil
	}
	r := start()
	r.out = out
	r.document(p, v)
	if !r.gaveUp {
		r.flush()
	}
	written, ok, err = r.flushed, !r.gaveUp, r.failed
	r.end() // not deferred: what out leaves by a panic is not in order
	return written, ok, err
}

// Sum returns the SHA-256 of the canonical document. It is false if the run gave up.
func (p *Program) Sum(v reflect.Value) (sum [sha256.Size]byte, ok bool) {
	if p.open {
		return sum, false
	}
	r := start()
	r.out = r.digest
	r.document(p, v)
	ok = !r.gaveUp
	if ok && r.flushed == 0 {
		sum = sha256.Sum256(r.buf)
	} else if ok {
		r.flush()
		copy(sum[:], r.digest.Sum(r.buf[:0]))
	}
	if r.flushed > 0 {
		r.digest.Reset()
	}
	r.end()
	return sum, ok
}

func (r *run) document(p *Program, v reflect.Value) {
	root := p.rootOf(v)
	if !exists(root) || !r.object(p.canonical, root, ifSome) {
		r.buf = append(r.buf, "{}"...)
	}
}

// position and cut bracket what is written on trial.
func (r *run) position() int { return r.flushed + len(r.buf) }

func (r *run) cut(position int) {
	if !r.gaveUp {
		r.buf = r.buf[:position-r.flushed]
	}
}

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

func (r *run) canFlush() bool { return r.out != nil && r.held == 0 && !r.gaveUp }

func (r *run) flush() {
	if r.failed == nil {
		r.failed = WriteAll(r.out, r.buf)
	}
	r.flushed += len(r.buf)
	r.buf = r.buf[:0]
}

// WriteAll writes all of b to out. A writer that takes less without an error has one.
func WriteAll(out io.Writer, b []byte) error {
	n, err := out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}
