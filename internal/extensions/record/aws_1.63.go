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
	return worker.NewWorkerDelegate(userData{}, decoder, scheme, nil, "", w, cluster)
}

// hashData is the function of releases up to v1.65, which hashes the bytes of the config.
func hashData(pool extensionsv1alpha1.WorkerPool, _ *awsapi.WorkerConfig) ([]string, error) {
	return worker.ComputeAdditionalHashDataV2(pool), nil
}

// seldom has virtual capacity: releases without a list hash it, and today's release does not.
var seldom = []string{"config.nodeTemplate.virtualCapacity"}
