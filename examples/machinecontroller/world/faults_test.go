package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/world"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

const (
	faults   = 1000
	pool     = 8 // machines
	class    = "class"
	patience = 2 * time.Minute
)

// TestRandomFaults: after a thousand faults of the cloud, of the API server and of the processes, in any order, each
// resource has exactly the infrastructure tags of the class, the mandatory tags, and foreign tags, and the controllers
// no longer call the cloud.
func TestRandomFaults(t *testing.T) {
	server, err := apiserver.Start(t.Context())
	require.NoError(t, err)
	defer server.Stop()
	c := &chaos{t: t, random: rand.New(rand.NewPCG(1, 2)), done: map[string]int{}, foreign: map[string]map[string]string{}}
	c.w, err = world.Start(t.Context(), server.Config, world.Config{
		Namespace: "faults", Workers: 8, VolumeCooldown: 500 * time.Millisecond, Attempt: 150 * time.Millisecond,
		Settings: machineupdate.Settings{
			CallTimeout: 3 * time.Second, CreationTimeout: 3 * time.Second, RetryAfter: time.Second, ConfirmAfter: 7 * time.Second,
		},
		Retry: controller.Retry{
			Conflict: 50 * time.Millisecond, Short: 200 * time.Millisecond, Medium: 500 * time.Millisecond, Long: 2 * time.Second,
		},
		Cloud: ec2test.Config{
			ReadLag: 100 * time.Millisecond, BootTime: 200 * time.Millisecond, PageSize: 2, ModifyTime: 100 * time.Millisecond,
			Cooldown: 500 * time.Millisecond, Observe: func(ec2test.Request) { c.calls.Add(1) },
		},
	})
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.w.Close()) }()
	require.NoError(t, c.w.PutClass(class, c.change()))
	require.NoError(t, c.w.CreatePool("m", class, hotupdate.AutoRollingUpdate, pool))
	c.startReplica()
	c.startReplica()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	for c.happened() < faults {
		c.step()
		time.Sleep(time.Duration(c.random.IntN(20)) * time.Millisecond)
		require.NoError(t, ctx.Err(), "%d faults happened", c.happened())
	}
	t.Logf("%d faults: %v", c.happened(), c.done)
	c.heal()
	c.settle()
	c.expect()
}

// chaos makes faults.
type chaos struct {
	t        *testing.T
	w        *world.World
	random   *rand.Rand
	replicas []*world.Replica
	started  int
	injected int            // faults of the cloud
	done     map[string]int // other faults, by kind
	desired  map[string]string
	iops     int32
	foreign  map[string]map[string]string // infrastructure tags of others, by resource
	tagged   int
	calls    atomic.Int64 // that the cloud got
}

// happened returns the number of faults that have happened. Those of the cloud happen at a matching request.
func (c *chaos) happened() int {
	n := c.injected - c.w.Cloud.Pending()
	for _, other := range c.done {
		n += other
	}
	return n
}

func (c *chaos) note(kind string) { c.done[kind]++ }

// step makes one fault, or changes the class.
func (c *chaos) step() {
	switch n := c.random.IntN(200); {
	case n < 30:
		require.NoError(c.t, c.w.PutClass(class, c.change()))
	case n < 40:
		c.tagForeign()
	case n < 60:
		c.interfere()
	case n < 80:
		c.one().Lose([]string{"PATCH ", "PUT ", "GET "}[c.random.IntN(3)] + "/apis/machine.sapcloud.io")
		c.note("answer of the API server lost")
	case n < 83:
		c.w.BreakNode(c.w.Machine(c.machine()).Labels[api.NodeLabelKey], c.random.IntN(2) == 0)
		c.note("node broken or mended")
	case n < 86:
		c.w.Cloud.Limit(nil, []*rate.Limiter{nil, rate.NewLimiter(10, 5)}[c.random.IntN(2)])
		c.note("throttled or not")
	case n < 88:
		c.crash()
	default:
		if c.w.Cloud.Pending() < 30 {
			c.w.Cloud.Inject(c.fault())
			c.injected++
		}
	}
}

