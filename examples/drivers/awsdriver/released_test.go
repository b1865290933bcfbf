package awsdriver_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/internal/released"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// trial is the trial of this driver with the classes of the released extension.
func trial() *released.Trial {
	c := &released.Trial{
		Folder: "../../aws/testdata/released", Rules: tags.AWS.Rules, Flat: "tags", Label: "example.com/stage",
		Request: machineupdate.UpdateMachineRequest{
			Machine: "m", ProviderID: "aws:///eu-central-1/i-1",
			Secret: map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")},
		},
		PerKind: tags.Tags{
			VM: map[string]string{"use": "a"}, Network: map[string]string{"use": "b"}, Disk: map[string]string{"use": "c"},
		},
		LeftAlone: map[string]string{"rich": `["Name"]`},
		Unchanged: []string{ // attributes have separate tests
			"/blockDevices/*/ebs/iops", "/blockDevices/*/ebs/throughput", "/instanceMetadataOptions/httpTokens", "/srcAndDstChecksEnabled",
		},
		New: func(cloud fleet.Cloud, wait func(context.Context, time.Duration) error) (released.Kit, error) {
			d, err := awsdriver.New(awsdriver.Config{
				HTTP: &http.Client{Transport: &wire{Cloud: cloud, attempts: 1}}, Wait: wait,
			})
			if err != nil {
				return nil, err
			}
			return d, nil
		},
	}
	// All resources get the flat map, and the machine's name in Name.
	c.Launched = func(tb testing.TB, class *released.Class) (resources []driver.Resource) {
		tb.Helper()
		add := func(kind tags.Kind, id, name string, attributes map[string]driver.Reading) {
			live := released.Joined(c.FlatOf(tb, class), map[string]string{"Name": "m"})
			resources = append(resources, driver.Resource{Kind: kind, ID: id, Name: name, Tags: live, Attributes: attributes})
		}
		options := class.Spec["instanceMetadataOptions"].(map[string]any)
		add(tags.VM, "i-1", "", map[string]driver.Reading{"httpTokens": driver.Settled(options["httpTokens"].(string))})
		for i := range class.Spec["networkInterfaces"].([]any) {
			off := map[string]driver.Reading{"sourceDestCheck": driver.Settled("false")}
			add(tags.Network, fmt.Sprint("eni-1.", i), "", off)
		}
		for i, device := range class.Spec["blockDevices"].([]any) {
			name, _ := device.(map[string]any)["deviceName"].(string)
			performance := map[string]driver.Reading{}
			for _, attribute := range []string{"iops", "throughput"} {
				if value := device.(map[string]any)["ebs"].(map[string]any)[attribute]; value != nil {
					performance[attribute] = driver.Settled(fmt.Sprint(value))
				}
			}
			add(tags.Disk, fmt.Sprint("vol-", i), name, performance)
		}
		return resources
	}
	return c
}

// TestReleasedClasses: what the released extension writes can be adopted and updated. A pool label Name leaves the
// machine's name in the live tag.
func TestReleasedClasses(t *testing.T) { trial().Updates(t) }

// TestReleasedConformance: the driver keeps its promises with each class that the released
// extension writes.
func TestReleasedConformance(t *testing.T) { trial().Conforms(t) }
