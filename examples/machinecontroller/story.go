package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

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
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The times of the story. ConfirmAfter is longer than the sum of the time in which a creation or an
// update sends requests, the delay of a late request, the lag of reads, and one second, the
// precision of records.
const (
	readLag    = 200 * time.Millisecond
	landsAfter = 1500 * time.Millisecond
	cooldown   = 6 * time.Second
	attempt    = 400 * time.Millisecond
	patience   = 2 * time.Minute
)

var settings = machineupdate.Settings{
	CallTimeout: 2 * time.Second, CreationTimeout: 2 * time.Second, RetryAfter: time.Second,
	ConfirmAfter: 5 * time.Second,
}

// The names of the story.
const (
	pool    = "pool-z1"
	class   = pool + "-159ea"
	machine = class + "-0"
	other   = class + "-1"
	vm      = "i-1"
	card    = "eni-1"
	root    = "vol-1"
	data    = "vol-2"
)

// story runs the chapters. Its first error ends it.
type story struct {
	*teller

	err            error
	world          *world.World
	transfer       controller.Transfer
	leader, second *world.Replica
	replicas       int
	csi, cni       string                       // foreign resources
	iops           *int32                       // of the data volume in the class
	foreign        map[string]map[string]string // foreign infrastructure tags, by resource
	updated        atomic.Value                 // the only node whose agent answers, or everybody
}

// everybody means all agents.
const everybody = "everybody"

// tell runs the whole story, or up to the first error.
func tell(ctx context.Context, out io.Writer, transfer controller.Transfer) error {
	s := &story{
		teller: &teller{out: out, began: time.Now()}, transfer: transfer, foreign: map[string]map[string]string{},
	}
	server, err := apiserver.Start(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	s.world, err = world.Start(ctx, server.Config, world.Config{
		Namespace: "shoot--demo", Settings: settings, Transfer: transfer, Workers: 2, Attempt: attempt,
		VolumeCooldown: cooldown,
		Observe:        s.event, Takeover: s.takeover,
		Updated: func(node string) bool {
			only := s.updated.Load()
			return only == nil || only == everybody || only == node
		},
		Retry: controller.Retry{
			Conflict: 200 * time.Millisecond, Short: 300 * time.Millisecond, Medium: time.Second, Long: 2 * time.Second,
		},
		Cloud: ec2test.Config{
			ReadLag: readLag, BootTime: time.Second, ModifyTime: 500 * time.Millisecond, Cooldown: cooldown,
			PageSize: 2, Observe: s.request,
		},
	})
	if err != nil {
		return err
	}
	s.preface()
	for _, chapter := range []func(){
		s.creation, s.change, s.crash, s.lateRequest, s.foreignTags, s.twoLeaders, s.throttling, s.volume, s.adoption,
		s.unreadable, s.inPlace, s.manual, s.surge, s.quiet, s.deletion, s.beside,
	} {
		if chapter(); s.err != nil {
			return errors.Join(fmt.Errorf("chapter %d: %w", s.chapters, s.err), s.world.Close())
		}
	}
	return s.world.Close()
}

// spec returns the provider spec of the class: immutable fields, the mandatory keys, a label of the
// pool for the VM, the performance of the data volume, and these infrastructure tags.
func (s *story) spec(pairs ...string) *awsdriver.ProviderSpec {
	flat := map[string]string{"kubernetes.io/cluster/shoot--demo": "1", "kubernetes.io/role/node": "1"}
	for i := 0; i < len(pairs); i += 2 {
		flat[pairs[i]] = pairs[i+1]
	}
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices: []awsdriver.BlockDevice{
			{DeviceName: "/root"}, {DeviceName: "/dev/sdf", Ebs: awsdriver.Ebs{Iops: s.iops}},
		},
		NetworkInterfaces:      []awsdriver.NetworkInterface{{SubnetID: "subnet-1", Ipv6PrefixCount: new(int32(1))}},
		SrcAndDstChecksEnabled: new(false),
		Tags:                   flat,
		ResourceTags:           &tags.Tags{VM: map[string]string{"pool": "z1"}},
	}
}

func (s *story) preface() {
	s.line("A machine controller updates infrastructure tags on running machines. The reads of the cloud "+
		"lag %s behind.", readLag)
	s.line("The keys kubernetes.io/…, by which the driver finds the machine, and Name are left out below.")
}

