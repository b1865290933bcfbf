package engine

import (
	"sync"
)

const (
	flushAt = 4 << 10  // bytes that are worth handing on
	keepCap = 64 << 10 // larger buffers are not kept for the next document
)

var writers = sync.Pool{New: func() any { return &writer{buf: make([]byte, 0, 2*flushAt)} }}

// commit is called where everything written so far is known to stay.
func (w *writer) commit() {
	if w.out != nil && w.held == 0 && len(w.buf) >= flushAt {
		w.flushAllBut(1) // the last byte tells whether a comma is due
	}
}

func (w *writer) flush() { w.flushAllBut(0) }

func (w *writer) flushAllBut(rest int) {
	n := len(w.buf) - rest
	if w.failed == nil && !w.trail.Failed() {
		w.failed = WriteAll(w.out, w.buf[:n])
	}
	copy(w.buf, w.buf[n:])
	w.buf = w.buf[:rest]
	w.flushed += n
}

// release returns the writer to the pool without references to the configuration. Of its bytes at most keepCap stay in memory.
func (w *writer) release() {
	buf := w.buf[:0]
	if cap(buf) > keepCap {
		buf = make([]byte, 0, 2*flushAt)
	}
	clear(w.trail.Path[:cap(w.trail.Path)])
	*w = writer{buf: buf, trail: Trail{Path: w.trail.Path[:0]}, above: w.above[:0]}
	writers.Put(w)
}
