package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestCausesInVolumes: of several changed settings of volumes, those are causes on which the extension's name depends.
func TestCausesInVolumes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file    string
		updated edits
		want    map[string]string
	}{
		"a volume with another name and size": {
			onAWS,
			edits{at("dataVolumes.0.name", "z"), at("dataVolumes.0.size", "77Gi")},
			map[string]string{"dataVolumes[0].name": "none", "dataVolumes[0].size": "roll"},
		},
		"a removed volume": {
			onAWS,
			edits{at("dataVolumes", nil)},
			map[string]string{
				"dataVolumes[0].name": "none", "dataVolumes[0].size": "roll", "dataVolumes[0].type": "roll", "dataVolumes[0].encrypted": "roll",
				"dataVolumes[1].name": "none", "dataVolumes[1].size": "roll", "dataVolumes[1].type": "roll",
			},
		},
	} {
		plan, err := pool.NewPlan(
			read(t, manifest(t, "pairs/"+test.file, minor("1.34"))),
			read(t, manifest(t, "pairs/"+test.file, append(edits{minor("1.34")}, test.updated...)...)),
			judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Released},
		)
		require.NoError(t, err, name)
		got := map[string]string{}
		for _, change := range plan.Pools[0].Changes {
			got[change.Path] = change.Verdict.String()
		}
		assert.Equal(t, test.want, got, name)
	}
}
