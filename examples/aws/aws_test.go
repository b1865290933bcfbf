package aws_test

import (
	"testing"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
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

func TestConversion(t *testing.T) {
	exampletest.CheckConversion(t, &provider, aws.ToInternal, aws.FromInternal)
}
