package gcp_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { fixedseed.Run(m) }

var provider = exampletest.Provider{
	Schema: gcp.Schema, SpecSchema: gcp.ProviderSpecSchema, Hash: gcp.GenerateWorkerPoolHash, Spec: spec,
	APIVersion: gcp.APIVersion, Kind: gcp.Kind,
}

func infrastructure() *gcp.Infrastructure {
	return &gcp.Infrastructure{
		Cluster: "shoot--p--s", Region: "europe-west1", Zone: "europe-west1-b", Image: "image-1", Subnetwork: "nodes", ServiceAccount: "default@x",
	}
}

func spec(worker *gardener.WorkerPool) (any, error) {
	pool, err := gcp.NewPool(worker)
	if err != nil {
		return nil, err
	}
	return gcp.NewProviderSpec(pool, infrastructure())
}

// TestGuarantees checks the library's guarantees on generated configs and provider specs.
func TestGuarantees(t *testing.T) {
	schema, err := gcp.Schema()
	require.NoError(t, err)
	hotupdatetest.Check[gcp.WorkerConfig](t, hotupdatetest.WithSchema(schema))
	hotupdatetest.Check[gcp.ProviderSpec](t)
}

// TestGolden keeps the hashes of this release. A failure says what the change would do to a fleet.
func TestGolden(t *testing.T) {
	schema, err := gcp.Schema()
	require.NoError(t, err)
	hotupdatetest.Golden[gcp.WorkerConfig](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(schema), update)
	hotupdatetest.Golden[gcp.ProviderSpec](t, "testdata/providerspec.golden.json", update)
}

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, gcp.ToInternal, gcp.FromInternal)
}

func TestPairs(t *testing.T) {
	provider.CheckPairs(t, []exampletest.Pair{
		exampletest.Hot("hot", "labels, network tags and numbers on Node objects", "nodeTemplate.virtualCapacity[example.com/dongle]",
			"tags.disk[backup]", "tags.network[allow-ssh]", "tags.network[bastion]", "tags.vm[cost-center]"),
		exampletest.InPlace("inplace", "a stopped VM", "serviceAccount.email", "serviceAccount.scopes[=https://www.googleapis.com/auth/logging.write]", "tags.vm[cost-center]"),
		exampletest.Immutable("immutable", "needs new machines",
			"bootVolume.provisionedIops", "bootVolume.provisionedThroughput", "dataVolumes[name=kubelet-dir].storagePool"),
		exampletest.Nothing("equal", "neither order means anything"),
	})
}

func TestHotIsFree(t *testing.T) {
	exampletest.CheckHotIsFree(t, &provider, exampletest.Filled[gcp.WorkerConfig](t), "1.34.0", "1.35.0", exampletest.Canonical)
}

// TestReach also compares empty objects with absent ones. It leaves out the fields for the autoscaler.
func TestReach(t *testing.T) {
	config := exampletest.Filled[gcp.WorkerConfig](t)
	config.DataVolumes[0].Name, config.DataVolumes[1].Name = "kubelet-dir", "b"
	provider.CheckReach(t, config, "nodeTemplate")
}