func (s *story) creation() {
	s.chapter("A machine is created",
		"Before the VM is launched, the controller writes down what it is about to apply. Initialization fails once, "+
			"and is retried: from then on",
		"nobody knows for sure what the VM was made with, so it is updated, and its node drained for what only a "+
			"drained node allows. At last a CSI",
		"driver attaches a volume, and a CNI plugin an interface, both with a tag that looks like "+
			"one of the machine's.")
	s.world.Cloud.Inject(ec2test.Fault{
		Action: "AssignIpv6Addresses", Effect: ec2test.Refused, Code: "InsufficientFreeAddressesInSubnet",
	})
	s.changeClass("cost-center", "1000", "owner", "alice")
	s.startReplicas(2)
	s.says("extension", "creates a pool with one machine")
	s.must(s.world.CreatePool(pool, class, hotupdate.AutoInPlaceUpdate, 1))
	s.untilPhase(machine, api.MachineRunning)
	s.expect(len(s.machines()) == 1, "the pool has %d machines, not 1", len(s.machines()))
	s.csi = s.world.Cloud.Attach(ec2test.Resource{
		Kind: ec2test.Volume, Instance: vm, Device: "/dev/xvdba", Tags: map[string]string{"owner": "alice"},
	})
	s.cni = s.world.Cloud.Attach(ec2test.Resource{
		Kind: ec2test.NetworkInterface, Instance: vm, DeviceIndex: 1, DeleteOnTermination: true,
		Tags: map[string]string{"owner": "alice"},
	})
	s.foreign[s.csi] = map[string]string{"owner": "alice"}
	s.foreign[s.cni] = map[string]string{"owner": "alice"}
	s.says("others", "attach %s and %s", s.csi, s.cni)
	s.settle("cost-center", "1000", "owner", "alice")
}

func (s *story) change() {
	s.chapter("Its tags change",
		"The class keeps its name, so no machine is replaced. The controller calls the driver's UpdateMachine, which "+
			"touches only what the",
		"launch made, and removes a key only if it still has the machine's value. A success is not believed at once: "+
			"later, when nothing can be",
		"under way any more and reads have caught up, a second pass confirms it. Until then both specs are remembered.")
	s.changeClass("cost-center", "2000")
	s.untilUpdated()
	s.show()
	s.settle("cost-center", "2000")
}

func (s *story) crash() {
	s.chapter("The leader crashes in the middle of an update, and the change is taken back",
		"The key team was to be set, and cost-center to be removed. One of the calls was made. The other replica "+
			"finds a class that wants what was",
		"last applied. To compare the two, or their hashes, would find nothing to do, and leave team=blue for ever. "+
			"But the record says that a",
		"call may have been made: that alone leads to an update.")
	crashed := s.leader
	crashed.After("Action=CreateTags", crashed.Kill)
	s.changeClass("team", "blue")
	s.until("the leader is dead", crashed.Ended)
	s.says(crashed.Name, "is dead")
	s.show()
	s.changeClass("cost-center", "2000")
	s.succeed()
	s.settle("cost-center", "2000")
}

func (s *story) lateRequest() {
	s.chapter("A request takes effect when nobody waits for it any more",
		"The SDK gives up waiting, sends the request again, and that succeeds. Then the change is taken back, which "+
			"succeeds as well; and then the",
		"first request comes through. The second pass finds what it did, and puts it right.")
	s.world.Cloud.Inject(ec2test.Fault{Action: "CreateTags", Effect: ec2test.LandsLate, Delay: landsAfter})
	s.changeClass("cost-center", "3000")
	s.untilLive("cost-center", "3000")
	// otherwise the next pass reads that there is nothing to undo, and only its confirmation
	// corrects that
	time.Sleep(2 * readLag)
	s.changeClass("cost-center", "2000")
	s.untilLive("cost-center", "2000")
	s.world.Cloud.LandNow()
	s.show()
	s.settle("cost-center", "2000")
}

