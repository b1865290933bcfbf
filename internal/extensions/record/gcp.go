//go:build ignore

package main

import (
	gcpapi "github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/install"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/v1alpha1"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/validation"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/controller/worker"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	gcpVersion        = `"apiVersion":"gcp.provider.extensions.gardener.cloud/v1alpha1","kind":`
	gcpInfrastructure = `{` + gcpVersion + `"InfrastructureStatus","serviceAccountEmail":"e",
		"networks":{"vpc":{"name":"v"},"subnets":[{"purpose":"nodes","name":"n"}]}}`
)

func newExtension() *extension {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	config := func(a asked) (*gcpapi.WorkerConfig, error) {
		c := &gcpapi.WorkerConfig{}
		if a.ProviderConfig == nil {
			return c, nil
		}
		_, _, err := decoder.Decode(a.ProviderConfig.Raw, nil, c)
		return c, err
	}
	return &extension{
		provider: "gcp", config: v1alpha1.WorkerConfig{},
		values: map[string][]string{
			"pool.volume.type":        {`"pd-ssd"`, `"hyperdisk-balanced"`},
			"pool.dataVolumes[].type": {`"pd-ssd"`, `"hyperdisk-balanced"`, `"SCRATCH"`},
			"config.volume.interface": {`"NVME"`, `"SCSI"`, `""`},
		},
		// Releases panic (nil pointer) without the name of a key and, up to v1.49, without the type of a
		// volume, which admission requires.
		configEdits: 6, seldom: seldom,
		mostly: []string{"config.volume.encryption.kmsKeyName", "pool.volume.type", "pool.dataVolumes[].type"},
		facts:  factsOfShoots(),
		classes: func(a asked) ([]string, error) {
			delegate, err := worker.NewWorkerDelegate(
				userData{},
				scheme,
				nil,
				"",
				a.worker("gcp", gcpInfrastructure, ""),
				a.cluster(
					`{`+gcpVersion+`"CloudProfileConfig","machineImages":[`+images(
						`{"version":"VERSION","image":"image","architecture":"ARCH"}`,
					)+`]}`,
				),
			)
			return classes(delegate, err)
		},
		data: dataBy(config),
		admit: func(a asked) (field.ErrorList, error) {
			c, err := config(a)
			if err != nil {
				return nil, err
			}
			return admitted(c, coreWorker(a)), nil
		},
		update: func(old, updated []core.Worker) field.ErrorList {
			return validation.ValidateWorkersUpdate(old, updated, field.NewPath("workers"))
		},
	}
}
