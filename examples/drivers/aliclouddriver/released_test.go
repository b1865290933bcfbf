package aliclouddriver_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/examples/drivers/aliclouddriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/internal/released"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// trial is the trial of this driver with the classes of the released extension.
func trial() *released.Trial {
	c := &released.Trial{
		Folder: "../../alicloud/testdata/released", Rules: tags.AliCloud.Rules, Flat: "tags", Label: "example.com/stage",
		Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "cn-berlin.i1", Secret: secret},
		PerKind: tags.Tags{
			VM: map[string]string{"use": "a"}, Network: map[string]string{"use": "b"}, Disk: map[string]string{"use": "c"},
		},
		LeftAlone: map[string]string{"rich": `["aliyun-mark"]`},
		New: func(cloud fleet.Cloud, wait func(context.Context, time.Duration) error) (released.Kit, error) {
			config := (&api{Cloud: cloud}).config()
			config.Wait = wait
			return aliclouddriver.New(config)
		},
	}
	// All resources get the flat map.
	c.Launched = func(tb testing.TB, class *released.Class) (resources []driver.Resource) {
		tb.Helper()
		add := func(kind tags.Kind, id, name string) {
			resources = append(resources, driver.Resource{Kind: kind, ID: id, Name: name, Tags: c.FlatOf(tb, class)})
		}
		add(tags.VM, "i1", "")
		add(tags.Network, "eni-i1", "")
		add(tags.Disk, "sys-i1", "")
		disks, _ := class.Spec["dataDisks"].([]any)
		for i, disk := range disks {
			add(tags.Disk, fmt.Sprint("data-i1.", i), fmt.Sprintf("m-%v-data-disk", disk.(map[string]any)["name"]))
		}
		return resources
	}
	return c
}

// TestReleasedClasses: what the released extension writes can be adopted and updated.
func TestReleasedClasses(t *testing.T) { trial().Updates(t) }

// TestReleasedConformance: the driver keeps its promises with each class that the released
// extension writes.
func TestReleasedConformance(t *testing.T) { trial().Conforms(t) }