func (s *story) foreignTags() {
	s.chapter("Others use tags, too",
		"Somebody adds a key of their own to a volume, and gives the other volume's cost-center a value of theirs, "+
			"just before the class drops",
		"that key. The driver's read does not show it yet, but the cloud removes the key only where it has "+
			"the machine's value.")
	time.Sleep(time.Second) // until no stale read shows the state before the last chapter's end
	s.says("somebody", "sets backup=nightly on %s, and cost-center=9999 on %s", root, data)
	s.world.Cloud.Change(root, func(r *ec2test.Resource) { r.Tags["backup"] = "nightly" })
	s.foreign[root] = map[string]string{"backup": "nightly"}
	s.world.Cloud.Inject(ec2test.Fault{Action: "DescribeVolumes", Effect: ec2test.Stale, Delay: 500 * time.Millisecond})
	s.world.Cloud.Change(data, func(r *ec2test.Resource) { r.Tags["cost-center"] = "9999" })
	s.foreign[data] = map[string]string{"cost-center": "9999"}
	s.changeClass("team", "red")
	s.settle("team", "red")
}

func (s *story) twoLeaders() {
	s.chapter("Two leaders",
		"The leader falls asleep when its call has been answered, and before it can write that down. Its lease ends, "+
			"the other replica leads, and",
		"does what the class wants by then. When the old leader wakes up, it writes down its success, unless it "+
			"learns first that it leads no more.",
		"That write is a conflict, as somebody wrote in between.")
	old := s.leader
	old.After("Action=CreateTags", old.Freeze)
	s.changeClass("team", "green")
	s.untilLive("team", "green")
	s.says(old.Name, "falls asleep")
	s.changeClass("team", "blue")
	s.succeed()
	s.untilUpdated()
	s.says(old.Name, "wakes up")
	old.Thaw()
	s.until("the old leader has ended", old.Ended)
	if old.Controller.Ended("Conflicted") > 0 {
		s.says(old.Name, "had a conflict, and has ended")
	} else {
		s.says(old.Name, "has ended before it could write")
	}
	s.settle("team", "blue")
}

func (s *story) throttling() {
	s.chapter("The cloud throttles",
		"One write in two seconds is allowed. The kit repeats what is throttled as long as the update lasts; what is "+
			"left over then is done",
		"by the next update. The class says cost-center again: it takes over the key of",
		"somebody else.")
	s.world.Cloud.Limit(nil, rate.NewLimiter(0.5, 1))
	delete(s.foreign, data)
	s.changeClass("cost-center", "5000")
	s.settle("cost-center", "5000")
	s.world.Cloud.Limit(nil, nil)
}

func (s *story) volume() {
	s.chapter("What a volume can do changes, too",
		"The cloud accepts the change of a volume, and makes it later; until then the update is pending. Then it "+
			"refuses another one, here for 6",
		"seconds, at Amazon for six hours. The volume has a lane of its own, so the tags do not wait for that.")
	s.iops = new(int32(4000))
	s.says("extension", "makes the class say 4000 IOPS for the data volume")
	s.must(s.world.PutClass(class, s.spec("cost-center", "5000")))
	s.untilIops(4000)
	s.iops = new(int32(5000))
	s.says("extension", "makes the class say 5000 IOPS, and team=gold")
	s.must(s.world.PutClass(class, s.spec("cost-center", "5000", "team", "gold")))
	s.untilLive("team", "gold")
	r, _ := s.world.Cloud.Resource(data)
	s.expect(r.Iops == 4000, "%s has %d IOPS while the cloud refuses to change them", data, r.Iops)
	s.untilIops(5000)
	s.settle("cost-center", "5000", "team", "gold")
}

func (s *story) adoption() {
	s.chapter("A machine that nobody has updated before",
		"It has no record, as all machines when hot updates arrive. The first pass reads the cloud once for every "+
			"machine, and writes to it only if",
		"something differs. What it finds and the class does not say belongs to others, for nobody knows better.")
	s.says("operator", "removes the record of %s", machine)
	remove := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, machineupdate.AnnotationRecord)
	_, err := s.world.Client.Machines.Patch(context.Background(), machine, types.MergePatchType, remove,
		metav1.PatchOptions{})
	s.must(err)
	s.foreign[vm] = map[string]string{"forgotten": "1"}
	s.world.Cloud.Change(vm, func(r *ec2test.Resource) { r.Tags["forgotten"] = "1" })
	s.settle("cost-center", "5000", "team", "gold")
}

