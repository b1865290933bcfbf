package alicloud_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { fixedseed.Run(m) }

var provider = exampletest.Provider{
	Schema: alicloud.Schema, SpecSchema: alicloud.ProviderSpecSchema, Hash: alicloud.GenerateWorkerPoolHash, Spec: spec,
	APIVersion: alicloud.APIVersion, Kind: alicloud.Kind,
}

func infrastructure() *alicloud.Infrastructure {
	return &alicloud.Infrastructure{
		Cluster: "shoot--p--s", Region: "eu-central-1", Zone: "eu-central-1a", ImageID: "image", SecurityGroupID: "sg", VSwitchID: "vsw", KeyPairName: "key",
	}
}

func spec(worker *gardener.WorkerPool) (any, error) {
	pool, err := alicloud.NewPool(worker)
	if err != nil {
		return nil, err
	}
	return alicloud.NewProviderSpec(pool, infrastructure())
}

// TestGuarantees checks the library's guarantees on generated configs and provider specs.
func TestGuarantees(t *testing.T) {
	schema, err := alicloud.Schema()
	require.NoError(t, err)
	hotupdatetest.Check[alicloud.WorkerConfig](t, hotupdatetest.WithSchema(schema))
	hotupdatetest.Check[alicloud.ProviderSpec](t)
}

// TestGolden keeps the hashes of this release. A failure says what the change would do to a fleet.
func TestGolden(t *testing.T) {
	schema, err := alicloud.Schema()
	require.NoError(t, err)
	hotupdatetest.Golden[alicloud.WorkerConfig](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(schema), update)
	hotupdatetest.Golden[alicloud.ProviderSpec](t, "testdata/providerspec.golden.json", update)
}

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, alicloud.ToInternal, alicloud.FromInternal)
}

func TestPairs(t *testing.T) {
	provider.CheckPairs(t, []exampletest.Pair{
		exampletest.Hot("hot", "tags and numbers on Node objects", "nodeTemplate.virtualCapacity[example.com/dongle]", "tags.vm[cost-center]"),
		exampletest.Immutable("immutable", "new nodes only", "nodeTemplate.capacity[cpu]", "tags.vm[cost-center]").AndSpec(hotupdate.Hot),
		exampletest.Nothing("equal", "equal in meaning"),
	})
}

func TestHotIsFree(t *testing.T) {
	exampletest.CheckHotIsFree(t, &provider, exampletest.Filled[alicloud.WorkerConfig](t), "1.36.0", exampletest.Canonical)
}

// TestReach also compares empty objects with absent ones. It leaves out the fields for the autoscaler.
func TestReach(t *testing.T) {
	provider.CheckReach(t, exampletest.Filled[alicloud.WorkerConfig](t), "nodeTemplate")
}
