package azuredriver_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/examples/drivers/azuredriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/internal/released"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// trial is the trial of this driver with the classes of the released extension.
func trial() *released.Trial {
	c := &released.Trial{
		Folder: "../../azure/testdata/released", Rules: tags.Azure.Rules, Flat: "tags", Label: "example.com_stage",
		Request: machineupdate.UpdateMachineRequest{
			Machine: "m-0", ProviderID: "azure:///westeurope/m-0", Secret: secret,
		},
		Adapt: func(spec map[string]any) { spec["resourceGroup"] = "group" },
		PerKind: tags.Tags{
			VM: map[string]string{"use": "a"}, Network: map[string]string{"use": "b"}, Disk: map[string]string{"use": "c"},
		},
		LeftAlone: map[string]string{"rich": `["azure-tier" "microsoft.example.com_licence" "name" "windows"]`},
		New: func(cloud fleet.Cloud, wait func(context.Context, time.Duration) error) (released.Kit, error) {
			config := newAPI(cloud).config()
			config.Wait = wait
			return azuredriver.New(config)
		},
	}
	// All resources get the flat map. Azure ignores the case of keys, so the pool label name is the
	// key Name: only one of them is live.
	c.Launched = func(tb testing.TB, class *released.Class) (resources []driver.Resource) {
		tb.Helper()
		add := func(kind tags.Kind, id string) {
			live := c.FlatOf(tb, class)
			delete(live, "name")
			resources = append(resources, driver.Resource{Kind: kind, ID: id, Tags: live})
		}
		add(tags.VM, vmID("m-0"))
		add(tags.Network, cardID("m-0-nic"))
		add(tags.Disk, diskID("m-0-os-disk"))
		profile := class.Spec["properties"].(map[string]any)["storageProfile"].(map[string]any)
		disks, _ := profile["dataDisks"].([]any)
		for lun, disk := range disks {
			add(tags.Disk, diskID(fmt.Sprintf("m-0-%v-%d-data-disk", disk.(map[string]any)["name"], lun)))
		}
		return resources
	}
	return c
}

// TestReleasedClasses: what the released extension writes can be adopted and updated. Labels under
// keys that Azure reserves stay unchanged.
func TestReleasedClasses(t *testing.T) { trial().Updates(t) }

// TestReleasedConformance: the driver keeps its promises with each class that the released
// extension writes.
func TestReleasedConformance(t *testing.T) { trial().Conforms(t) }
