package openstack_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/examples/openstack/internal/apis"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }

// TestProvider runs the checks that are the same for all providers.
func TestProvider(t *testing.T) {
	provider.Test(t, update)
}

var provider = exampletest.Provider[openstack.WorkerConfig, apis.WorkerConfig, openstack.ProviderSpec]{
	APIVersion:   openstack.APIVersion,
	Kind:         openstack.Kind,
	Schema:       openstack.Schema,
	SpecSchema:   openstack.ProviderSpecSchema,
	ToInternal:   openstack.ToInternal,
	FromInternal: openstack.FromInternal,
	Hash: func(worker *gardener.WorkerPool) (hash.Name, error) {
		return openstack.GenerateWorkerPoolHash(worker, nil) // without a server group
	},
	Spec: exampletest.SpecOf(func(worker *gardener.WorkerPool) (openstack.Pool, error) {
		return openstack.NewPool(worker, nil)
	}, openstack.NewProviderSpec, infrastructure()),

	Pairs: []exampletest.Pair{
		exampletest.Hot("hot", "unflagged labels and tags", "machineLabels[name=cost-center].value",
			"machineLabels[name=team].value", "tags.disk[backup]"),
		exampletest.Nothing("ignored", "for the autoscaler", "nodeTemplate.capacity[cpu]", "nodeTemplate.capacity[memory]"),
		exampletest.Immutable("immutable", "needs new machines", "additionalSecurityGroups[=bastion]"),
		exampletest.Immutable("flagged", "the owner asked for it",
			"machineLabels[name=license].value", "machineLabels[name=team].triggerRollingOnUpdate").AndSpec(hotupdate.Hot),
		exampletest.Nothing("equal", "neither order means anything"),
	},
	Eras: []string{"1.36.0"},
	Unreached: []string{
		"nodeTemplate", // for the autoscaler
		"serverGroup",  // made by the extension, before the machines
	},
	AdjustReach: func(config *openstack.WorkerConfig) {
		// The flag is only for the extension, where it makes the label immutable. For the driver all labels are hot.
		for i := range config.Labels {
			config.Labels[i].TriggerRollingOnUpdate = false
		}
	},
	HotMembers: map[string]any{"/spec/tags/team": "red", "/spec/resourceTags/vm/team": "red"},
}

func infrastructure() *openstack.Infrastructure {
	return &openstack.Infrastructure{
		Cluster: "shoot--p--s", Region: "eu", Zone: "eu-1", ImageID: "image", KeyName: "key", SecurityGroup: "nodes",
		NetworkID: "net", PodNetwork: "100.96.0.0/11",
	}
}

// TestRecordedPools: the eras of this example name pools like the releases of the extension.
func TestRecordedPools(t *testing.T) {
	exampletest.Recorded[openstack.Pool]{
		Provider: "openstack", Schema: openstack.Schema, Eras: openstack.Eras,
		NewPool: func(worker *gardener.WorkerPool, state extensions.State) (openstack.Pool, error) {
			return openstack.NewPool(worker, state.ServerGroupID)
		},
	}.Check(t)
}
