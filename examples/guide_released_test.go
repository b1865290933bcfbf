package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/internal/released"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// releasedClouds are the clouds whose classes have the members of the guide's ProviderSpec. Those of GCP have labels,
// and those of OpenStack have tags in spec.
var releasedClouds = []struct {
	cloud     tags.Cloud
	folder    string
	label     string            // a pool label in the form of the cloud's keys
	leftAlone map[string]string // by pool, see released.Trial
}{
	{tags.AWS, "aws", "example.com/stage", map[string]string{"rich": `["Name"]`}},
	{tags.Azure, "azure", "example.com_stage", map[string]string{
		"rich": `["azure-tier" "microsoft.example.com_licence" "name" "windows"]`,
	}},
	{tags.AliCloud, "alicloud", "example.com/stage", map[string]string{"rich": `["aliyun-mark"]`}},
}

// TestGuideOnReleasedClasses runs the driver of DRIVER.md, whose code TestGuideShowsTestedCode compares with the page,
// on the classes that released extensions write: an adoption, a changed label of the pool, and tags of each kind. A new
// machine gets what the page says of creations.
func TestGuideOnReleasedClasses(t *testing.T) {
	schema, err := hotupdate.SchemaOf[ProviderSpec]()
	require.NoError(t, err)
	for _, of := range releasedClouds {
		t.Run(of.folder, func(t *testing.T) {
			rules, err := of.cloud.Rules(tags.VM)
			require.NoError(t, err)
			c := &released.Trial{
				Folder: of.folder + "/testdata/released", Rules: of.cloud.Rules, Flat: "tags", Label: of.label, LeftAlone: of.leftAlone,
				Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "cloud:///m"},
				PerKind: tags.Tags{
					VM: map[string]string{"use": "a"}, Network: map[string]string{"use": "b"}, Disk: map[string]string{"use": "c"},
				},
				New: func(cloud fleet.Cloud, _ func(context.Context, time.Duration) error) (released.Kit, error) {
					testSession = &session{cloud: cloud.(*fleet.Fleet)}
					return newKit(schema, rules)
				},
			}
			c.Launched = func(tb testing.TB, class *released.Class) (resources []driver.Resource) {
				tb.Helper()
				left := rules.LeftAlone(c.FlatOf(tb, class))
				for i, kind := range append(tags.Kinds(), tags.Disk) {
					live := c.FlatOf(tb, class) // the drivers of today set all of them
					if of.cloud == tags.Azure {
						delete(live, "name") // beside Name, which is one key to Azure
					}
					resources = append(resources, driver.Resource{Kind: kind, ID: fmt.Sprint(kind, "-", i), Tags: live})

					var spec ProviderSpec
					require.NoError(tb, json.Unmarshal([]byte(class.JSON(tb)), &spec))
					created := maps.Clone(live)
					for _, key := range left {
						delete(created, key)
					}
					maps.Copy(created, spec.ResourceTags.Of(kind))
					assert.Equal(tb, created, launched(&rules, &spec, kind), "what a creation sets, without the keys that are left alone")
				}
				return resources
			}
			c.Updates(t)
		})
	}
}
