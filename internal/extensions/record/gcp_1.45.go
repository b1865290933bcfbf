//go:build ignore

package main

import (
	gcpapi "github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp"
	"github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/validation"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// dataBy returns nil: up to v1.49 the function for the config is not exported.
func dataBy(func(asked) (*gcpapi.WorkerConfig, error)) func(asked) ([]string, error) { return nil }

// admitted is the validation of configs of v1.45.
func admitted(config *gcpapi.WorkerConfig, w core.Worker) field.ErrorList {
	return validation.ValidateWorkerConfig(config, w.DataVolumes)
}

// seldom has virtual capacity: releases without a list hash it, and today's release does not.
var seldom = []string{"config.nodeTemplate.virtualCapacity"}
