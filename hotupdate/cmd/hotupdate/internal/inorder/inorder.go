// Package inorder calls a function for the elements of a sequence on all processors.
//
// It owns the order of the results and the number of elements under way. It must not know what the
// elements are.
package inorder

import (
	"context"
	"iter"
	"runtime"
)

// Map calls a function for every element, on all processors, and yields the results in the order of
// the elements. It ends with the elements, or with the context. The queue bounds the number of
// elements under way. The caller's goroutine calls the function for the first element, so that a sequence of one
// starts no others.
func Map[E, R any](ctx context.Context, all iter.Seq[E], do func(E) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		m := mapping[E, R]{do: do, queue: make(chan call[E, R], queued())}
		go m.enqueueAll(ctx, all)
		for {
			select {
			case <-ctx.Done(): // also while waiting for an element
				return
			case c, more := <-m.queue:
				if !more || !yield(m.resultOf(c)) {
					return
				}
			}
		}
	}
}

// queued is the number of elements under way.
func queued() int { return 2 * runtime.GOMAXPROCS(0) }

// mapping is a run of [Map].
type mapping[E, R any] struct {
	do    func(E) R
	queue chan call[E, R] // in the order of the elements
	calls chan call[E, R] // for the goroutines; nil before there is a second element
}

// call is an element with the channel for its result. The first element has none.
type call[E, R any] struct {
	element E
	result  chan R
}

func (m *mapping[E, R]) resultOf(c call[E, R]) R {
	if c.result == nil {
		return m.do(c.element)
	}
	return <-c.result
}

// enqueueAll passes the elements on until the context ends.
func (m *mapping[E, R]) enqueueAll(ctx context.Context, all iter.Seq[E]) {
	defer close(m.queue)
	isFirst := true
	for element := range all {
		if isFirst {
			isFirst = false
			m.queue <- call[E, R]{element: element}
			continue
		}
		if m.calls == nil {
			m.start()
			defer close(m.calls)
		}
		if !m.enqueue(ctx, element) {
			return
		}
	}
}

// start starts the goroutines. Each calls the function many times, so that its stack grows only once.
func (m *mapping[E, R]) start() {
	m.calls = make(chan call[E, R])
	for range queued() {
		go func() {
			for c := range m.calls {
				c.result <- m.do(c.element)
			}
		}()
	}
}

// enqueue passes an element to the goroutines and queues its result. It is false if the context
// ends before.
func (m *mapping[E, R]) enqueue(ctx context.Context, element E) bool {
	c := call[E, R]{element, make(chan R, 1)}
	select {
	case <-ctx.Done():
		return false
	case m.calls <- c:
	}
	select {
	case <-ctx.Done():
		return false
	case m.queue <- c:
		return true
	}
}
