package openstackdriver_test

import (
	"context"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver/openstacktest"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/internal/released"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// trial is the trial of this driver with the classes of the released extension.
func trial() *released.Trial {
	c := &released.Trial{
		Folder: "../../openstack/testdata/released", Rules: openstackdriver.Rules,
		Path: []string{"spec"}, Flat: "tags", Label: "example.com-stage",
		Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "openstack:///r/server", Secret: secret},
		Adapt:   func(spec map[string]any) { spec["spec"].(map[string]any)["region"] = "r" },
		PerKind: tags.Tags{VM: map[string]string{"use": "a"}, Disk: map[string]string{"use": "c"}},
		Unchanged: []string{
			"/spec/resourceTags/network", "/spec/securityGroups", // TestConformance changes these fields
		},
		New: func(cloud fleet.Cloud, wait func(context.Context, time.Duration) error) (released.Kit, error) {
			config := config(openstacktest.New(cloud))
			config.Wait = wait
			return openstackdriver.New(config)
		},
	}
	// The server gets the flat map. If the spec asks for a root volume, the volume gets it too,
	// whether Nova or the driver creates the volume.
	c.Launched = func(tb testing.TB, class *released.Class) []driver.Resource {
		tb.Helper()
		spec := class.Spec["spec"].(map[string]any)
		names := []string{}
		for _, group := range spec["securityGroups"].([]any) {
			names = append(names, group.(string))
		}
		all := []driver.Resource{{
			Kind: tags.VM, ID: "server", Name: "m", Tags: c.FlatOf(tb, class), Sets: map[string][]string{openstacktest.Groups: names},
		}}
		if spec["rootDiskSize"] != nil {
			root := driver.Resource{Kind: tags.Disk, ID: "root-server", Tags: c.FlatOf(tb, class)}
			if spec["rootDiskType"] != nil {
				root.Name = "m"
			}
			all = append(all, root)
		}
		return all
	}
	return c
}

// TestReleasedClasses: what the released extension writes can be adopted and updated.
func TestReleasedClasses(t *testing.T) { trial().Updates(t) }

// TestReleasedConformance: the driver keeps its promises with each class that the released
// extension writes.
func TestReleasedConformance(t *testing.T) { trial().Conforms(t) }
