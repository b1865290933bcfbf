package gcp_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/gcp/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
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

var provider = exampletest.Provider[gcp.WorkerConfig, apis.WorkerConfig, gcp.ProviderSpec]{
	APIVersion:   gcp.APIVersion,
	Kind:         gcp.Kind,
	Schema:       gcp.Schema,
	SpecSchema:   gcp.ProviderSpecSchema,
	ToInternal:   gcp.ToInternal,
	FromInternal: gcp.FromInternal,
	Hash:         gcp.GenerateWorkerPoolHash,
	Spec:         exampletest.SpecOf(gcp.NewPool, gcp.NewProviderSpec, infrastructure()),

	Pairs: []exampletest.Pair{
		exampletest.Hot("hot", "labels, network tags and numbers on Node objects",
			"nodeTemplate.virtualCapacity[example.com/dongle]",
			"tags.disk[backup]", "tags.network[allow-ssh]", "tags.network[bastion]", "tags.vm[cost-center]"),
		exampletest.InPlace("inplace", "a stopped VM", "serviceAccount.email",
			"serviceAccount.scopes[=https://www.googleapis.com/auth/logging.write]", "tags.vm[cost-center]"),
		exampletest.Immutable("immutable", "needs new machines",
			"bootVolume.provisionedIops", "bootVolume.provisionedThroughput", "dataVolumes[name=kubelet-dir].storagePool"),
		exampletest.Nothing("equal", "neither order means anything"),
	},
	Eras:       []string{"1.34.0", "1.35.0"},
	Unreached:  []string{"nodeTemplate"}, // for the autoscaler
	HotMembers: map[string]any{"/labels/team": "red", "/tags": []string{"red"}, "/resourceTags/disk/team": "red"},
}

func infrastructure() *gcp.Infrastructure {
	return &gcp.Infrastructure{
		Cluster: "shoot--p--s", Region: "europe-west1", Zone: "europe-west1-b", Image: "image-1", Subnetwork: "nodes",
		ServiceAccount: "default@x",
	}
}

// TestRecordedPools: the eras of this example name pools like the releases of the extension.
func TestRecordedPools(t *testing.T) {
	exampletest.Recorded[gcp.Pool]{
		Provider: "gcp", Schema: gcp.Schema, Eras: gcp.Eras,
		NewPool: func(worker *gardener.WorkerPool, _ extensions.State) (gcp.Pool, error) {
			return gcp.NewPool(worker)
		},
	}.Check(t)
}
