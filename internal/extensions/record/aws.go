//go:build ignore

package main

import (
	awsapi "github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws"
	"github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws/install"
	"github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws/v1alpha1"
	"github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws/validation"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const awsVersion = `"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":`

func newExtension() *extension {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	config := func(a asked) (*awsapi.WorkerConfig, error) {
		c := &awsapi.WorkerConfig{}
		if a.ProviderConfig == nil {
			return c, nil
		}
		_, _, err := decoder.Decode(a.ProviderConfig.Raw, nil, c)
		return c, err
	}
	return &extension{
		provider: "aws", config: v1alpha1.WorkerConfig{},
		values: map[string][]string{
			"config.instanceMetadataOptions.httpTokens": {`"required"`, `"optional"`},
			"config.networkInterfaces[].type":           {`"interface"`, `"efa"`, `""`},
			"config.networkInterfaces[].deviceIndex":    {`0`, `1`, `2`},
			"config.instanceMarketOptions.marketType":   {`"spot"`, `"capacity-block"`},
			"config.placement.tenancy":                  {`"host"`, `"dedicated"`, `"default"`},
			"config.iamInstanceProfile.name":            {`"my-profile"`, `"host"`},
			"config.iamInstanceProfile.arn":             {`"arn:aws:iam::1:instance-profile/p"`, `"host"`},
		},
		configEdits: 6, seldom: seldom,
		mostly: []string{"config.cpuOptions.coreCount", "config.cpuOptions.threadsPerCore"},
		facts:  factsOfShoots(),
		classes: func(a asked) ([]string, error) {
			cluster := a.cluster(awsProfile + images(awsImage) + `]}`)
			delegate, err := delegateOf(decoder, scheme, a.worker("aws", awsInfrastructure, ""), cluster)
			return classes(delegate, err)
		},
		data: func(a asked) ([]string, error) {
			c, err := config(a)
			if err != nil {
				return nil, err
			}
			return hashData(a.WorkerPool, c)
		},
		admit: func(a asked) (field.ErrorList, error) {
			c, err := config(a)
			if err != nil {
				return nil, err
			}
			w := coreWorker(a)
			return validation.ValidateWorkerConfig(c, w.Volume, w.DataVolumes, field.NewPath("providerConfig")), nil
		},
		update: func(old, updated []core.Worker) field.ErrorList {
			return validation.ValidateWorkersUpdate(old, updated, field.NewPath("workers"))
		},
	}
}

const (
	awsInfrastructure = `{` + awsVersion + `"InfrastructureStatus","ec2":{"keyName":"key"},
		"iam":{"instanceProfiles":[{"purpose":"nodes","name":"n"}],"roles":[]},
		"vpc":{"id":"v","subnets":[{"purpose":"nodes","id":"1","zone":"1"},{"purpose":"nodes","id":"2",
			"zone":"2"},{"purpose":"nodes","id":"3","zone":"3"}],
		"securityGroups":[{"purpose":"nodes","id":"g"}]}}`
	awsProfile = `{` + awsVersion + `"CloudProfileConfig","machineImages":[`
	awsImage   = `{"version":"VERSION","regions":[{"name":"region","ami":"ami","architecture":"ARCH"}]}`
)
