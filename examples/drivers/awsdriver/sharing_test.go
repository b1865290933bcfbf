package awsdriver_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
)

// handler makes requests without a network.
type handler struct{ http.Handler }

func (h handler) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	return recorder.Result(), nil
}

// TestMachinesShareCalls: three machines of one account are read by three calls, and two are tagged
// by one.
func TestMachinesShareCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		simulated := ec2test.New(ec2test.Config{AccessKeys: []string{"key"}, Observe: func(r ec2test.Request) {
			named := 0
			for parameter := range r.Parameters {
				if strings.HasPrefix(parameter, "ResourceId.") {
					named++
				}
			}
			calls = append(calls, r.Action+" "+strconv.Itoa(named))
		}})
		config := awsdriver.Config{HTTP: &http.Client{Transport: handler{simulated}}}
		made, err := awsdriver.New(config)
		require.NoError(t, err)
		var machines []*fixture
		for _, name := range []string{"a", "b", "c"} {
			f := &fixture{
				t: t, cloud: simulated, config: config, driver: made, spec: specWith(nil), updates: made.Driver(), machine: name,
			}
			f.launch()
			machines = append(machines, f)
		}
		for i := range 6 { // the first calls wait for no others
			require.NoError(t, machines[0].update(`{"tags":{"owner":"`+strconv.Itoa(i)+`"}}`))
		}
		calls = nil
		var all sync.WaitGroup
		for _, f := range machines {
			all.Go(func() { assert.NoError(t, f.update(`{"tags":{"owner":"bob"}}`)) })
		}
		all.Wait()
		assert.ElementsMatch(t, []string{
			"DescribeInstances 0", "DescribeNetworkInterfaces 0", "DescribeVolumes 0",
			"CreateTags 4", "CreateTags 8", // the first is half a second after the last one
		}, calls)
		for _, r := range simulated.Resources() {
			assert.Equal(t, "bob", r.Tags["owner"], r.ID)
		}
	})
}
