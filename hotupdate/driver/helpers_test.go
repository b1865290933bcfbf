package driver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
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

// TestSets: members that are missing are added before others are removed, and those of somebody else
// stay.
func TestSets(t *testing.T) {
	assert.Equal(t, `["a","b"]`, driver.SetValue([]string{"b", "a", "b"}))
	assert.Equal(t, "[]", driver.SetValue(nil), "not the empty value, which is unset")
	refused := errors.New("refused")
	for _, row := range []struct {
		name, value string
		live        []string
		refuse      string
		want        []string
	}{
		{"equal", `["a"]`, []string{"a", "lb"}, "", nil},
		{"exchanged", `["b","c"]`, []string{"a", "lb"}, "", []string{"+b", "+c", "-a"}},
		{"all removed", `[]`, []string{"lb", "a", "b"}, "", []string{"-a", "-b"}},
		{"an error ends it", `["b","c"]`, []string{"a"}, "+b", []string{"+b"}},
		{"an error of a removal ends it", `[]`, []string{"a", "b"}, "-a", []string{"-a"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var called []string
			call := func(sign string) func(string) error {
				return func(member string) error {
					called = append(called, sign+member)
					if sign+member == row.refuse {
						return refused
					}
					return nil
				}
			}
			isOwn := func(member string) bool { return member != "lb" }
			err := driver.ChangeSet(row.value, row.live, isOwn, call("+"), call("-"))
			assert.Equal(t, row.want, called)
			assert.Equal(t, row.refuse != "", errors.Is(err, refused))
		})
	}
	err := driver.ChangeSet("secret", nil, nil, nil, nil)
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "malformed-set", fault.All(err)[0].Code)
	assert.NotContains(t, err.Error(), "secret")
}
