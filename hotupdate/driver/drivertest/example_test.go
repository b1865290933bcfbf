package drivertest_test

import (
	"context"
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// A driver that changes the infrastructure tags of VMs. The client of the cloud is the fake one. A driver that forgets
// to remove keys breaks a promise.
func ExampleCheck() {
	type providerSpec struct {
		Cluster string            `json:"cluster"`
		Tags    map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	}
	type client = *drivertest.FakeCloud
	type remove func(ctx context.Context, cloud client, resources []string, keys []tags.Tag) error

	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		fmt.Println(err)
		return
	}
	schema, err := hotupdate.SchemaOf[providerSpec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	newDriver := func(cloud client, remove remove) (*driver.Kit[providerSpec, client], error) {
		tagging := driver.Tagging[providerSpec, client]{
			Kinds: []tags.Kind{tags.VM}, Rules: rules,
			Project: func(spec *providerSpec, _ tags.Kind) map[string]string { return spec.Tags },
			Mandatory: func(class *providerSpec, _ string) map[string]string {
				return map[string]string{"cluster": class.Cluster}
			},
			Set: func(ctx context.Context, cloud client, resources []string, set []tags.Tag) error {
				return cloud.Change(ctx, resources, set, nil)
			},
			Remove: remove,
		}
		return driver.New(driver.Definition[providerSpec, client]{
			Schema: schema, Wait: cloud.Wait, Tags: []driver.Tagging[providerSpec, client]{tagging},
			Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *providerSpec) (client, error) {
				return cloud, nil
			},
			Resources: func(ctx context.Context, cloud client) ([]driver.Resource, error) { return cloud.Resources(ctx) },
		})
	}
	vm := func(keys map[string]string) []driver.Resource {
		return []driver.Resource{{Kind: tags.VM, ID: "i-1", Tags: keys}}
	}
	states := []drivertest.State{
		{Spec: `{"cluster":"c","tags":{"team":"red"}}`, Resources: vm(map[string]string{"cluster": "c", "team": "red"})},
		{Spec: `{"cluster":"c"}`, Resources: vm(map[string]string{"cluster": "c"})},
	}
	setup := drivertest.Setup{Rules: tags.AWS.Rules, Request: machineupdate.UpdateMachineRequest{ProviderID: "aws:///i-1"}}

	t := &recorder{} // in a test, its argument
	drivertest.Check(t, setup, func(cloud client) (*driver.Kit[providerSpec, client], error) {
		return newDriver(cloud, func(ctx context.Context, cloud client, resources []string, keys []tags.Tag) error {
			return cloud.Change(ctx, resources, nil, keys)
		})
	}, states...)
	fmt.Println("promises broken:", len(t.failures))

	drivertest.Check(t, setup, func(cloud client) (*driver.Kit[providerSpec, client], error) {
		return newDriver(cloud, func(context.Context, client, []string, []tags.Tag) error { return nil })
	}, states...)
	fmt.Println("by a driver that removes nothing:", len(t.failures) > 0)
	// Output:
	// promises broken: 0
	// by a driver that removes nothing: true
}
