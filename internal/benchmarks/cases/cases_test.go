package cases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/benchmarks/cases"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
)

// TestAnswers: what is measured gives the right answer. Some peers are wrong on purpose of their own, and are not measured there.
func TestAnswers(t *testing.T) {
	for _, size := range fixture.Sizes()[:2] {
		groups, err := cases.Groups(size)
		require.NoError(t, err)
		for _, group := range groups {
			for _, c := range group.Cases {
				assert.NoError(t, c.Run(), "%s: %s: %s", size.Name, group.Name, c.Name)
			}
		}
	}
}

func TestScale(t *testing.T) {
	for _, series := range cases.Scale() {
		for _, n := range []int{0, 10, 1000} {
			run, err := series.At(n)
			require.NoError(t, err)
			require.NoError(t, run(), "%s of %d", series.Name, n)
		}
	}
}
