package alicloud_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/alicloud/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
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

var provider = exampletest.Provider[alicloud.WorkerConfig, apis.WorkerConfig, alicloud.ProviderSpec]{
	APIVersion:   alicloud.APIVersion,
	Kind:         alicloud.Kind,
	Schema:       alicloud.Schema,
	SpecSchema:   alicloud.ProviderSpecSchema,
	ToInternal:   alicloud.ToInternal,
	FromInternal: alicloud.FromInternal,
	Hash:         alicloud.GenerateWorkerPoolHash,
	Spec:         exampletest.SpecOf(alicloud.NewPool, alicloud.NewProviderSpec, infrastructure()),

	Pairs: []exampletest.Pair{
		exampletest.Hot("hot", "tags and numbers on Node objects",
			"nodeTemplate.virtualCapacity[example.com/dongle]", "tags.vm[cost-center]"),
		exampletest.Immutable("immutable", "new nodes only",
			"nodeTemplate.capacity[cpu]", "tags.vm[cost-center]").AndSpec(hotupdate.Hot),
		exampletest.Nothing("equal", "equal in meaning"),
	},
	Eras:       []string{"1.36.0"},
	Unreached:  []string{"nodeTemplate"}, // for the autoscaler
	HotMembers: map[string]any{"/tags/team": "red", "/resourceTags/vm/team": "red"},
}

func infrastructure() *alicloud.Infrastructure {
	return &alicloud.Infrastructure{
		Cluster: "shoot--p--s", Region: "eu-central-1", Zone: "eu-central-1a", ImageID: "image", SecurityGroupID: "sg",
		VSwitchID: "vsw", KeyPairName: "key",
	}
}

// TestRecordedPools: the eras of this example name pools like the releases of the extension, whatever config these ignore.
func TestRecordedPools(t *testing.T) {
	exampletest.Recorded[alicloud.Pool]{
		Provider: "alicloud", Schema: alicloud.Schema, Eras: alicloud.Eras,
		NewPool: func(worker *gardener.WorkerPool, _ extensions.State) (alicloud.Pool, error) {
			return alicloud.NewPool(worker)
		},
	}.Check(t)
}
