package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestHappens: each verdict under which pools are counted has a clause for one and for several, and no two have the same.
func TestHappens(t *testing.T) {
	t.Parallel()
	seen := map[string]verdict.Verdict{}
	for _, v := range verdict.OfPools() {
		for _, count := range []int{1, 2} {
			text := v.Happens(count, "pool")
			assert.Regexp(t, `^(1 pool|2 pools) [a-z]`, text, v)
			other, isTaken := seen[text]
			assert.False(t, isTaken, "%s: %s and %s", text, v, other)
			seen[text] = v
		}
	}
	assert.Equal(t, "42 pools roll", verdict.Roll.Happens(42, "pool"))
	assert.Equal(t, "1 pool rolls", verdict.Roll.Happens(1, "pool"))
}

// TestSilent: machines that are touched are never passed over.
func TestSilent(t *testing.T) {
	t.Parallel()
	for _, v := range verdict.OfPools() {
		isNew := v == verdict.Added || v == verdict.MachinesAdded
		assert.Equal(t, v == verdict.None || isNew, v.IsSilent(), v)
	}
}

// TestRefusedByGardener: only the API server of Gardener has refused a change before webhooks are asked.
func TestRefusedByGardener(t *testing.T) {
	t.Parallel()
	assert.True(t, verdict.StrategySwitched.RefusedByGardener())
	assert.True(t, verdict.ImageUnknown.RefusedByGardener())
	assert.True(t, verdict.RolloutInPlace.RefusedByGardener())
	assert.False(t, verdict.ConfigInPlace.RefusedByGardener(), "an extension refuses it")
	assert.False(t, verdict.SecretNameLost.RefusedByGardener(), "an extension refuses it")
	assert.False(t, verdict.GateIsOn.RefusedByGardener(), "it is assumed")
	assert.False(t, verdict.APIServer("v1.36.4").Refuses("it").RefusedByGardener())
	assert.False(t, verdict.NoRule.RefusedByGardener())
}
