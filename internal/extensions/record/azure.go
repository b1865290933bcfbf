//go:build ignore

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	azureapi "github.com/gardener/gardener-extension-provider-azure/pkg/apis/azure"
	"github.com/gardener/gardener-extension-provider-azure/pkg/apis/azure/install"
	"github.com/gardener/gardener-extension-provider-azure/pkg/apis/azure/v1alpha1"
	"github.com/gardener/gardener-extension-provider-azure/pkg/apis/azure/validation"
	worker "github.com/gardener/gardener-extension-provider-azure/pkg/controller/worker"
	"github.com/gardener/gardener/pkg/apis/core"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const azureVersion = `"apiVersion":"azure.provider.extensions.gardener.cloud/v1alpha1","kind":`

func newExtension() *extension {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	config := func(a asked) (*azureapi.WorkerConfig, error) {
		c := &azureapi.WorkerConfig{}
		if a.ProviderConfig == nil {
			return c, nil
		}
		_, _, err := decoder.Decode(a.ProviderConfig.Raw, nil, c)
		return c, err
	}
	return &extension{
		provider: "azure", config: v1alpha1.WorkerConfig{},
		values: map[string][]string{
			"config.volume.caching":             {`"None"`, `"ReadOnly"`, `"x"`},
			"config.dataVolumes[].imageRef.urn": {`"sap:gardenlinux:greatest:1.0.0"`, `"x"`},
			"config.dataVolumes[].imageRef.communityGalleryImageID": {
				`"/CommunityGalleries/g/Images/i/Versions/1"`,
				`"x"`,
			},
			"config.dataVolumes[].imageRef.sharedGalleryImageID": {
				`"/SharedGalleries/g/Images/i/Versions/1"`,
				`"x"`,
			},
			"config.capacityReservation.capacityReservationGroupID": {`"/foo/bar/1"`, `""`},
			"config.diagnosticsProfile.storageURI":                  {`"https://a.blob.core.windows.net"`, `"x"`},
			"config.dataVolumes[].imageRef.id": {
				`"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i"`,
				`"x"`,
			},
		},
		configEdits: 6, seldom: seldom,
		facts: withShoots(map[string][]string{
			"identity":        {`null`, `"identity-1"`, `"identity-2"`},
			"availabilitySet": {`null`, `null`, `null`, `"set-1"`, `"set-2"`},
			// Zones without a subnet share one. A migrated subnet is the former shared one, and is
			// not hashed.
			"subnets": {
				`null`,
				`null`,
				`{"1":"nodes-z1","2":"nodes-z2","3":"nodes-z3"}`,
				`{"1":"other-z1","2":"nodes-z2","3":"nodes-z3"}`,
			},
			"migrated": {`null`, `"1"`},
		}),
		classes: func(a asked) ([]string, error) {
			delegate, err := worker.NewWorkerDelegate(
				userData{},
				scheme,
				nil,
				"",
				a.worker("azure", azureInfrastructure(a), azureStatus(a)),
				a.cluster(
					`{`+azureVersion+`"CloudProfileConfig","machineImages":[`+images(
						`{"version":"VERSION","architecture":"ARCH","urn":"a:b:c:1"}`,
					)+`]}`,
				),
				nil,
			)
			return classes(delegate, err)
		},
		data: dataBy(config),
		admit: func(a asked) (field.ErrorList, error) {
			c, err := config(a)
			if err != nil {
				return nil, err
			}
			return validation.ValidateWorkerConfig(c, coreWorker(a).DataVolumes, field.NewPath("providerConfig")), nil
		},
		update: func(old, updated []core.Worker) field.ErrorList {
			return validation.ValidateWorkersUpdate(old, updated, field.NewPath("workers"))
		},
	}
}

func azureInfrastructure(a asked) string {
	var identity, set, migrated *string
	var subnets map[string]string
	a.fact("identity", &identity)
	a.fact("availabilitySet", &set)
	a.fact("migrated", &migrated)
	a.fact("subnets", &subnets)
	status := v1alpha1.InfrastructureStatus{Zoned: set == nil}
	status.ResourceGroup.Name = "group"
	status.Networks.VNet.Name = "net"
	status.Networks.Layout = v1alpha1.NetworkLayoutSingleSubnet
	status.Networks.Subnets = []v1alpha1.Subnet{{Name: "nodes", Purpose: v1alpha1.PurposeNodes}}
	if len(subnets) > 0 {
		status.Networks.Layout = v1alpha1.NetworkLayoutMultipleSubnet
		status.Networks.Subnets = nil
		for _, zone := range []string{"1", "2", "3"} {
			isMigrated := migrated != nil && *migrated == zone
			status.Networks.Subnets = append(status.Networks.Subnets, v1alpha1.Subnet{
				Name: subnets[zone], Purpose: v1alpha1.PurposeNodes, Zone: ptrTo(zone), Migrated: isMigrated,
			})
		}
	}
	if identity != nil {
		status.Identity = &v1alpha1.IdentityStatus{ID: *identity}
	}
	return typed(status, azureVersion+`"InfrastructureStatus"`)
}

func azureStatus(a asked) string {
	var set *string
	a.fact("availabilitySet", &set)
	if set == nil {
		return ""
	}
	return fmt.Sprintf(
		`{%s"WorkerStatus","vmoDependencies":[{"poolName":%q,"id":"id","name":%q}]}`,
		azureVersion,
		a.Name,
		*set,
	)
}

// typed returns the JSON of a value with its type.
func typed(v any, typeMeta string) string {
	written, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return strings.Replace(string(written), "{", "{"+typeMeta+",", 1)
}
