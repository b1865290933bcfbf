package driver_test

import (
	"context"
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// VMSpec is the provider spec of a driver. Its infrastructure tags are hot.
type VMSpec struct {
	Region string            `json:"region"`
	Tags   map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// tagClient is the driver's client of the cloud, with the ID of the machine's VM.
type tagClient struct {
	vm   string
	live map[string]map[string]string // the infrastructure tags by resource
}

func (c *tagClient) describe(context.Context) ([]driver.Resource, error) {
	return []driver.Resource{{Kind: tags.VM, ID: c.vm, Tags: c.live[c.vm]}}, nil
}

func (c *tagClient) createTags(_ context.Context, resources []string, set []tags.Tag) error {
	for _, id := range resources {
		for _, tag := range set {
			c.live[id][tag.Key] = tag.Value
		}
	}
	return nil
}

func (c *tagClient) deleteTags(_ context.Context, resources []string, remove []tags.Tag) error {
	for _, id := range resources {
		for _, tag := range remove {
			delete(c.live[id], tag.Key)
		}
	}
	return nil
}

// newTagKit makes the kit of the driver, once for the process.
func newTagKit(client *tagClient) (*driver.Kit[VMSpec, *tagClient], error) {
	schema, err := hotupdate.SchemaOf[VMSpec]()
	if err != nil {
		return nil, err
	}
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	return driver.New(driver.Definition[VMSpec, *tagClient]{
		Schema: schema,
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *VMSpec) (*tagClient, error) {
			return client, nil // of the region of the spec, with the secret of the request
		},
		Resources: func(ctx context.Context, c *tagClient) ([]driver.Resource, error) { return c.describe(ctx) },
		Tags: []driver.Tagging[VMSpec, *tagClient]{{
			Kinds:     []tags.Kind{tags.VM},
			Rules:     rules,
			Project:   func(spec *VMSpec, _ tags.Kind) map[string]string { return rules.Effective(spec.Tags, nil, nil) },
			Mandatory: func(class *VMSpec, _ string) map[string]string { return rules.MandatoryIn(class.Tags) },
			Set: func(ctx context.Context, c *tagClient, resources []string, set []tags.Tag) error {
				return c.createTags(ctx, resources, set)
			},
			Remove: func(ctx context.Context, c *tagClient, resources []string, remove []tags.Tag) error {
				return c.deleteTags(ctx, resources, remove)
			},
		}},
	})
}

// A driver of three functions gets the update of a cost centre. The update flow makes the request. The
// key of the backup belongs to somebody else, and stays.
func ExampleNew() {
	client := &tagClient{vm: "i-0a1b", live: map[string]map[string]string{"i-0a1b": {
		"kubernetes.io/cluster/shoot--shop--orders": "1", "cost-center": "a", "backup": "daily",
	}}}
	kit, err := newTagKit(client)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = kit.UpdateMachine(context.Background(), &machineupdate.UpdateMachineRequest{
		Machine: "orders-1", ProviderID: "aws:///eu-west-1/i-0a1b",
		Class: machineupdate.MachineClass{ProviderSpec: []byte(
			`{"region":"eu-west-1","tags":{"kubernetes.io/cluster/shoot--shop--orders":"1","cost-center":"b"}}`)},
		Parts: []machineupdate.Part{{
			Kind:    "vm",
			Applied: `{"tags":{"kubernetes.io/cluster/shoot--shop--orders":"1","cost-center":"a"}}`,
			Desired: `{"tags":{"kubernetes.io/cluster/shoot--shop--orders":"1","cost-center":"b"}}`,
		}},
		BeforeWrite: func(context.Context) error {
			fmt.Println("the machine's record says that an update is under way")
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.live["i-0a1b"])
	// Output:
	// the machine's record says that an update is under way
	// map[backup:daily cost-center:b kubernetes.io/cluster/shoot--shop--orders:1]
}
