package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestGenericFunctionsAgree: the functions with a type parameter agree with those for any type.
func TestGenericFunctionsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := among(t, writtenTypes...)
		s := subjectOf(t, w.typ, w.overrides)
		a, b := s.drawPair(t)
		changes, err := w.generic.diff(s.schema, a.Interface(), b.Interface())
		require.NoError(t, err)
		require.Equal(t, s.diff(t, a, b), changes)
		immutable, hot, err := w.generic.split(s.schema, a.Interface())
		require.NoError(t, err)
		wantImmutable, wantHot := s.split(t, a)
		require.Equal(t, []any{wantImmutable.Interface(), wantHot.Interface()}, []any{immutable, hot})
		merged, err := w.generic.merge(s.schema, immutable, hot)
		require.NoError(t, err)
		require.Equal(t, s.merge(t, wantImmutable, wantHot).Interface(), merged)
	})
}