// fault is any fault of the cloud. Late requests land within a second.
func (c *chaos) fault() ec2test.Fault {
	reads := []string{"DescribeInstances", "DescribeVolumes", "DescribeNetworkInterfaces", "DescribeVolumesModifications"}
	writes := []string{
		"CreateTags", "DeleteTags", "CreateTags", "DeleteTags", "RunInstances", "ModifyNetworkInterfaceAttribute", "ModifyVolume",
	}
	codes := []string{"InternalError", "RequestLimitExceeded", "UnauthorizedOperation", "InvalidInstanceID.NotFound"}
	if c.random.IntN(3) == 0 {
		effect := []ec2test.Effect{ec2test.Refused, ec2test.AnswerLost, ec2test.NeverLands, ec2test.Stale}[c.random.IntN(4)]
		return ec2test.Fault{
			Action: reads[c.random.IntN(len(reads))], Effect: effect, Code: codes[c.random.IntN(3)], Delay: 300 * time.Millisecond,
		}
	}
	action := writes[c.random.IntN(len(writes))]
	effect := []ec2test.Effect{ec2test.Refused, ec2test.AnswerLost, ec2test.NeverLands, ec2test.LandsLate}[c.random.IntN(4)]
	if action == "ModifyVolume" && c.random.IntN(3) == 0 {
		effect = ec2test.FailsLater
	}
	return ec2test.Fault{
		Action: action, Effect: effect, Code: codes[c.random.IntN(len(codes))],
		Delay: time.Duration(c.random.IntN(1000)) * time.Millisecond,
	}
}

// change returns a spec with other tags.
func (c *chaos) change() *awsdriver.ProviderSpec {
	c.desired = map[string]string{}
	for _, key := range []string{"a", "b", "c", "d"} {
		if value := c.random.IntN(4); value > 0 {
			c.desired[key] = strconv.Itoa(value)
		}
	}
	c.iops = int32(3000 + 1000*c.random.IntN(3)) //nolint:gosec // small
	spec := &awsdriver.ProviderSpec{
		AMI: "ami-1", Region: "eu-west-1", SrcAndDstChecksEnabled: new(false),
		BlockDevices:      []awsdriver.BlockDevice{{DeviceName: "/anything", Ebs: awsdriver.Ebs{Iops: &c.iops}}},
		NetworkInterfaces: []awsdriver.NetworkInterface{{}},
		Tags:              map[string]string{"kubernetes.io/cluster/shoot": "1", "kubernetes.io/role/node": "1"},
		ResourceTags:      &tags.Tags{VM: map[string]string{"vm-only": "1"}},
	}
	maps.Copy(spec.Tags, c.desired)
	return spec
}

// tagForeign sets a foreign tag on any resource.
func (c *chaos) tagForeign() {
	all := c.w.Cloud.Resources()
	if len(all) == 0 || c.tagged > 200 {
		return
	}
	id := all[c.random.IntN(len(all))].ID
	key := fmt.Sprintf("foreign-%d", c.random.IntN(10))
	c.tagged++
	c.w.Cloud.Change(id, func(r *ec2test.Resource) { r.Tags[key] = strconv.Itoa(c.tagged) })
	if c.foreign[id] == nil {
		c.foreign[id] = map[string]string{}
	}
	c.foreign[id][key] = strconv.Itoa(c.tagged)
	c.note("foreign tag")
}

