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
// elements under way.
func Map[E, R any](ctx context.Context, all iter.Seq[E], do func(E) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		most := 2 * runtime.GOMAXPROCS(0)
		queue := make(chan chan R, most)
		calls := make(chan call[E, R])
		for range most {
			// a goroutine calls the function many times, so that its stack grows only once
			go func() {
				for c := range calls {
					c.result <- do(c.element)
				}
			}()
		}
		go func() {
			defer close(queue)
			defer close(calls)
			for element := range all {
				if !enqueue(ctx, queue, calls, element) {
					return
				}
			}
		}()
		for {
			select {
			case <-ctx.Done(): // also while waiting for an element
				return
			case result, more := <-queue:
				if !more || !yield(<-result) {
					return
				}
			}
		}
	}
}

// call is an element with the channel for its result.
type call[E, R any] struct {
	element E
	result  chan R
}

// enqueue passes an element to the goroutines and queues its result. It is false if the context
// ends before.
func enqueue[E, R any](ctx context.Context, queue chan<- chan R, calls chan<- call[E, R], element E) bool {
	result := make(chan R, 1)
	select {
	case <-ctx.Done():
		return false
	case calls <- call[E, R]{element, result}:
	}
	select {
	case <-ctx.Done():
		return false
	case queue <- result:
		return true
	}
}
