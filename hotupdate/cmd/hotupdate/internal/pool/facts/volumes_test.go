package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// drawnVolumes is a pool with any volumes.
func drawnVolumes(t *rapid.T, label string) *facts.Pool {
	drawn := func(values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	yes := rapid.Ptr(rapid.Bool(), true)
	p := &facts.Pool{
		Kind: facts.Shoot, Encrypted: yes.Draw(t, label),
		Worker: hash.Worker{Name: "a", Volume: &hash.Volume{Size: drawn("1Gi", "2Gi")}},
	}
	for range rapid.IntRange(0, 12).Draw(t, label) {
		v := facts.DataVolume{Name: drawn("a", "b"), Size: drawn("1Gi", "2Gi"), Encrypted: yes.Draw(t, label)}
		if kind := drawn("", "gp3", "io2"); kind != "" {
			v.Type = &kind
		}
		p.DataVolumes = append(p.DataVolumes, v)
	}
	return p
}

// TestVolumesMeet: without any difference, the new pool has the old volumes, and with all of them its own. The rest is
// that of the new pool.
func TestVolumesMeet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawnVolumes(t, "old")
		updated := drawnVolumes(t, "updated")
		volumes := facts.VolumesOf(old, updated)
		var every []int
		for i := range volumes.Paths {
			every = append(every, i)
		}
		none := volumes.With(nil)
		assert.Equal(t, old.DataVolumes, none.DataVolumes)
		assert.Equal(t, old.Encrypted, none.Encrypted)
		assert.Equal(t, updated.Worker, none.Worker)
		assert.Equal(t, updated, volumes.With(every))
	})
}

// TestVolumesOneByOne: a difference changes one setting, and one of an added or removed volume makes or leaves the
// volume with the others.
func TestVolumesOneByOne(t *testing.T) {
	t.Parallel()
	old := &facts.Pool{DataVolumes: []facts.DataVolume{{Name: "a", Size: "1Gi"}, {Name: "b", Size: "1Gi"}}}
	updated := &facts.Pool{DataVolumes: []facts.DataVolume{{Name: "c", Size: "2Gi", Type: new("gp3")}}}
	volumes := facts.VolumesOf(old, updated)
	require.Equal(t, []string{
		"dataVolumes[0].name", "dataVolumes[0].size", "dataVolumes[0].type", "dataVolumes[1].name", "dataVolumes[1].size",
	}, volumes.Paths)
	for i, want := range [][]facts.DataVolume{
		{{Name: "c", Size: "1Gi"}, {Name: "b", Size: "1Gi"}},
		{{Name: "a", Size: "2Gi"}, {Name: "b", Size: "1Gi"}},
		{{Name: "a", Size: "1Gi", Type: new("gp3")}, {Name: "b", Size: "1Gi"}},
		{{Name: "a", Size: "1Gi"}, {Size: "1Gi"}},
		{{Name: "a", Size: "1Gi"}, {Name: "b"}},
	} {
		assert.Equal(t, want, volumes.With([]int{i}).DataVolumes, volumes.Paths[i])
	}
	assert.Equal(t, []facts.DataVolume{{Name: "a", Size: "1Gi"}}, volumes.With([]int{3, 4}).DataVolumes)
}
