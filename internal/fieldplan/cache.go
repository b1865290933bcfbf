package fieldplan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// cacheKey identifies a plan: one type under one set of overrides.
type cacheKey struct {
	typ       reflect.Type
	overrides string
}

type compiled struct {
	plan *Plan
	err  error
}

// cache keeps each plan, or the error that stands in its place, for the life of the process. Programs have few configuration types.
var cache sync.Map // cacheKey -> *compiled

// Compile returns the field plan of t, behind pointers if any, under the overrides. A type that cannot be compiled yields all its
// problems, joined, each a *fault.Error.
func Compile(t reflect.Type, overrides []Override) (*Plan, error) {
	t = Deref(t)
	key := cacheKey{typ: t, overrides: overridesKey(overrides)}
	if found, ok := cache.Load(key); ok {
		return found.(*compiled).plan, found.(*compiled).err
	}
	plan, err := Build(t, overrides)
	found, _ := cache.LoadOrStore(key, &compiled{plan, err})
	return found.(*compiled).plan, found.(*compiled).err
}

// overridesKey spells overrides independently of their order.
func overridesKey(overrides []Override) string {
	if len(overrides) == 0 {
		return ""
	}
	sorted := slices.SortedFunc(slices.Values(overrides), func(a, b Override) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Tag, b.Tag))
	})
	return fmt.Sprintf("%q", sorted)
}
