//go:build ignore

package main

import (
	azureapi "github.com/gardener/gardener-extension-provider-azure/pkg/apis/azure"
	"github.com/gardener/gardener-extension-provider-azure/pkg/controller/worker"
)

// dataBy calls the function for the config, which is exported from v1.60 on.
func dataBy(config func(asked) (*azureapi.WorkerConfig, error)) func(asked) ([]string, error) {
	return func(a asked) ([]string, error) {
		c, err := config(a)
		if err != nil {
			return nil, err
		}
		return worker.WorkerPoolHashDataV2(a.WorkerPool, c)
	}
}

// seldom is empty: the command compares all pools.
var seldom []string
