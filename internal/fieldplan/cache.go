package fieldplan

import (
	"fmt"
	"reflect"
	"sync"
)

// cacheKey identifies a plan: one type under one set of overrides.
type cacheKey struct {
	typ       reflect.Type
	overrides string
}

// cache keeps each plan, or the error that stands in its place, for the life of the process. Programs have few configuration types.
var cache sync.Map // cacheKey -> func() (*Plan, error)

// Compile returns the field plan of t, behind pointers if any, under the overrides. A type that cannot be compiled yields all its
// problems, joined, each a *fault.Error.
func Compile(t reflect.Type, overrides []Override) (*Plan, error) {
	t = Deref(t)
	build := sync.OnceValues(func() (*Plan, error) { return Build(t, overrides) })
	found, _ := cache.LoadOrStore(cacheKey{t, fmt.Sprintf("%q", overrides)}, build)
	return found.(func() (*Plan, error))()
}