func (s *story) unreadable() {
	s.chapter("A class that cannot be read",
		"The extension writes the tags as a list, which the driver cannot read. No machine is updated, and none is "+
			"replaced. As soon as",
		"the class can be read, the machine is updated, and the pool grows by a machine.")
	s.says("extension", "changes the class to one whose tags are a list")
	unreadable := struct {
		*awsdriver.ProviderSpec
		Listed []string `json:"tags"`
	}{s.spec("cost-center", "6000"), []string{"cost-center=6000"}}
	s.must(s.world.PutClass(class, unreadable))
	time.Sleep(3 * time.Second)
	s.expectLive(s.world.Machine(machine), "cost-center", "5000", "team", "gold")
	s.changeClass("cost-center", "7000")
	s.scale(2)
	s.untilPhase(other, api.MachineRunning)
	s.settle("cost-center", "7000")
}

func (s *story) inPlace() {
	const next = pool + "-7a3b1"
	s.chapter("An in-place update in between",
		"The pool gets a new class: another image, another tag, and the VM's metadata may be read with a token only, "+
			"which pods on the node might not know.",
		"Its machines stay. What they should be stands in the template of the pool, whichever class they name. "+
			"The tag is set at once. The rest",
		"waits until the nodes are drained, one after the other, and the agent on each has installed the image.")
	changed := s.spec("cost-center", "7000", "team", "red")
	changed.AMI = "ami-2"
	changed.InstanceMetadataOptions = &awsdriver.InstanceMetadataOptions{HTTPTokens: required}
	s.says("extension", "creates the class %s with another image, team=red, cost-center=7000 and httpTokens=required",
		next)
	s.updated.Store("nobody")
	s.must(s.world.PutClass(next, changed))
	s.must(s.world.ChangePool(pool, func(d *api.MachineDeployment) { d.Spec.Template.Spec.Class.Name = next }))
	s.untilLive("team", "red")
	updating := ""
	for range s.machines() {
		updating = s.untilReadyForUpdate()
		s.says("extension", "changes the class %s to owner=%s while the node of %s is being updated",
			next, updating, updating)
		changed.Tags["owner"] = updating
		s.must(s.world.PutClass(next, changed))
		s.untilLive("owner", updating)
		s.says("agent", "has updated the node of %s", updating)
		s.updated.Store(s.world.Node(updating).Name)
		s.untilTaken(updating, next)
	}
	named := class
	if s.transfer == controller.NameClass {
		named = next
	}
	s.says("extension", "deletes the class %s; the machines name %s", class, named)
	s.must(s.world.Client.MachineClasses.Delete(context.Background(), class, metav1.DeleteOptions{}))
	s.settle("cost-center", "7000", "team", "red", "owner", updating)
	s.expect(s.world.Machine(machine).Spec.Class.Name == named, "%s names another class", machine)
}

func (s *story) manual() {
	const next = pool + "-0c5d2"
	s.chapter("An in-place update by the user of the pool",
		"The pool gets another class, and ManualInPlaceUpdate. Both nodes become candidates, which the",
		"cluster-autoscaler must not remove, and wait. The user selects them in their own order.")
	s.says("extension", "creates the class %s with another image, and changes the strategy to ManualInPlaceUpdate",
		next)
	s.updated.Store(everybody)
	before := setOf(s.world.Machine(machine))
	s.putInPlaceClass(next, "ami-3", "8000")
	s.must(s.world.ChangePool(pool, func(d *api.MachineDeployment) {
		d.Spec.Template.Spec.Class.Name = next
		d.Spec.Strategy = world.Strategy(hotupdate.ManualInPlaceUpdate, 1, 0)
	}))
	for _, name := range []string{machine, other} {
		s.until("the node of "+name+" is a candidate", func() bool {
			return s.world.Node(name).Annotations["cluster-autoscaler.kubernetes.io/scale-down-disabled"] == "true"
		})
	}
	for i, name := range []string{other, machine} {
		time.Sleep(time.Second) // for a controller that would go on by itself
		s.expect(!s.world.Node(machine).Spec.Unschedulable && setOf(s.world.Machine(machine)) == before,
			"%s did not wait", machine)
		s.says("user", "selects the node of %s", name)
		s.must(s.world.SelectNode(name))
		s.untilTaken(name, next)
		s.expect(i > 0 || s.world.Node(machine).Labels[inplace.SelectedLabel] == "", "%s is selected", machine)
	}
	s.settle("cost-center", "8000", "team", "red")
}

