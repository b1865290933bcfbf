package controller_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestAnythingHappens lets anything happen to a machine in any order, and then lets it be: safety holds all along, and in the end every
// resource has exactly the infrastructure tags that are desired, mandatory or somebody else's.
//
// The machine's keys are k1 to k4 with values v1 to v3. Others use keys f1 to f3, and give the machine's keys the value theirs.
func TestAnythingHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChaos(t)
		defer c.close()
		t.Repeat(map[string]func(*rapid.T){
			"":        c.foreignIsUntouched,
			"desire":  c.desire,
			"pass":    c.pass,
			"fault":   c.fault,
			"crash":   c.crash,
			"leader":  c.secondLeader,
			"foreign": c.foreign,
			"disturb": c.disturb,
			"migrate": c.migrate,
			"write":   c.writeMachine,
		})
		c.letItBe(t)
	})
}

// chaos is a simulation to which anything happens.
type chaos struct {
	*simulation.Simulation

	process   *simulation.Process
	desired   map[string]string
	theirs    map[string]map[string]string // keys that only others use, by resource
	disturbed bool
	writes    int
	log       []string
	unsafe    string // the first violation of safety
}

func newChaos(t *rapid.T) *chaos {
	c := &chaos{theirs: map[string]map[string]string{}}
	var err error
	c.Simulation, err = simulation.Start(context.Background(), simulation.Config{
		ReadLag: readLag, CacheLag: 2 * time.Second, BootTime: time.Minute,
		Settings: machineupdate.Settings{CallTimeout: 5 * time.Minute, ConfirmAfter: confirmAfter, RetryAfter: 20 * time.Second},
		Updates:  awsdriver.Updates(),
		Request:  c.observe,
		Report:   func(process, _, text string) { c.note(process + ": " + text) },
	})
	require.NoError(t, err)
	c.desired = map[string]string{"k1": "v1", "k2": "v1"}
	require.NoError(t, c.CreateClass(spec(c.desired)))
	c.process = c.StartController("c")
	require.NoError(t, c.CreateMachine("m"))
	if rapid.Bool().Draw(t, "from its creation on") {
		return c
	}
	require.True(t, c.RunUntil(10*time.Minute, func() bool { return c.phase(t) == api.MachineRunning }))
	attached := map[string]string{"k1": "v1", "k2": "v2", "f1": "x"}
	_, err = c.AttachVolume(vm, "/dev/xvdba", attached)
	require.NoError(t, err)
	_, err = c.AttachInterface(vm, 1, attached)
	require.NoError(t, err)
	for _, id := range []string{csi, cni} {
		c.theirs[id] = maps.Clone(attached)
	}
	return c
}

func (c *chaos) close() {
	// The test has its verdict; a server that does not close shows nowhere else.
	_ = c.Close()
}

func (c *chaos) note(text string) { c.log = append(c.log, c.Clock.Now().Format("15:04:05 ")+text) }

// observe checks what takes effect: only the machine's own keys and values are written, and removed only on that condition.
func (c *chaos) observe(r cloud.Request) {
	if r.Action.Reads() || r.AccessKey == simulation.OthersKey {
		return
	}
	c.writes++
	c.note(fmt.Sprintf("%s %s: %s", r.Action, names(r.Body), r.Outcome))
	request, ok := r.Body.(*cloudapi.TagsRequest)
	if !ok {
		return
	}
	for _, tag := range request.Tags {
		own := tag.Value != nil && strings.HasPrefix(tag.Key, "k") && strings.HasPrefix(*tag.Value, "v")
		restored := r.Action == cloudapi.CreateTags && mandatory[tag.Key] != ""
		if !own && !restored && c.unsafe == "" {
			c.unsafe = fmt.Sprintf("%s %s", r.Action, names(r.Body))
		}
	}
}

func (c *chaos) machine(t *rapid.T) *api.Machine {
	machine, err := c.Machine("m")
	require.NoError(t, err)
	return machine
}

func (c *chaos) phase(t *rapid.T) api.MachinePhase { return c.machine(t).Status.CurrentStatus.Phase }

// foreignIsUntouched is the boundary condition, and safety.
func (c *chaos) foreignIsUntouched(t *rapid.T) {
	require.Empty(t, c.unsafe, "%s", strings.Join(c.log, "\n"))
	require.LessOrEqual(t, len(c.Cloud.Instances()), 1, "a machine has one VM\n%s", strings.Join(c.log, "\n"))
	for id, theirs := range c.theirs {
		live, _ := c.Cloud.Tags(id)
		for key, value := range theirs {
			require.Equal(t, value, live[key], "%s of %s\n%s", key, id, strings.Join(c.log, "\n"))
		}
	}
}

func (c *chaos) desire(t *rapid.T) {
	c.desired = map[string]string{}
	for i := 1; i <= 4; i++ {
		if v := rapid.IntRange(0, 3).Draw(t, fmt.Sprintf("k%d", i)); v > 0 {
			c.desired[fmt.Sprintf("k%d", i)] = fmt.Sprintf("v%d", v)
		}
	}
	c.note(fmt.Sprint("desired ", c.desired))
	require.NoError(t, c.ChangeClass(spec(c.desired)))
}

func (c *chaos) pass(t *rapid.T) {
	c.Run(time.Duration(rapid.SampledFrom([]int{1, 5, 30, 200, 1000}).Draw(t, "seconds")) * time.Second)
}

