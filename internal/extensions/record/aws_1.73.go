//go:build ignore

package main

import (
	awsapi "github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws"
	worker "github.com/gardener/gardener-extension-provider-aws/pkg/controller/worker"
	extensionscontroller "github.com/gardener/gardener/extensions/pkg/controller"
	"github.com/gardener/gardener/extensions/pkg/controller/worker/genericactuator"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
)

func delegateOf(
	decoder runtime.Decoder, scheme *runtime.Scheme, w *extensionsv1alpha1.Worker,
	cluster *extensionscontroller.Cluster,
) (genericactuator.WorkerDelegate, error) {
	return worker.NewWorkerDelegate(userData{}, decoder, scheme, "", w, cluster)
}

func hashData(pool extensionsv1alpha1.WorkerPool, config *awsapi.WorkerConfig) ([]string, error) {
	return worker.ComputeAdditionalHashDataV2(pool, config)
}

// seldom is empty: the command compares all pools.
var seldom []string
