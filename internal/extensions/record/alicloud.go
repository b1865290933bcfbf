//go:build ignore

package main

import (
	alicloudapi "github.com/gardener/gardener-extension-provider-alicloud/pkg/apis/alicloud"
	"github.com/gardener/gardener-extension-provider-alicloud/pkg/apis/alicloud/install"
	"github.com/gardener/gardener-extension-provider-alicloud/pkg/apis/alicloud/validation"
	worker "github.com/gardener/gardener-extension-provider-alicloud/pkg/controller/worker"
	"github.com/gardener/gardener/pkg/apis/core"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
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

// ignoredConfig is a config that a pool may have. The extension has no type for it and ignores it,
// and its admission accepts any config. Gardener's hash of pools without a node-agent secret
// includes the bytes of the config. The members are those that the example for Alibaba Cloud has
// after adoption.
type ignoredConfig struct {
	NodeTemplate *extensionsv1alpha1.NodeTemplate `json:"nodeTemplate,omitempty"`
	Tags         *struct {
		VM      map[string]string `json:"vm,omitempty"`
		Network map[string]string `json:"network,omitempty"`
		Disk    map[string]string `json:"disk,omitempty"`
	} `json:"tags,omitempty"`
}

// newExtension is the same for all recorded releases.
func newExtension() *extension {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	return &extension{
		provider: "alicloud", config: ignoredConfig{},
		values: map[string][]string{
			"pool.dataVolumes[].type": {`"cloud_ssd"`, `"cloud_essd"`},
			"pool.volume.type":        {`"cloud_ssd"`, `"cloud_essd"`},
			"pool.dataVolumes[].name": {`"aa"`, `"bb"`, `"kubelet-dir"`, `"zz"`, `"b"`, `"BB"`},
		},
		configEdits: 2,
		facts:       factsOfShoots(),
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
		admit: func(a asked) (field.ErrorList, error) {
			zones := []alicloudapi.Zone{{Name: "1"}, {Name: "2"}, {Name: "3"}}
			return validation.ValidateWorkers([]core.Worker{coreWorker(a)}, zones, field.NewPath("workers")), nil
		},
		update: func(old, updated []core.Worker) field.ErrorList {
			return validation.ValidateWorkersUpdate(old, updated, field.NewPath("workers"))
		},
	}
}
