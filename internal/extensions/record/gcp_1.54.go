//go:build ignore

package main

import (
	gcpapi "github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/validation"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/controller/worker"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// dataBy calls the function for the config, which is exported from v1.50 on.
func dataBy(config func(asked) (*gcpapi.WorkerConfig, error)) func(asked) ([]string, error) {
	return func(a asked) ([]string, error) {
		c, err := config(a)
		if err != nil {
			return nil, err
		}
		return worker.WorkerPoolHashDataV2(a.WorkerPool, c)
	}
}

// admitted is the validation of configs.
func admitted(config *gcpapi.WorkerConfig, w core.Worker) field.ErrorList {
	return validation.ValidateWorkerConfig(*config, w.DataVolumes, w.Volume, field.NewPath("providerConfig"))
}

// seldom is empty: the command compares all pools.
var seldom []string
