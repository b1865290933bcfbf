//go:build ignore

package main

import (
	openstackapi "github.com/gardener/gardener-extension-provider-openstack/pkg/apis/openstack"
	"github.com/gardener/gardener-extension-provider-openstack/pkg/apis/openstack/validation"
	worker "github.com/gardener/gardener-extension-provider-openstack/pkg/controller/worker"
	extensionscontroller "github.com/gardener/gardener/extensions/pkg/controller"
	"github.com/gardener/gardener/extensions/pkg/controller/worker/genericactuator"
	"github.com/gardener/gardener/pkg/apis/core"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func delegateOf(
	scheme *runtime.Scheme, w *extensionsv1alpha1.Worker, cluster *extensionscontroller.Cluster,
) (genericactuator.WorkerDelegate, error) {
	return worker.NewWorkerDelegate(userData{}, scheme, nil, "", w, cluster, nil)
}

// admitted is the validation of pools, which has that of configs.
func admitted(w core.Worker, _ *openstackapi.WorkerConfig, profile *openstackapi.CloudProfileConfig) field.ErrorList {
	return validation.ValidateWorkers([]core.Worker{w}, profile, field.NewPath("workers"))
}