func (s *story) surge() {
	const next = pool + "-d1e80"
	s.chapter("An in-place update with a surge machine",
		"The pool gets another class, AutoInPlaceUpdate, maxUnavailable 0 and maxSurge 1. A machine is created",
		"for the new class, then one of the others is updated, and the last one is deleted.")
	s.says("extension",
		"creates the class %s with another image, and changes the strategy to AutoInPlaceUpdate with maxSurge 1", next)
	s.putInPlaceClass(next, "ami-4", "9000")
	s.must(s.world.ChangePool(pool, func(d *api.MachineDeployment) {
		d.Spec.Template.Spec.Class.Name = next
		d.Spec.Strategy = world.Strategy(hotupdate.AutoInPlaceUpdate, 0, 1)
	}))
	least := len(s.machines())
	most := 0
	s.until("two machines of the new set are left", func() bool {
		machines := s.machines()
		least = min(least, s.countAvailable(machines))
		most = max(most, len(machines))
		isOld := func(m *api.Machine) bool { return setOf(m) != next }
		return len(machines) == 2 && !slices.ContainsFunc(machines, isOld)
	})
	s.says("pool", "had %d machines at most, and %d of them available at least", most, least)
	s.expect(least == 2 && most == 3, "the pool had %d machines at most, and %d of them available at least", most,
		least)
	for _, m := range s.machines() {
		s.says(m.Name, "has %s", instanceOf(m))
	}
	s.untilTaken(machine, next)
	s.settle("cost-center", "9000", "team", "red")
}

// putInPlaceClass creates a class for an in-place update.
func (s *story) putInPlaceClass(name, image, costCenter string) {
	changed := s.spec("cost-center", costCenter, "team", "red")
	changed.AMI = image
	changed.InstanceMetadataOptions = &awsdriver.InstanceMetadataOptions{HTTPTokens: required}
	s.must(s.world.PutClass(name, changed))
}

func (s *story) quiet() {
	s.chapter("Nothing is left to do",
		"Every resource has exactly the tags that are desired, mandatory, or somebody else's. The leader goes on "+
			"looking at the machines, and leaves",
		"the cloud alone.")
	before := s.callsUntilNow()
	time.Sleep(3 * time.Second)
	calls := s.callsUntilNow() - before
	s.expect(calls == 0, "%d calls although all machines are settled", calls)
	s.says(s.leader.Name, "has made no call to the cloud for 3 seconds; its metrics:")
	s.showMetrics()
}

func (s *story) deletion() {
	s.chapter("The machines are deleted",
		"What the launch made goes with them, and so does what others attached to be deleted with the VM. The volume "+
			"of the CSI driver stays.")
	s.says("extension", "deletes the pool")
	s.scale(0)
	s.until("all machines are gone", func() bool { return len(s.machines()) == 0 })
	left := s.world.Cloud.Resources()
	s.showLive("none", left)
	s.expect(len(left) == 1 && left[0].ID == s.csi,
		"%d resources are left, not the volume %s of others alone", len(left), s.csi)
}

func (s *story) beside() {
	const next = "pool-z2-159ea"
	s.chapter("The same beside an unmodified controller",
		"Another controller knows nothing of hot updates, as machine-controller-manager today. The updater in its "+
			"process watches machines, and writes",
		"to none before it runs. A class changes while its first machine is being created: what the launch has set "+
			"was stored before, so it is removed.")
	s.leader.Kill()
	s.second.Kill()
	s.until("the controllers are dead", func() bool { return s.leader.Ended() && s.second.Ended() })
	var err error
	s.leader, err = s.world.StartBeside("unmodified")
	s.must(err)
	s.until("the unmodified controller leads", s.leader.Leads)
	s.leader.After("Action=RunInstances", func() {
		s.must(s.world.PutClass(next, s.spec("cost-center", "9000")))
	})
	s.says("extension",
		"creates a pool with one machine, with team=blue, and makes the class say cost-center=9000 during the launch")
	s.must(s.world.PutClass(next, s.spec("team", "blue")))
	s.must(s.world.CreatePool("pool-z2", next, hotupdate.AutoRollingUpdate, 1))
	want := show(s.spec("cost-center", "9000").Tags)
	s.until("the machine has settled with "+want, func() bool { return isSettled(s.world.Machine(next+"-0"), want) })
	time.Sleep(2 * readLag)
	made := s.world.Machine(next + "-0")
	s.expectLive(made, "cost-center", "9000")
	s.showLive(made.Annotations[machineupdate.AnnotationRecord], s.world.Cloud.Resources())
}
