package azure_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { fixedseed.Run(m) }

var provider = exampletest.Provider{
	Schema: azure.Schema, SpecSchema: azure.ProviderSpecSchema, Hash: name, Spec: spec,
	APIVersion: azure.APIVersion, Kind: azure.Kind,
}

func infrastructure() *azure.Infrastructure {
	return &azure.Infrastructure{
		Cluster: "shoot--p--s", Location: "westeurope", ResourceGroup: "group", VNet: "net", Subnet: "nodes", ImageURN: "a:b:c:d",
	}
}

// name hashes a pool whose zones share a subnet.
func name(worker *gardener.WorkerPool) (hash.Name, error) {
	return azure.GenerateWorkerPoolHash(worker, azure.Zone{})
}

func spec(worker *gardener.WorkerPool) (any, error) {
	pool, err := azure.NewPool(worker, azure.Zone{})
	if err != nil {
		return nil, err
	}
	return azure.NewProviderSpec(pool, infrastructure())
}

// TestGuarantees checks the library's guarantees on generated configs and provider specs.
func TestGuarantees(t *testing.T) {
	schema, err := azure.Schema()
	require.NoError(t, err)
	hotupdatetest.Check[azure.WorkerConfig](t, hotupdatetest.WithSchema(schema))
	hotupdatetest.Check[azure.ProviderSpec](t)
}

// TestGolden keeps the hashes of this release. A failure says what the change would do to a fleet.
func TestGolden(t *testing.T) {
	schema, err := azure.Schema()
	require.NoError(t, err)
	hotupdatetest.Golden[azure.WorkerConfig](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(schema), update)
	hotupdatetest.Golden[azure.ProviderSpec](t, "testdata/providerspec.golden.json", update)
}

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, azure.ToInternal, azure.FromInternal)
}

func TestPairs(t *testing.T) {
	provider.CheckPairs(t, []exampletest.Pair{
		exampletest.Hot("hot", "tags and numbers on Node objects", "nodeTemplate.virtualCapacity[example.com/dongle]",
			"tags.disk[backup]", "tags.network[owner]", "tags.vm[cost-center]"),
		exampletest.Immutable("immutable", "needs new machines", "dataVolumes[name=kubelet-dir].imageRef.id",
			"dataVolumes[name=kubelet-dir].imageRef.sharedGalleryImageID", "diagnosticsProfile.storageURI"),
		exampletest.Nothing("equal", "the order means nothing, and off is as good as absent"),
	})
}

func TestHotIsFree(t *testing.T) {
	exampletest.CheckHotIsFree(t, &provider, exampletest.Filled[azure.WorkerConfig](t), "1.34.0", "1.35.0", exampletest.Canonical)
}

// TestReach also compares empty objects with absent ones. It leaves out the fields for the autoscaler.
func TestReach(t *testing.T) {
	config := exampletest.Filled[azure.WorkerConfig](t)
	config.DataVolumes[0].Name, config.DataVolumes[1].Name = "kubelet-dir", "b"
	provider.CheckReach(t, config, "nodeTemplate")
}
