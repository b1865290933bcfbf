package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestConfigsOnOneSide: a provider config on its own that is new or gone tells nothing of the pools that have it. A
// custom resource has no pools.
func TestConfigsOnOneSide(t *testing.T) {
	t.Parallel()
	const aws = `"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"`
	alicloud := `{"apiVersion":"alicloud.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig","nodeTemplate":{"capacity":{"cpu":1}}}`
	for _, c := range []struct {
		config   string
		state    pool.State
		isCustom bool
		want     verdict.Verdict
	}{
		{`{` + aws + `}`, pool.Removed, false, verdict.Indeterminate},
		{`{` + aws + `}`, pool.Added, false, verdict.Indeterminate},
		{`{` + aws + `,"tags":{"vm":{"a":"b"}}}`, pool.Removed, false, verdict.Indeterminate},
		{`{"apiVersion":"own/v1","kind":"WorkerConfig"}`, pool.Removed, false, verdict.Indeterminate},
		{`{"apiVersion":"own/v1","kind":"WorkerConfig"}`, pool.Added, false, verdict.Indeterminate},
		{alicloud, pool.Added, false, verdict.Indeterminate},
		{`{"a":"b"}`, pool.Removed, true, verdict.Removed},
		{`{"a":"b"}`, pool.Added, true, verdict.Added},
	} {
		for _, extension := range []judge.Extension{judge.Released, judge.Adopted, judge.Both} {
			o := judge.Options{
				Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: extension,
			}
			if c.isCustom {
				o.Custom = &judge.Custom{Removed: judge.RemovesMachines}
			}
			plan := pool.OneSided(&facts.Manifest{Pools: []facts.Pool{facts.Bare([]byte(c.config))}}, c.state, o)
			require.Len(t, plan.Pools, 1)
			planned := plan.Pools[0]
			assert.Equal(t, c.want, plan.Verdict(), "%s %s", c.config, extension)
			if c.isCustom {
				continue
			}
			assert.Equal(t, c.want, planned.Effect(), "%s %s", c.config, extension)
			assert.Equal(t, verdict.Any(), planned.Possible(), "%s %s", c.config, extension)
			assert.Equal(t, verdict.Any(), plan.Possible(), "%s %s", c.config, extension)
			assert.Nil(t, planned.Adopted, "%s %s", c.config, extension)
			require.Len(t, planned.Questions, 1)
			assert.Equal(t, verdict.PoolsUnknown, planned.Questions[0].Rule)
			assert.Zero(t, planned.Touched())
		}
	}
}
