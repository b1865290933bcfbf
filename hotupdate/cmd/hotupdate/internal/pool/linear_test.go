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

// TestComparingAllocatesLinearly: a difference of a config is sought among all changes, without
// allocations: 8,000 took 39 seconds.
func TestComparingAllocatesLinearly(t *testing.T) {
	schema, err := aws.Schema()
	require.NoError(t, err)
	options := judge.Options{Providers: extensions.All(), Schema: func(facts.TypeMeta) *hotupdate.Schema { return schema }}
	comparing := func(n int) float64 {
		var sides []facts.Pool
		for _, value := range []string{"1", "2"} {
			var capacity []string
			for i := range n {
				capacity = append(capacity, fmt.Sprintf(`"resource%06d":"%s"`, i, value))
			}
			m, err := facts.Read(tree.Of([]byte(`{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":"w"},"spec":{"type":"aws","pools":[{"name":"p",
				"machineType":"m","providerConfig":{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig",
				"nodeTemplate":{"capacity":{` + strings.Join(capacity, ",") + `}}}}]}}`)))
			require.NoError(t, err)
			sides = append(sides, m.Pools[0])
		}
		return testing.AllocsPerRun(1, func() {
			_, err := judge.Compare(sides[0], sides[1], options)
			require.NoError(t, err)
		})
	}
	require.Less(t, comparing(400), 3*comparing(200))
}
