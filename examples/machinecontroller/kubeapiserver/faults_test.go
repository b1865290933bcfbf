package kubeapiserver_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
)

// The faults, and the machines of their pool.
const (
	faults  = 400
	faulted = 8
)

// testFaults: after hundreds of faults of the cloud and of the processes, with writes of others to the machines in
// between, in any order, each resource has exactly the infrastructure tags of the class, the mandatory tags, and foreign
// tags, and MCM no longer calls the cloud.
func (s *server) testFaults(t *testing.T, program string) {
	t.Helper()
	f := s.hotCluster(t, "faults", program, ec2test.Config{
		ReadLag: 100 * time.Millisecond, BootTime: 200 * time.Millisecond, PageSize: 2, ModifyTime: 100 * time.Millisecond,
		Cooldown: 500 * time.Millisecond,
	})
	c := &chaos{hotCluster: f, random: rand.New(rand.NewPCG(1, 2)), done: map[string]int{}}
	f.allow(gardenletsRules(t))
	f.runDeployments()
	c.change()
	f.createPool(f.namespace, "class", faulted, rolling(1))
	f.leader = f.startProvider()
	for c.happened() < faults && !t.Failed() {
		c.step()
		time.Sleep(time.Duration(c.random.IntN(80)) * time.Millisecond)
	}
	t.Logf("%d faults: %v", c.happened(), c.done)
	f.cloud.Heal()
	f.cloud.Limit(nil, nil)
	f.settle(c.pairs...)
	before, _ := f.counted()
	time.Sleep(3 * time.Second)
	after, _ := f.counted()
	assert.Equal(t, before, after, "calls of the cloud although everything has settled")
}

// chaos makes faults.
type chaos struct {
	*hotCluster

	random   *rand.Rand
	injected int            // faults of the cloud
	done     map[string]int // other faults, by kind
	pairs    []string       // the tags of the class
	tagged   int
}

// happened returns the number of faults that have happened. Those of the cloud happen at a matching request.
func (c *chaos) happened() int {
	n := c.injected - c.cloud.Pending()
	for _, other := range c.done {
		n += other
	}
	return n
}

// step makes one fault, or changes the class.
func (c *chaos) step() {
	switch n := c.random.IntN(200); {
	case n < 30:
		c.change()
	case n < 40:
		c.tagForeign()
	case n < 60:
		c.interfere()
	case n < 63:
		c.cloud.Limit(nil, []*rate.Limiter{nil, rate.NewLimiter(10, 5)}[c.random.IntN(2)])
		c.done["throttled or not"]++
	case n < 66:
		c.crash()
	default:
		if c.cloud.Pending() < 30 {
			c.cloud.Inject(c.fault())
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

// change gives the class other tags, and the data volume another performance.
func (c *chaos) change() {
	c.pairs = nil
	for _, key := range []string{"a", "b", "c", "d"} {
		if value := c.random.IntN(4); value > 0 {
			c.pairs = append(c.pairs, key, strconv.Itoa(value))
		}
	}
	c.iops = new(int32(3000 + 1000*c.random.IntN(3)))
	c.put("class", c.spec(c.pairs...))
}

// tagForeign sets a foreign tag on any resource.
func (c *chaos) tagForeign() {
	resources := c.cloud.Resources()
	if len(resources) == 0 || c.tagged > 200 {
		return
	}
	id := resources[c.random.IntN(len(resources))].ID
	key := fmt.Sprintf("foreign-%d", c.random.IntN(10))
	c.tagged++
	c.cloud.Change(id, func(r *ec2test.Resource) { r.Tags[key] = strconv.Itoa(c.tagged) })
	if c.foreign[id] == nil {
		c.foreign[id] = map[string]string{}
	}
	c.foreign[id][key] = strconv.Itoa(c.tagged)
	c.done["foreign tag"]++
}

// interfere writes a machine, so that its earlier readers get a conflict.
func (c *chaos) interfere() {
	names := c.names()
	if len(names) == 0 {
		return
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"others":"%d"}}}`, c.random.Int())
	name := names[c.random.IntN(len(names))]
	_, err := c.machines.Machines(c.namespace).Patch(c.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil {
		c.done["machine written by others"]++
	}
}

// crash kills the process, or lets it sleep while another one works.
func (c *chaos) crash() {
	if c.random.IntN(3) > 0 {
		c.leader.kill()
		c.done["process killed"]++
		c.leader = c.startProvider()
		return
	}
	sleeper := c.leader
	assert.NoError(c, sleeper.Process.Signal(syscall.SIGSTOP))
	c.leader = c.startProvider()
	time.Sleep(time.Duration(c.random.IntN(4000)) * time.Millisecond)
	assert.NoError(c, sleeper.Process.Signal(syscall.SIGCONT))
	c.done["two processes"]++
	time.Sleep(time.Duration(c.random.IntN(2000)) * time.Millisecond)
	sleeper.kill()
}
