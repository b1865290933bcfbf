package driver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

type flatSpec struct {
	flat    map[string]string
	perKind *tags.Tags
}

// TestFlatTagging: the map of a kind overrides the flat one, and nothing overrides the keys by which
// MCM finds the machine.
func TestFlatTagging(t *testing.T) {
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	tagging := driver.FlatTagging[flatSpec, int](rules, tags.Kinds(),
		func(spec *flatSpec) (map[string]string, *tags.Tags) { return spec.flat, spec.perKind })
	const cluster = "kubernetes.io/cluster/c"
	spec := &flatSpec{
		flat:    map[string]string{cluster: "1", "team": "a"},
		perKind: &tags.Tags{VM: map[string]string{"team": "b", cluster: "other"}},
	}
	assert.Equal(t, map[string]string{cluster: "1", "team": "b"}, tagging.Project(spec, tags.VM))
	assert.Equal(t, map[string]string{cluster: "1", "team": "a"}, tagging.Project(spec, tags.Disk))
	assert.Equal(t, map[string]string{cluster: "1"}, tagging.Mandatory(spec, "m"))
	assert.Empty(t, tagging.Project(&flatSpec{}, tags.VM), "a hot part without tags")
	assert.Empty(t, tagging.Mandatory(&flatSpec{}, "m"))
}

// TestOneByOne: a call for each resource and tag, until one fails or the context ends.
func TestOneByOne(t *testing.T) {
	var called []string
	refused := errors.New("refused")
	ctx, cancel := context.WithCancel(t.Context())
	set := driver.OneByOne(func(_ context.Context, cloud int, resource string, tag tags.Tag) error {
		called = append(called, resource+tag.Key+tag.Value)
		switch tag.Key {
		case "refused":
			return refused
		case "last":
			cancel()
		}
		return nil
	})
	require.NoError(t, set(ctx, 1, []string{"r", "s"}, []tags.Tag{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}))
	assert.Equal(t, []string{"ra1", "rb2", "sa1", "sb2"}, called)
	called = nil
	require.ErrorIs(t, set(ctx, 1, []string{"r", "s"}, []tags.Tag{{Key: "refused"}, {Key: "b"}}), refused)
	assert.Equal(t, []string{"rrefused"}, called)
	called = nil
	require.ErrorIs(t, set(ctx, 1, []string{"r"}, []tags.Tag{{Key: "last"}, {Key: "b"}}), context.Canceled)
	assert.Equal(t, []string{"rlast"}, called)
}
