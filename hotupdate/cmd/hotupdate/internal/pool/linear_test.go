package pool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestComparingAllocatesLinearly: no change costs more for the other changes. A difference of a config was sought
// among all changes: 8,000 took 39 seconds. The extension was asked about all data volumes for each of them: 4,000
// took 24 seconds.
func TestComparingAllocatesLinearly(t *testing.T) {
	schema, err := aws.Schema()
	require.NoError(t, err)
	options := judge.Options{Providers: extensions.All(), Schema: func(facts.TypeMeta) *hotupdate.Schema { return schema }}
	for what, part := range map[string]struct{ around, each string }{
		"capacity": {
			`"providerConfig":{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig","nodeTemplate":{"capacity":{%s}}}`,
			`"resource%06d":"%s"`,
		},
		"data volumes":     {`"dataVolumes":[%s]`, `{"name":"volume%06d","size":"%s0Gi","type":"gp3"}`},
		"one name for all": {`"dataVolumes":[%s]`, `{"name":"volume","type":"t%06d","size":"%s0Gi"}`},
	} {
		t.Run(what, func(t *testing.T) {
			comparing := func(n int) float64 {
				var sides []facts.Pool
				for _, value := range []string{"1", "2"} {
					var parts []string
					for i := range n {
						parts = append(parts, fmt.Sprintf(part.each, i, value))
					}
					m, err := facts.Read(tree.Of([]byte(`{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":"w"},
						"spec":{"type":"aws","pools":[{"name":"p","machineType":"m","kubernetesVersion":"1.32.1",` +
						fmt.Sprintf(part.around, strings.Join(parts, ",")) + `}]}}`)))
					require.NoError(t, err)
					sides = append(sides, m.Pools[0])
				}
				return testing.AllocsPerRun(1, func() {
					compared, err := comparePools(sides[0], sides[1], options)
					require.NoError(t, err)
					require.GreaterOrEqual(t, len(compared.Changes), n)
				})
			}
			require.Less(t, comparing(400), 3*comparing(200))
		})
	}
}
