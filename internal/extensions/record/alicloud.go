//go:build ignore

package main

import (
	"github.com/gardener/gardener-extension-provider-alicloud/pkg/apis/alicloud/install"
	"github.com/gardener/gardener-extension-provider-alicloud/pkg/apis/alicloud/validation"
	worker "github.com/gardener/gardener-extension-provider-alicloud/pkg/controller/worker"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	alicloudVersion        = `"apiVersion":"alicloud.provider.extensions.gardener.cloud/v1alpha1","kind":`
	alicloudInfrastructure = `{` + alicloudVersion + `"InfrastructureStatus","keyPairName":"k",
		"vpc":{"id":"v","securityGroups":[{"purpose":"nodes","id":"g"}],
		"vswitches":[{"purpose":"nodes","id":"1","zone":"1"},{"purpose":"nodes","id":"2",
			"zone":"2"},{"purpose":"nodes","id":"3","zone":"3"}]},
		"machineImages":[{"name":"os","version":"1.0.0","id":"i","encrypted":true},{"name":"os",
			"version":"1.1.0","id":"i","encrypted":true},
		{"name":"suse","version":"1.0.0","id":"i","encrypted":true},{"name":"suse","version":"1.1.0",
			"id":"i","encrypted":true}]}`
)

// newExtension has no config: the extension has no type for it, and ignores what a pool has. Pools
// get one of a few texts.
func newExtension() *extension {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	return &extension{
		provider: "alicloud",
		values: map[string][]string{
			"pool.dataVolumes[].type": {`"cloud_ssd"`, `"cloud_essd"`},
			"pool.volume.type":        {`"cloud_ssd"`, `"cloud_essd"`},
		},
		facts: factsOfShoots(),
		classes: func(a asked) ([]string, error) {
			delegate, err := worker.NewWorkerDelegate(
				userData{},
				decoder,
				scheme,
				nil,
				"",
				a.worker("alicloud", alicloudInfrastructure, ""),
				a.cluster(
					`{`+alicloudVersion+`"CloudProfileConfig","machineImages":[`+images(
						`{"version":"VERSION","regions":[{"name":"region","id":"i"}]}`,
					)+`]}`,
				),
			)
			return classes(delegate, err)
		},
		update: func(old, updated []core.Worker) field.ErrorList {
			return validation.ValidateWorkersUpdate(old, updated, field.NewPath("workers"))
		},
	}
}
