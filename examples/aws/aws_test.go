package aws_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { fixedseed.Run(m) }

var provider = exampletest.Provider{
	Schema: aws.Schema, SpecSchema: aws.ProviderSpecSchema, Hash: aws.GenerateWorkerPoolHash, Spec: spec,
	APIVersion: aws.APIVersion, Kind: aws.Kind,
}

func infrastructure() *aws.Infrastructure {
	return &aws.Infrastructure{
		Cluster: "shoot--p--s", Region: "eu-west-1", AMI: "ami-1", SubnetID: "subnet-1", SecurityGroupID: "sg-1", InstanceProfile: "nodes",
	}
}

func spec(worker *gardener.WorkerPool) (any, error) {
	pool, err := aws.NewPool(worker)
	if err != nil {
		return nil, err
	}
	return aws.NewProviderSpec(pool, infrastructure())
}

// TestGuarantees checks the library's guarantees on generated configs and provider specs.
func TestGuarantees(t *testing.T) {
	schema, err := aws.Schema()
	require.NoError(t, err)
	hotupdatetest.Check[aws.WorkerConfig](t, hotupdatetest.WithSchema(schema))
	hotupdatetest.Check[aws.ProviderSpec](t)
}

// TestGolden keeps the hashes of this release. A failure says what the change would do to a fleet.
func TestGolden(t *testing.T) {
	schema, err := aws.Schema()
	require.NoError(t, err)
	hotupdatetest.Golden[aws.WorkerConfig](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(schema), update)
	hotupdatetest.Golden[aws.ProviderSpec](t, "testdata/providerspec.golden.json", update)
}

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, aws.ToInternal, aws.FromInternal)
}

func TestHotIsFree(t *testing.T) {
	config := exampletest.Filled[aws.WorkerConfig](t)
	exampletest.CheckHotIsFree(t, &provider, config, exampletest.Canonical)
	config.Volume, config.InstanceMetadataOptions = nil, nil // these are hashed in older eras, see TestBecameHot
	for i := range config.DataVolumes {
		config.DataVolumes[i].Volume = aws.Volume{}
	}
	exampletest.CheckHotIsFree(t, &provider, config, "1.33.0", "1.34.0", exampletest.Canonical)
}

// TestReach also compares empty objects with absent ones. It leaves out the fields for the autoscaler, and the network card of an interface with a
// range of cards.
func TestReach(t *testing.T) {
	config := exampletest.Filled[aws.WorkerConfig](t)
	config.DataVolumes[0].Name, config.DataVolumes[1].Name = "kubelet-dir", "b"
	provider.CheckReach(t, config, "nodeTemplate", "networkInterfaces[0].networkCardIndex", "networkInterfaces[1].networkCardIndex")
}
