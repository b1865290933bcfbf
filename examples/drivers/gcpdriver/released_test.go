package gcpdriver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/gcpdriver"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/internal/released"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// trial is the trial of this driver with the classes of the released extension.
func trial() *released.Trial {
	c := &released.Trial{
		Folder: "../../gcp/testdata/released", Rules: tags.GCP.Rules, Flat: "labels", Label: "example_com_stage",
		Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "gce:///p/z/m", Secret: secret()},
		PerKind: tags.Tags{
			VM: map[string]string{"use": "a"}, Network: map[string]string{"bastion": ""}, Disk: map[string]string{"use": "c"},
		},
		Unchanged: []string{"/serviceAccounts/*/scopes", "/tags"}, // TestConformance changes these fields
		New: func(cloud fleet.Cloud, wait func(context.Context, time.Duration) error) (released.Kit, error) {
			config := (&api{Cloud: cloud}).config()
			config.Wait = wait
			return gcpdriver.New(config)
		},
	}
	// VM and disks get the flat map of labels. A local SSD has no labels.
	c.Launched = func(tb testing.TB, class *released.Class) []driver.Resource {
		tb.Helper()
		var spec gcp.ProviderSpec
		require.NoError(tb, json.Unmarshal([]byte(class.JSON(tb)), &spec))
		account := "[]"
		if len(spec.ServiceAccounts) > 0 {
			text, err := json.Marshal(spec.ServiceAccounts)
			require.NoError(tb, err)
			account = string(text)
		}
		networkTags := map[string]string{}
		for _, key := range spec.Tags {
			networkTags[key] = ""
		}
		all := []driver.Resource{
			{Kind: tags.VM, ID: "m", Tags: c.FlatOf(tb, class), Attributes: map[string]driver.Reading{
				"serviceAccount": driver.Settled(account), "status": driver.Settled("RUNNING"),
			}},
			{Kind: tags.Network, ID: "m", Tags: networkTags},
			{Kind: tags.Disk, ID: "m", Tags: c.FlatOf(tb, class)},
		}
		for i, disk := range spec.Disks {
			if i > 0 && (disk.Type == nil || *disk.Type != "SCRATCH") {
				all = append(all, driver.Resource{Kind: tags.Disk, ID: fmt.Sprint("m-", i), Tags: c.FlatOf(tb, class)})
			}
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
