package driver_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ServerSpec is the provider spec of a driver. The security groups of a server are hot, and have no order.
type ServerSpec struct {
	SecurityGroups []string `json:"securityGroups,omitempty" hotupdatable:"true,set"`
}

// serverClient is the driver's client of the cloud.
type serverClient struct{ groups []string }

// securityGroups joins and leaves groups by one call for each of them.
func securityGroups() driver.Set[ServerSpec, *serverClient] {
	return driver.Set[ServerSpec, *serverClient]{
		Kind: tags.VM, Name: "securityGroups",
		Members: func(spec *ServerSpec, _ *driver.Resource) []string { return spec.SecurityGroups },
		AddMember: func(_ context.Context, c *serverClient, server *driver.Resource, group string) error {
			fmt.Println("AddSecurityGroup", server.ID, group)
			c.groups = append(c.groups, group)
			return nil
		},
		RemoveMember: func(_ context.Context, c *serverClient, server *driver.Resource, group string) error {
			fmt.Println("RemoveSecurityGroup", server.ID, group)
			c.groups = slices.DeleteFunc(c.groups, func(other string) bool { return other == group })
			return nil
		},
	}
}

// A server changes its security groups. The group of a load balancer stays, since no spec has named it.
func ExampleSet() {
	schema, err := hotupdate.SchemaOf[ServerSpec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &serverClient{groups: []string{"nodes", "old", "load-balancer"}}
	kit, err := driver.New(driver.Definition[ServerSpec, *serverClient]{
		Schema: schema,
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *ServerSpec) (*serverClient, error) {
			return client, nil
		},
		Resources: func(_ context.Context, c *serverClient) ([]driver.Resource, error) {
			live := map[string][]string{"securityGroups": slices.Clone(c.groups)}
			return []driver.Resource{{Kind: tags.VM, ID: "server-1", Sets: live}}, nil
		},
		Sets: []driver.Set[ServerSpec, *serverClient]{securityGroups()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &machineupdate.UpdateMachineRequest{
		Class: machineupdate.MachineClass{ProviderSpec: []byte(`{"securityGroups":["nodes","new"]}`)},
		Parts: []machineupdate.Part{{
			Kind: "vm", Applied: `{"securityGroups":["nodes","old"]}`, Desired: `{"securityGroups":["new","nodes"]}`,
		}},
		BeforeWrite: func(context.Context) error { return nil },
	}
	fmt.Println(kit.UpdateMachine(context.Background(), request))
	fmt.Println(client.groups)
	// Output:
	// AddSecurityGroup server-1 new
	// RemoveSecurityGroup server-1 old
	// <nil>
	// [nodes load-balancer new]
}
