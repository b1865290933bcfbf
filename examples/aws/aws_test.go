package aws_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
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

var provider = exampletest.Provider[aws.WorkerConfig, apis.WorkerConfig, aws.ProviderSpec]{
	APIVersion:     aws.APIVersion,
	Kind:           aws.Kind,
	Schema:         aws.Schema,
	SpecSchema:     aws.ProviderSpecSchema,
	RawBytesSchema: aws.ReleasedSchema,
	ToInternal:     aws.ToInternal,
	FromInternal:   aws.FromInternal,
	Hash:           aws.GenerateWorkerPoolHash,
	Spec:           exampletest.SpecOf(aws.NewPool, aws.NewProviderSpec, infrastructure()),

	Pairs: []exampletest.Pair{
		exampletest.Hot(".", "the example of the proposal",
			"tags.network[key3]", "tags.network[key4]", "tags.vm[key1]", "tags.vm[key2]"),
		exampletest.Hot("capacity", "on Node objects; the driver has no part in it",
			"nodeTemplate.virtualCapacity[example.com/dongle]").SpecStays(),
		exampletest.Hot("performance", "ModifyVolume and ModifyInstanceMetadataOptions",
			"dataVolumes[name=kubelet-dir].throughput", "instanceMetadataOptions.httpTokens", "volume.iops"),
		exampletest.Immutable("immutable", "amdSevSnp needs new machines",
			"cpuOptions.amdSevSnp", "dataVolumes[name=kubelet-dir].throughput", "volume.iops"),
		exampletest.Nothing("equal", "written anew, and a default written out"),
	},
	Eras: []string{"1.33.0", "1.34.0"},
	RemoveBecameHot: func(config *aws.WorkerConfig) { // see TestBecameHot
		config.Volume = nil
		config.InstanceMetadataOptions = nil
		for i := range config.DataVolumes {
			config.DataVolumes[i].Volume = aws.Volume{}
		}
	},
	Unreached: []string{
		"nodeTemplate", // for the autoscaler
		// Each interface has a range of cards, which replaces the card.
		"networkInterfaces[0].networkCardIndex", "networkInterfaces[1].networkCardIndex",
	},
	HotMembers: map[string]any{
		"/tags/team":              "red",
		"/resourceTags/disk/team": "red",
		// The block device of a pool without data volumes has no device name.
		"/blockDevices/0/ebs/iops":                         5000,
		"/blockDevices/0/ebs/throughput":                   300,
		"/instanceMetadataOptions/httpPutResponseHopLimit": 1,
		"/srcAndDstChecksEnabled":                          true,
	},
}

func infrastructure() *aws.Infrastructure {
	return &aws.Infrastructure{
		Cluster: "shoot--p--s", Region: "eu-west-1", AMI: "ami-1", SubnetID: "subnet-1", SecurityGroupID: "sg-1",
		InstanceProfile: "nodes",
	}
}

// TestRecordedPools: the eras of this example name pools like the releases of the extension.
func TestRecordedPools(t *testing.T) {
	exampletest.Recorded[aws.Pool]{
		Provider: "aws", Schema: aws.Schema, Eras: aws.Eras,
		NewPool: func(worker *gardener.WorkerPool, _ extensions.State) (aws.Pool, error) {
			return aws.NewPool(worker)
		},
	}.Check(t)
}
