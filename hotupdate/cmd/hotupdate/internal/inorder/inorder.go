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
		queue := make(chan chan R, 2*runtime.GOMAXPROCS(0))
		go func() {
			defer close(queue)
			for one := range all {
				result := make(chan R, 1)
				select {
				case <-ctx.Done():
					return
				case queue <- result:
				}
				go func() { result <- do(one) }()
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
