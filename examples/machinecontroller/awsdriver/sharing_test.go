package awsdriver_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
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
		simulated := cloud.New(cloud.Config{AccessKeys: []string{"key"}, Observe: func(r cloud.Request) {
			named := 0
			for parameter := range r.Parameters {
				if strings.HasPrefix(parameter, "ResourceId.") {
					named++
				}
			}
			calls = append(calls, r.Action+" "+strconv.Itoa(named))
		}})
		made, err := awsdriver.New(awsdriver.Config{
			HTTP: &http.Client{Transport: handler{simulated}}, MaxBackoff: time.Minute,
		})
		require.NoError(t, err)
		var machines []*fixture
		for _, name := range []string{"a", "b", "c"} {
			f := &fixture{t: t, cloud: simulated, driver: made, spec: specWith(nil), updates: made.Kit.Driver()}
			f.machine = &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
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
