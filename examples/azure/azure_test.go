package azure_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/azure/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
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

var provider = exampletest.Provider[azure.WorkerConfig, apis.WorkerConfig, azure.ProviderSpec]{
	APIVersion:   azure.APIVersion,
	Kind:         azure.Kind,
	Schema:       azure.Schema,
	SpecSchema:   azure.ProviderSpecSchema,
	ToInternal:   azure.ToInternal,
	FromInternal: azure.FromInternal,
	Hash: func(worker *gardener.WorkerPool) (hash.Name, error) {
		return azure.GenerateWorkerPoolHash(worker, azure.Zone{}) // its zones share a subnet
	},
	Spec: exampletest.SpecOf(func(worker *gardener.WorkerPool) (azure.Pool, error) {
		return azure.NewPool(worker, azure.Zone{})
	}, azure.NewProviderSpec, infrastructure()),

	Pairs: []exampletest.Pair{
		exampletest.Hot("hot", "tags and numbers on Node objects", "nodeTemplate.virtualCapacity[example.com/dongle]",
			"tags.disk[backup]", "tags.network[owner]", "tags.vm[cost-center]"),
		exampletest.Immutable("immutable", "needs new machines", "dataVolumes[name=kubelet-dir].imageRef.id",
			"dataVolumes[name=kubelet-dir].imageRef.sharedGalleryImageID", "diagnosticsProfile.storageURI"),
		exampletest.Nothing("equal", "the order means nothing, and off is as good as absent"),
	},
	Eras:       []string{"1.34.0", "1.35.0"},
	Unreached:  []string{"nodeTemplate"}, // for the autoscaler
	HotMembers: map[string]any{"/tags/team": "red", "/resourceTags/vm/team": "red"},
}

func infrastructure() *azure.Infrastructure {
	return &azure.Infrastructure{
		Cluster: "shoot--p--s", Location: "westeurope", ResourceGroup: "group", VNet: "net", Subnet: "nodes",
		ImageURN: "a:b:c:d",
	}
}

// TestRecordedPools: the eras of this example name pools like the releases of the extension.
func TestRecordedPools(t *testing.T) {
	exampletest.Recorded[azure.Pool]{
		Provider: "azure", Schema: azure.Schema, Eras: azure.Eras,
		NewPool: func(worker *gardener.WorkerPool, state extensions.State) (azure.Pool, error) {
			return azure.NewPool(worker, azure.Zone{
				IdentityID: state.IdentityID, AvailabilitySet: state.AvailabilitySet, Subnet: state.Subnet,
			})
		},
	}.Check(t)
}