// interfere writes a machine, so that its earlier readers get a conflict.
func (c *chaos) interfere() {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"others":"%d"}}}`, c.random.Int())
	_, err := c.w.Client.Machines.Patch(c.t.Context(), c.machine(), types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil {
		c.note("machine written by others")
	}
}

func (c *chaos) machine() string { return fmt.Sprintf(class+"-%d", c.random.IntN(pool)) }

func (c *chaos) one() *world.Replica { return c.replicas[c.random.IntN(len(c.replicas))] }

// crash kills a process, or freezes it for a while, so that it may lose its lease.
func (c *chaos) crash() {
	at := c.random.IntN(len(c.replicas))
	victim := c.replicas[at]
	switch {
	case c.random.IntN(3) > 0:
		victim.Freeze()
		time.AfterFunc(time.Duration(c.random.IntN(2000))*time.Millisecond, victim.Thaw)
		c.note("process asleep")
	default:
		victim.Kill()
		c.note("process killed")
	}
	for i, replica := range c.replicas {
		if replica.Ended() {
			c.replicas[i] = c.startOne()
		}
	}
}

func (c *chaos) startReplica() { c.replicas = append(c.replicas, c.startOne()) }

func (c *chaos) startOne() *world.Replica {
	c.started++
	replica, err := c.w.StartReplica(fmt.Sprintf("replica-%d", c.started))
	require.NoError(c.t, err)
	return replica
}

// heal ends all faults.
func (c *chaos) heal() {
	c.w.Cloud.Heal()
	c.w.Cloud.Limit(nil, nil)
	for i := range pool {
		c.w.BreakNode(c.w.Machine(fmt.Sprintf(class+"-%d", i)).Labels[api.NodeLabelKey], false)
	}
	c.startReplica()
}

// settle waits until all machines are up to date.
func (c *chaos) settle() {
	settled := func() bool {
		for i := range pool {
			machine := c.w.Machine(fmt.Sprintf(class+"-%d", i))
			record := machine.Annotations[machineupdate.AnnotationRecord]
			if machine.Status.CurrentStatus.Phase != api.MachineRunning ||
				strings.Contains(record+machine.Annotations[machineupdate.AnnotationRecord+"-volume"], `"state"`) || !c.isWanted(record) {
				return false
			}
		}
		return true
	}
	if err := c.w.Until("all machines have settled", patience, settled); err != nil {
		for i := range pool {
			machine := c.w.Machine(fmt.Sprintf(class+"-%d", i))
			c.t.Logf("%s %+v %s", machine.Name, machine.Status, machine.Annotations[machineupdate.AnnotationRecord])
		}
		require.NoError(c.t, err)
	}
}

// isWanted reports whether the record has the class's current hot part.
func (c *chaos) isWanted(annotation string) bool {
	var record struct {
		Parts []struct{ Applied awsdriver.ProviderSpec }
	}
	if err := json.Unmarshal([]byte(annotation), &record); err != nil || len(record.Parts) == 0 {
		return false
	}
	applied := maps.Clone(record.Parts[0].Applied.Tags)
	maps.DeleteFunc(applied, func(key, _ string) bool { return strings.HasPrefix(key, "kubernetes.io/") })
	return maps.Equal(applied, c.desired)
}

// expect checks every resource, and that there are no further calls to the cloud.
func (c *chaos) expect() {
	named := map[string]string{} // the machine of a VM
	for i := range pool {
		machine := c.w.Machine(fmt.Sprintf(class+"-%d", i))
		named[machine.Spec.ProviderID[strings.LastIndexByte(machine.Spec.ProviderID, '/')+1:]] = machine.Name
	}
	all := c.w.Cloud.Resources()
	require.Len(c.t, all, 3*pool, "VM, volume and network interface of each machine, and no VM twice")
	for _, r := range all {
		want := map[string]string{"kubernetes.io/cluster/shoot": "1", "kubernetes.io/role/node": "1", "Name": named[r.Instance]}
		if r.Kind == ec2test.Instance {
			want["Name"] = named[r.ID]
			want["vm-only"] = "1"
		}
		maps.Copy(want, c.desired)
		maps.Copy(want, c.foreign[r.ID])
		assert.Equal(c.t, want, r.Tags, r.ID)
		if r.Kind == ec2test.Volume {
			assert.EqualValues(c.t, c.iops, r.Iops, r.ID)
		}
	}
	calls := c.calls.Load()
	time.Sleep(3 * time.Second)
	assert.Equal(c.t, calls, c.calls.Load(), "calls of the cloud although everything has settled")
}
