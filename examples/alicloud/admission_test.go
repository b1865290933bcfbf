package alicloud_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
)

// TestValidateConfig: an update, or a new pool if there is no old version.
func TestValidateConfig(t *testing.T) {
	small := provider.Config(`"nodeTemplate":{"capacity":{"cpu":"8"}}`)
	large := provider.Config(`"nodeTemplate":{"capacity":{"cpu":"16"}}`)
	tagged := provider.Config(`"nodeTemplate":{"capacity":{"cpu":"8"}},"tags":{"vm":{"a":"1"}}`)
	onlyTags := provider.Config(`"tags":{"vm":{"a":"1"}}`)
	unreadable := []byte(`{"foo":1}`)
	const cpu = "providerConfig.nodeTemplate.capacity[cpu]: Forbidden"
	for _, row := range []struct {
		name       string
		oldVersion string
		old        []byte
		version    string
		updated    []byte
		strategy   hotupdate.Strategy
		want       []string
		reason     string
	}{
		{name: "unreadable, unchanged", oldVersion: "1.35.0", old: unreadable, version: "1.36.0", updated: unreadable, reason: "as today"},
		{
			name: "unreadable, new", version: "1.36.0", updated: unreadable, want: []string{"providerConfig.foo: Invalid value"},
			reason: "nobody needs it",
		},
		{
			name: "unreadable, changed", oldVersion: "1.36.0", old: small, version: "1.36.0", updated: unreadable,
			want: []string{"providerConfig.foo: Invalid value"}, reason: "the same",
		},
		{
			name: "unreadable, to the canonical era", oldVersion: "1.36.0", old: unreadable, version: "1.37.0", updated: unreadable,
			want: []string{"providerConfig.foo: Invalid value"}, reason: "it is read from there on",
		},
		{
			name: "unreadable, mended by tags", oldVersion: "1.36.0", old: unreadable, version: "1.36.0", updated: onlyTags,
			reason: "tags are hot",
		},
		{
			name: "unreadable, mended by capacity", oldVersion: "1.36.0", old: unreadable, version: "1.36.0", updated: small,
			want: []string{cpu}, reason: "it would have no effect",
		},
		{name: "ignored, unchanged", oldVersion: "1.36.0", old: small, version: "1.36.1", updated: small, reason: "as today"},
		{name: "ignored, with a first tag", oldVersion: "1.36.0", old: small, version: "1.36.0", updated: tagged, reason: "tags are hot"},
		{
			name: "ignored, changed", oldVersion: "1.36.0", old: small, version: "1.36.0", updated: large, want: []string{cpu},
			reason: "the hash does not see it",
		},
		{name: "ignored, removed", oldVersion: "1.36.0", old: small, version: "1.36.0", want: []string{cpu}, reason: "the same"},
		{name: "ignored, new", version: "1.36.0", updated: small, want: []string{cpu}, reason: "it would have no effect"},
		{
			name: "changed with the minor", oldVersion: "1.36.0", old: small, version: "1.37.0", updated: large,
			reason: "the pool rolls anyway",
		},
		{name: "changed later", oldVersion: "1.37.0", old: small, version: "1.37.0", updated: large, reason: "the pool rolls"},
		{
			name: "in place, changed with the minor", oldVersion: "1.36.0", old: small, version: "1.37.0", updated: large,
			strategy: hotupdate.AutoInPlaceUpdate, want: []string{cpu}, reason: "its machines stay",
		},
		{
			name: "in place, ignored, changed", oldVersion: "1.36.0", old: small, version: "1.36.0", updated: large,
			strategy: hotupdate.ManualInPlaceUpdate, want: []string{cpu}, reason: "the same",
		},
		{name: "no version", version: "1", updated: small, want: []string{"providerConfig: Invalid value"}, reason: "no era is known"},
	} {
		t.Run(row.name, func(t *testing.T) {
			updated := exampletest.Pool(row.version, row.updated)
			updated.UpdateStrategy = row.strategy
			got := alicloud.ValidateConfig(nil, updated, field.NewPath("providerConfig"))
			if row.oldVersion != "" {
				old := exampletest.Pool(row.oldVersion, row.old)
				got = alicloud.ValidateConfig(old, updated, field.NewPath("providerConfig"))
			}
			assert.ElementsMatch(t, row.want, exampletest.Refused(got), row.reason)
		})
	}
}

// TestAdmittedChangesAreSeen: of recorded pools that differ in the config, those that admission takes have another name exactly if a field
// changed that is not hot. No pool is refused without a change.
func TestAdmittedChangesAreSeen(t *testing.T) {
	schema, err := alicloud.Schema()
	require.NoError(t, err)
	release, err := recorded.Read("alicloud-v1.71.0")
	require.NoError(t, err)
	var refused, taken int
	for _, version := range []string{"1.36.0", "1.37.0"} {
		for i := 1; i < len(release.Records); i++ {
			raw := []byte(*textOf(&release.Records[i-1]))
			changed := []byte(*textOf(&release.Records[i]))
			old := exampletest.Pool(version, raw)
			updated := exampletest.Pool(version, changed)
			require.Empty(t, alicloud.ValidateConfig(old, exampletest.Pool(version, raw), nil))
			changes, err := schema.DiffRaw(raw, changed)
			require.NoError(t, err)
			isImmutable := len(changes.Of(hotupdate.Immutable)) > 0
			if len(alicloud.ValidateConfig(old, updated, nil)) > 0 {
				refused++
				assert.True(t, isImmutable, "%s\n%s", raw, changed)
				assert.Equal(t, "1.36.0", version)
				continue
			}
			taken++
			before, err := alicloud.GenerateWorkerPoolHash(old)
			require.NoError(t, err)
			after, err := alicloud.GenerateWorkerPoolHash(updated)
			require.NoError(t, err)
			assert.Equal(t, isImmutable, before.Digest != after.Digest, "%s: %s\n%s", version, raw, changed)
		}
	}
	t.Logf("%d refused, %d taken", refused, taken)
	assert.Positive(t, refused)
	assert.Greater(t, taken, refused)
}

// textOf returns the text of a record's config, an empty one if it has none.
func textOf(r *recorded.Record) *string {
	if r.Config == nil {
		return new(string(provider.Config("")))
	}
	return r.Config
}