func (c *chaos) fault(t *rapid.T) {
	fault := cloud.Fault{
		AccessKey: simulation.ControllersKey,
		Action: rapid.SampledFrom([]cloudapi.Action{
			cloudapi.CreateTags, cloudapi.DeleteTags, cloudapi.DescribeTags, cloudapi.DescribeInstances,
			cloudapi.RunInstances, cloudapi.ModifyInstanceAttribute,
		}).Draw(t, "action"),
		Effect: rapid.SampledFrom([]cloud.Effect{cloud.Refused, cloud.AnswerLost, cloud.LandsLate, cloud.NeverLands}).Draw(t, "effect"),
		Code:   rapid.SampledFrom([]cloudapi.Code{cloudapi.InternalError, cloudapi.RequestLimitExceeded}).Draw(t, "code"),
		Delay:  time.Duration(rapid.IntRange(0, 300).Draw(t, "delay")) * time.Second,
	}
	if fault.Action.Reads() && rapid.Bool().Draw(t, "stale") {
		fault.Effect, fault.Delay = cloud.Stale, fault.Delay/2
	}
	if rapid.IntRange(0, 3).Draw(t, "crash") == 0 {
		fault.Then = c.process.Kill
	}
	c.Cloud.Inject(fault)
}

func (c *chaos) crash(*rapid.T) {
	c.process.Kill()
	c.process = c.StartController("c")
}

// secondLeader is a controller that goes on while its successor has started.
func (c *chaos) secondLeader(t *rapid.T) {
	old := c.process
	c.process = c.StartController("c'")
	c.Run(time.Duration(rapid.IntRange(1, 120).Draw(t, "seconds")) * time.Second)
	old.Kill()
}

// foreign is somebody who uses keys that are never the machine's, on any resource.
func (c *chaos) foreign(t *rapid.T) {
	id := rapid.SampledFrom(append(own(), csi, cni)).Draw(t, "resource")
	if _, ok := c.Cloud.Tags(id); !ok {
		return
	}
	key := fmt.Sprintf("f%d", rapid.IntRange(1, 3).Draw(t, "f"))
	if c.theirs[id] == nil {
		c.theirs[id] = map[string]string{}
	}
	if rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
		delete(c.theirs[id], key)
		require.NoError(t, c.Untag(id, key))
		return
	}
	c.theirs[id][key] = fmt.Sprintf("x%d", rapid.IntRange(1, 3).Draw(t, "x"))
	require.NoError(t, c.Tag(id, key, c.theirs[id][key]))
}

// disturb is somebody who removes the machine's keys, or gives them another value.
func (c *chaos) disturb(t *rapid.T) {
	id := rapid.SampledFrom(own()).Draw(t, "resource")
	if _, ok := c.Cloud.Tags(id); !ok {
		return
	}
	c.disturbed = true
	key := fmt.Sprintf("k%d", rapid.IntRange(1, 4).Draw(t, "k"))
	c.note("disturbed: " + key + " of " + id)
	if rapid.Bool().Draw(t, "remove") {
		require.NoError(t, c.Untag(id, key))
		return
	}
	require.NoError(t, c.Tag(id, key, "theirs"))
}

func (c *chaos) migrate(t *rapid.T) {
	machine := c.machine(t)
	machine.Status = api.MachineStatus{}
	_, err := store.UpdateStatus(context.Background(), c.Store, machine)
	require.NoError(t, err)
	c.crash(t)
}

// writeMachine is somebody who writes the machine, so that whoever has read it before meets a conflict.
func (c *chaos) writeMachine(t *rapid.T) {
	_, err := store.Patch[api.Machine](context.Background(), c.Store, "m", []byte(`{"metadata":{"annotations":{"by":"autoscaler"}}}`))
	require.NoError(t, err)
}

// letItBe ends all faults and disturbances, and expects what liveness promises.
func (c *chaos) letItBe(t *rapid.T) {
	c.Cloud.Heal()
	c.process.Kill()
	c.Run(10 * time.Minute) // late requests land
	if c.disturbed {
		c.desired = maps.Clone(c.desired)
		c.desired["k5"] = "v1" // what others disturbed is only looked at in an update
		require.NoError(t, c.ChangeClass(spec(c.desired)))
	}
	c.process = c.StartController("last")
	c.Run(time.Minute)
	c.RunUntil(2*time.Hour, func() bool {
		if c.phase(t) == api.MachineFailed {
			return true
		}
		record, ok := recordOf(c.machine(t))
		return ok && record.settled() && c.phase(t) == api.MachineRunning
	})
	if c.phase(t) == api.MachineFailed {
		return // its creation took too long: it is replaced, not updated
	}
	before := c.writes
	c.Run(2 * time.Hour)
	require.Equal(t, before, c.writes, "once settled, nothing is written\n%s", strings.Join(c.log, "\n"))
	c.foreignIsUntouched(t)
	for _, id := range own() {
		live, _ := c.Cloud.Tags(id)
		want := maps.Clone(mandatory)
		maps.Copy(want, c.theirs[id])
		maps.Copy(want, c.desired)
		for key, value := range live {
			if value == "theirs" && want[key] == "" {
				want[key] = value // the machine does not want it any more, so it stays somebody else's
			}
		}
		require.Equal(t, want, live, "%s\n%s", id, strings.Join(c.log, "\n"))
	}
	for _, id := range []string{csi, cni} {
		if live, ok := c.Cloud.Tags(id); ok {
			require.Equal(t, c.theirs[id], live, id)
		}
	}
}
