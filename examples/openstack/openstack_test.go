package openstack_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { fixedseed.Run(m) }

var provider = exampletest.Provider{
	Schema: openstack.Schema, SpecSchema: openstack.ProviderSpecSchema, Hash: name, Spec: spec,
	APIVersion: openstack.APIVersion, Kind: openstack.Kind,
}

func infrastructure() *openstack.Infrastructure {
	return &openstack.Infrastructure{
		Cluster: "shoot--p--s", Region: "eu", Zone: "eu-1", ImageID: "image", KeyName: "key", SecurityGroup: "nodes", NetworkID: "net", PodNetwork: "100.96.0.0/11",
	}
}

// name hashes a pool without a server group.
func name(worker *gardener.WorkerPool) (hash.Name, error) {
	return openstack.GenerateWorkerPoolHash(worker, nil)
}

func spec(worker *gardener.WorkerPool) (any, error) {
	pool, err := openstack.NewPool(worker, nil)
	if err != nil {
		return nil, err
	}
	return openstack.NewProviderSpec(pool, infrastructure())
}

// TestGuarantees checks the library's guarantees on generated configs and provider specs.
func TestGuarantees(t *testing.T) {
	schema, err := openstack.Schema()
	require.NoError(t, err)
	hotupdatetest.Check[openstack.WorkerConfig](t, hotupdatetest.WithSchema(schema))
	hotupdatetest.Check[openstack.ProviderSpec](t)
}

// TestGolden keeps the hashes of this release. A failure says what the change would do to a fleet.
func TestGolden(t *testing.T) {
	schema, err := openstack.Schema()
	require.NoError(t, err)
	hotupdatetest.Golden[openstack.WorkerConfig](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(schema), update)
	hotupdatetest.Golden[openstack.ProviderSpec](t, "testdata/providerspec.golden.json", update)
}

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, openstack.ToInternal, openstack.FromInternal)
}

func TestPairs(t *testing.T) {
	provider.CheckPairs(t, []exampletest.Pair{
		exampletest.Hot("hot", "unflagged labels and tags", "machineLabels[name=cost-center].value",
			"machineLabels[name=team].value", "tags.disk[backup]"),
		exampletest.Nothing("ignored", "for the autoscaler", "nodeTemplate.capacity[cpu]", "nodeTemplate.capacity[memory]"),
		exampletest.Immutable("immutable", "needs new machines", "additionalSecurityGroups[=bastion]"),
		exampletest.Immutable("flagged", "the owner asked for it", "machineLabels[name=license].value", "machineLabels[name=team].triggerRollingOnUpdate").
			AndSpec(hotupdate.Hot),
		exampletest.Nothing("equal", "neither order means anything"),
	})
}

func TestHotIsFree(t *testing.T) {
	exampletest.CheckHotIsFree(t, &provider, exampletest.Filled[openstack.WorkerConfig](t), "1.36.0", exampletest.Canonical)
}

// TestReach also compares empty objects with absent ones. It leaves out the fields for the autoscaler, the server group, which the extension makes
// before, and the flag, which is only for the extension: for the driver all labels are hot.
func TestReach(t *testing.T) {
	config := exampletest.Filled[openstack.WorkerConfig](t)
	config.Labels[0].TriggerRollingOnUpdate, config.Labels[1].TriggerRollingOnUpdate = false, false
	provider.CheckReach(t, config, "nodeTemplate", "serverGroup", "machineLabels[0].triggerRollingOnUpdate", "machineLabels[1].triggerRollingOnUpdate")
}
