package awsdriver_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

func TestTable(t *testing.T) {
	schema, err := awsdriver.Schema()
	require.NoError(t, err)
	cloudtable.Check(t, "../../DRIVER.md", &cloudtable.Row{
		Cloud: "AWS", SDK: "github.com/aws/aws-sdk-go-v2/service/ec2", GoMod: "go.mod", Schema: schema,
		Calls:  func(n int) (reads, writes int) { return calls(t, n) },
		Cannot: "change attributes of several resources in one call; change a volume again within six hours",
	})
}

// TestRights: the actions of updates of each hot field need the rights of the guide's table.
func TestRights(t *testing.T) {
	f := newFixture(t, ec2test.Config{ModifyTime: time.Hour}, specWith(nil))
	f.launch()
	f.asked = nil
	require.NoError(t, f.update(`{"tags":{"team":"red"}}`))
	require.ErrorIs(t, f.inVolumeLane(`{"iops":4000}`), machineupdate.ErrPending)
	require.ErrorIs(t, f.inVolumeLane(`{"iops":4000}`), machineupdate.ErrPending)
	options := `{"instanceMetadataOptions":{"httpTokens":"required"}}`
	require.NoError(t, f.driver.UpdateMachine(t.Context(), f.inLane("metadata", "vm", options)))
	checks := `{"srcAndDstChecksEnabled":false}`
	require.NoError(t, f.driver.UpdateMachine(t.Context(), f.inLane("", "network", checks)))
	cloudtable.CheckRights(t, "../../DRIVER.md", "AWS", f.asked, func(action string) []string { return []string{"ec2:" + action} })
}

// calls counts the requests that read n machines, and those that give another owner to all of them.
func calls(t *testing.T, n int) (reads, writes int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var actions []string
		var mutex sync.Mutex
		simulated := ec2test.New(ec2test.Config{AccessKeys: []string{"key"}, Observe: func(r ec2test.Request) {
			mutex.Lock()
			defer mutex.Unlock()
			actions = append(actions, r.Action)
		}})
		config := awsdriver.Config{HTTP: &http.Client{Transport: handler{simulated}}}
		made, err := awsdriver.New(config)
		require.NoError(t, err)
		var machines []*fixture
		for i := range n {
			name := fmt.Sprint("m-", i)
			f := &fixture{
				t: t, cloud: simulated, config: config, driver: made, spec: specWith(nil), updates: made.Driver(), machine: name,
			}
			f.launch()
			machines = append(machines, f)
		}
		actions = nil
		var all sync.WaitGroup
		for _, f := range machines {
			all.Go(func() { assert.NoError(t, f.update(`{"tags":{"owner":"bob"}}`)) })
		}
		all.Wait()
		for _, action := range actions {
			if strings.HasPrefix(action, "Describe") {
				reads++
			} else {
				writes++
			}
		}
		for _, r := range simulated.Resources() {
			assert.Equal(t, "bob", r.Tags["owner"], r.ID)
		}
	})
	return reads, writes
}
