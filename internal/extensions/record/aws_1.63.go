//go:build ignore

package main

import (
	awsapi "github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws"
	worker "github.com/gardener/gardener-extension-provider-aws/pkg/controller/worker"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
)

// hashData is the function up to v1.65, which hashes the bytes of the config.
func hashData(pool extensionsv1alpha1.WorkerPool, _ *awsapi.WorkerConfig) ([]string, error) {
	return worker.ComputeAdditionalHashDataV2(pool), nil
}
