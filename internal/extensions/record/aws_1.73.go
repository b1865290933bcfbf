//go:build ignore

package main

import (
	awsapi "github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws"
	worker "github.com/gardener/gardener-extension-provider-aws/pkg/controller/worker"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
)

func hashData(pool extensionsv1alpha1.WorkerPool, config *awsapi.WorkerConfig) ([]string, error) {
	return worker.ComputeAdditionalHashDataV2(pool, config)
}
