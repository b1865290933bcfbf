package hotupdatetest

import (
	"reflect"
	"slices"

	"pgregory.net/rapid"
)

// Keeps checks that adoption renames no pool: for generated configurations, the functions that name
// pools before and after it return the same strings. Before is the released function, after that of
// an era. Run it for a Kubernetes minor of each era before the canonical one, with all fields of the
// pool that the released function reads.
//
//   - The released function decides: where it returns an error, no pool exists, and the other
//     function is not called. If only the other function fails, the check fails.
//   - The configurations are of the versioned type, without apiVersion and kind. The functions may
//     change them.
//   - A failure is shrunk to a small counter-example, as by [Check], with the path of the field if only one
//     is set.
//
// Before must not get a new field: use the type of the release, or unset the field at the beginning
// of before. Unsetting also checks that the era does not hash the field.
func Keeps[C any](t rapid.TB, before, after func(config *C) ([]string, error), options ...Option) {
	t.Helper()
	s := subjectOf[C](t, options)
	if s == nil {
		return
	}
	keeps := guarantee{"PoolsKeepTheirNames", drawSet, func(_ *subject, drawn trial) *breach {
		b := renamed(drawn, before, after)
		if b != nil && len(drawn.leaves) == 1 {
			b.path = drawn.leaves[0].pattern
		}
		return b
	}}
	keeps.check(t, s)
}

// drawSet draws a configuration that is not nil, with its leaves.
func drawSet(a generator) trial {
	drawn := drawPresent(a)
	drawn.leaves = *a.leaves
	return drawn
}

func renamed[C any](drawn trial, before, after func(config *C) ([]string, error)) *breach {
	config := func() *C {
		c, _ := reflect.TypeAssert[*C](drawn.first())
		return c
	}
	want, err := before(config())
	if err != nil {
		return nil
	}
	got, err := after(config())
	switch {
	case err != nil:
		return failed("cannot be named any more", err)
	case !slices.Equal(got, want):
		return broken("a pool with this configuration is renamed: its machines are replaced on the day of the adoption",
			"let the era call the released function, or compare the order of the strings")
	}
	return nil
}
