package aws_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

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

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, aws.ToInternal, aws.FromInternal)
}

func TestTriggers(t *testing.T) {
	provider.CheckTriggers(t, "aws", "1.33.0", "1.34.0", exampletest.Canonical)
}
