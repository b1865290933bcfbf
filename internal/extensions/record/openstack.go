//go:build ignore

package main

import (
	"fmt"

	openstackapi "github.com/gardener/gardener-extension-provider-openstack/pkg/apis/openstack"
	"github.com/gardener/gardener-extension-provider-openstack/pkg/apis/openstack/install"
	"github.com/gardener/gardener-extension-provider-openstack/pkg/apis/openstack/v1alpha1"
	"github.com/gardener/gardener-extension-provider-openstack/pkg/apis/openstack/validation"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	openstackVersion        = `"apiVersion":"openstack.provider.extensions.gardener.cloud/v1alpha1","kind":`
	openstackInfrastructure = `{` + openstackVersion + `"InfrastructureStatus","networks":{"id":"n",
		"name":"n","floatingPool":{"id":"f"},"router":{"id":"r"},
		"subnets":[{"purpose":"nodes","id":"s"}]},"node":{"keyName":"k"},
			"securityGroups":[{"purpose":"nodes","id":"g","name":"g"}]}`
)

func newExtension() *extension {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	return &extension{
		provider: "openstack", config: v1alpha1.WorkerConfig{},
		values: map[string][]string{
			"config.serverGroup.policy":                     {`"affinity"`, `"soft-affinity"`, `""`},
			"config.machineLabels[].triggerRollingOnUpdate": {`true`, `true`, `false`},
		},
		configEdits: 6,
		facts:       withShoots(map[string][]string{"serverGroup": {`"group-1"`, `"group-2"`}}),
		classes: func(a asked) ([]string, error) {
			var group string
			a.fact("serverGroup", &group)
			status := fmt.Sprintf(
				`{%s"WorkerStatus","serverGroupDependencies":[{"poolName":%q,"id":%q,"name":"n"}]}`,
				openstackVersion,
				a.Name,
				group,
			)
			cluster := a.cluster(
				`{` + openstackVersion + `"CloudProfileConfig","constraints":{"floatingPools":[],
					"loadBalancerProviders":[]},"machineImages":[` +
					images(
						`{"version":"VERSION","regions":[{"name":"region","id":"i","architecture":"ARCH"}]}`,
					) + `]}`,
			)
			delegate, err := delegateOf(scheme, a.worker("openstack", openstackInfrastructure, status), cluster)
			return classes(delegate, err)
		},
		admit: func(a asked) (field.ErrorList, error) {
			c := &openstackapi.WorkerConfig{}
			if a.ProviderConfig != nil {
				if _, _, err := decoder.Decode(a.ProviderConfig.Raw, nil, c); err != nil {
					return nil, err
				}
			}
			profile := &openstackapi.CloudProfileConfig{ServerGroupPolicies: []string{"affinity", "soft-affinity"}}
			return admitted(coreWorker(a), c, profile), nil
		},
		update: func(old, updated []core.Worker) field.ErrorList {
			return validation.ValidateWorkersUpdate(old, updated, field.NewPath("workers"))
		},
	}
}
