package awsdriver_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
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

// resourcesOf returns the number of resources that a request tags.
func resourcesOf(r ec2test.Request) (resources int) {
	for parameter := range r.Parameters {
		if strings.HasPrefix(parameter, "ResourceId.") {
			resources++
		}
	}
	return resources
}

// TestMachinesShareCalls: three calls read the three machines of one account. A call tags the first
// machine, and a second call tags the other two.
func TestMachinesShareCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		simulated := ec2test.New(ec2test.Config{AccessKeys: []string{"key"}, Observe: func(r ec2test.Request) {
			calls = append(calls, r.Action+" "+strconv.Itoa(resourcesOf(r)))
		}})
		config := awsdriver.Config{HTTP: &http.Client{Transport: handler{simulated}}}
		machines := launched(t, simulated, config, "a", "b", "c")
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

// terminating terminates a VM immediately before the first call that tags resources of three
// machines. The VM is one of theirs.
type terminating struct {
	handler

	terminate func(id string)
	gone      string // the ID of the VM
}

var instanceOfCall = regexp.MustCompile(`ResourceId\.\d+=(i-[0-9a-z]+)`)

func (h *terminating) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	found := instanceOfCall.FindAllSubmatch(body, -1)
	if h.gone == "" && len(found) == 3 && bytes.Contains(body, []byte("Action=CreateTags")) {
		h.gone = string(found[1][1])
		h.terminate(h.gone)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	return h.handler.RoundTrip(request)
}

// TestOneMissingResource: a VM disappears between its read and the call that tags it together with
// two others. EC2 refuses the whole call and names the VM. One more call tags the others, and only
// the update of this VM fails.
func TestOneMissingResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		simulated := ec2test.New(ec2test.Config{AccessKeys: []string{"key"}, Observe: func(r ec2test.Request) {
			if r.Action == "CreateTags" {
				calls = append(calls, r.Outcome+" "+strconv.Itoa(resourcesOf(r)))
			}
		}})
		transport := &terminating{handler: handler{simulated}}
		config := awsdriver.Config{HTTP: &http.Client{Transport: transport}}
		machines := launched(t, simulated, config, "a", "b", "c", "d")
		transport.terminate = func(id string) {
			_, err := machines[0].client().TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
			assert.NoError(t, err)
		}
		calls = nil
		failed := make([]error, len(machines))
		var all sync.WaitGroup
		for i, f := range machines {
			all.Go(func() { failed[i] = f.update(`{"tags":{"owner":"bob"}}`) })
		}
		all.Wait()
		require.NotEmpty(t, transport.gone, "three machines share a call")
		assert.Equal(t, []string{"ok 4", "InvalidInstanceID.NotFound 12", "ok 8"}, calls)
		for i, f := range machines {
			if strings.HasSuffix(f.vm, "/"+transport.gone) {
				assert.ErrorContains(t, failed[i], "The instance ID '"+transport.gone+"' does not exist")
			} else {
				assert.NoError(t, failed[i], f.vm)
			}
		}
		for _, r := range simulated.Resources() {
			assert.Equal(t, "bob", r.Tags["owner"], r.ID)
		}
	})
}

// launched returns machines of one account after six updates. These use up the calls that the kit
// sends without waiting after an idle period.
func launched(t *testing.T, simulated *ec2test.Cloud, config awsdriver.Config, names ...string) (machines []*fixture) {
	t.Helper()
	made, err := awsdriver.New(config)
	require.NoError(t, err)
	for _, name := range names {
		f := &fixture{
			t: t, cloud: simulated, config: config, driver: made, spec: specWith(nil), updates: made.Driver(), machine: name,
		}
		f.launch()
		machines = append(machines, f)
	}
	for i := range 6 {
		require.NoError(t, machines[0].update(`{"tags":{"owner":"`+strconv.Itoa(i)+`"}}`))
	}
	return machines
}
