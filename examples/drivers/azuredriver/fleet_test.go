package azuredriver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/azuredriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// request asks for another team on all resources of a machine.
func request(t *testing.T, i int, team string) *machineupdate.UpdateMachineRequest {
	t.Helper()
	hot := func(team string) machineupdate.HotSpec {
		text, err := json.Marshal(map[string]any{"tags": flat(map[string]string{"team": team})})
		require.NoError(t, err)
		return machineupdate.HotSpec(text)
	}
	name := fmt.Sprint("m-", i)
	r := &machineupdate.UpdateMachineRequest{
		Machine: name, ProviderID: "azure:///westeurope/" + name, Secret: secret,
		Class: machineupdate.MachineClass{ProviderSpec: []byte(spec(t, nil, nil))},
	}
	for _, kind := range tags.Kinds() {
		r.Parts = append(r.Parts, machineupdate.Part{Kind: string(kind), Applied: hot("a"), Desired: hot(team)})
	}
	return r
}

// machines returns machines of the team a, with a network interface and a disk each.
func machines(t *testing.T, n int) *api {
	t.Helper()
	f := fleet.New(tags.Azure.Rules)
	for i := range n {
		name := fmt.Sprint("m-", i)
		own := flat(map[string]string{"team": "a"})
		f.Add(
			driver.Resource{Kind: tags.VM, ID: vmID(name), Tags: own},
			driver.Resource{Kind: tags.Network, ID: cardID(name + "-nic"), Tags: own},
			driver.Resource{Kind: tags.Disk, ID: diskID(name + "-os-disk"), Tags: own},
		)
	}
	return newAPI(f)
}

// calls counts the requests that read n machines, and the requests that set another team on all of
// them.
func calls(t *testing.T, n int) (reads, writes int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, n)
		kit, err := azuredriver.New(a.config())
		require.NoError(t, err)
		var all []*machineupdate.UpdateMachineRequest
		for i := range n {
			all = append(all, request(t, i, "b"))
		}
		fleet.Update(t, kit, all...)
		for _, sent := range a.requests {
			if strings.HasPrefix(sent, "GET ") {
				reads++
			} else {
				writes++
			}
		}
		assert.Equal(t, 1, a.logins, "one token for all")
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, r := range live {
			assert.Equal(t, flat(map[string]string{"team": "b"}), r.Tags, r.ID)
		}
	})
	return reads, writes
}

// quota is a bucket of Azure Resource Manager.
type quota struct {
	size, refill, spent float64
	last                time.Time
}

// quotas are the buckets of an account. They count the requests that Azure would have refused.
type quotas struct {
	policy.Transporter

	mutex         sync.Mutex
	reads, writes quota
	refused       int
}

func (q *quotas) take(of *quota) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	of.spent = max(of.spent-time.Since(of.last).Seconds()*of.refill, 0)
	of.last = time.Now()
	if of.spent+1 > of.size+1e-6 {
		q.refused++
		return
	}
	of.spent++
}

// others takes half of a bucket, as other programs do: half of its size at once, and then half of
// its refill.
func (q *quotas) others(ctx context.Context, of *quota) {
	for range int(of.size / 2) {
		q.take(of)
	}
	for {
		select {
		case <-time.After(time.Duration(2 / of.refill * float64(time.Second))):
			q.take(of)
		case <-ctx.Done():
			return
		}
	}
}

func (q *quotas) Do(r *http.Request) (*http.Response, error) {
	switch {
	case r.URL.Host == "login.microsoftonline.com":
	case r.Method == http.MethodGet:
		q.take(&q.reads)
	default:
		q.take(&q.writes)
	}
	return q.Transporter.Do(r)
}

// TestQuotas: 24 machines with 96 resources get another tag by writes that one bucket admits at
// once. Further updates wait for its refill. Other programs use half of each bucket, and Azure
// refuses neither a request of the driver nor one of theirs.
func TestQuotas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, 24)
		cloud := a.Cloud.(*fleet.Fleet)
		for i := range 24 {
			disk := diskID(fmt.Sprintf("m-%d-kubelet-0-data-disk", i))
			cloud.Add(driver.Resource{Kind: tags.Disk, ID: disk, Tags: flat(map[string]string{"team": "a"})})
		}
		config := a.config()
		q := &quotas{
			Transporter: config.HTTP, reads: quota{size: 250, refill: 25, last: time.Now()},
			writes: quota{size: 200, refill: 10, last: time.Now()},
		}
		config.HTTP = q
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { q.others(ctx, &q.reads) })
		all.Go(func() { q.others(ctx, &q.writes) })
		defer all.Wait()
		defer stop()
		kit, err := azuredriver.New(config)
		require.NoError(t, err)
		var took []time.Duration
		for _, team := range []string{"b", "c", "d"} {
			var requests []*machineupdate.UpdateMachineRequest
			for i := range 24 {
				requests = append(requests, request(t, i, team))
			}
			began := time.Now()
			fleet.Update(t, kit, requests...)
			took = append(took, time.Since(began))
		}
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		require.Len(t, live, 96)
		for _, r := range live {
			assert.Equal(t, "d", r.Tags["team"], r.ID)
		}
		assert.Zero(t, q.refused)
		assert.Less(t, took[0], 2*time.Second, "96 of 100 writes")
		assert.Less(t, took[2], 25*time.Second, "96 writes, five a second")
		assert.Greater(t, took[2], 15*time.Second)
	})
}

// TestCalls: a read lists VMs, network interfaces and disks of the resource group. The first six
// machines are read at once, the others together. A write is one request for each resource.
func TestCalls(t *testing.T) {
	for n, want := range map[int][2]int{1: {3, 3}, 100: {21, 300}} {
		reads, writes := calls(t, n)
		assert.Equal(t, want, [2]int{reads, writes}, n)
	}
}
