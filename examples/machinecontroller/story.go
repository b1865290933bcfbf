package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/world"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The times of the story. ConfirmAfter is longer than a creation or an update may send requests, a late request takes to land, reads lag, and
// the second to which records are exact, together.
const (
	readLag    = 200 * time.Millisecond
	landsAfter = 1500 * time.Millisecond
	cooldown   = 6 * time.Second
	attempt    = 400 * time.Millisecond
	patience   = 30 * time.Second
)

var settings = machineupdate.Settings{
	CallTimeout: 2 * time.Second, CreationTimeout: 2 * time.Second, RetryAfter: time.Second, ConfirmAfter: 5 * time.Second,
	DenialDelay: time.Second,
}

// What the story is about.
const (
	pool    = "pool-z1"
	class   = "shoot--demo--pool-z1-159ea"
	machine = pool + "-0"
	vm      = "i-1"
	card    = "eni-1"
	root    = "vol-1"
	data    = "vol-2"
)

// story is what happens. Its first error ends it.
type story struct {
	*teller

	world          *world.World
	leader, second *world.Replica
	replicas       int
	csi, cni       string                       // what others attached
	iops           *int32                       // of the data volume, as the class says
	foreign        map[string]map[string]string // infrastructure tags of others, by resource
}

// tell tells the whole story, or as much of it as came before the error.
func tell(ctx context.Context, out io.Writer) error {
	s := &story{teller: &teller{out: out, began: time.Now()}, foreign: map[string]map[string]string{}}
	server, err := apiserver.Start(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	s.world, err = world.Start(ctx, server.Config, world.Config{
		Namespace: "shoot--demo", Settings: settings, Workers: 2, Attempt: attempt, VolumeCooldown: cooldown, Observe: s.event, Takeover: s.takeover,
		Retry: controller.Retry{Conflict: 200 * time.Millisecond, Short: 300 * time.Millisecond, Medium: time.Second, Long: 2 * time.Second},
		Cloud: cloud.Config{ReadLag: readLag, BootTime: time.Second, ModifyTime: 500 * time.Millisecond, Cooldown: cooldown, PageSize: 2, Observe: s.request},
	})
	if err != nil {
		return err
	}
	s.preface()
	for _, chapter := range []func() error{
		s.creation, s.change, s.crash, s.lateRequest, s.foreignTags, s.twoLeaders, s.throttling, s.volume, s.adoption, s.unreadable, s.inPlace, s.quiet, s.deletion,
	} {
		if err := chapter(); err != nil {
			return errors.Join(fmt.Errorf("chapter %d: %w", s.chapters, err), s.world.Close())
		}
	}
	return s.world.Close()
}

// spec is the provider spec of the class: what is immutable, the mandatory keys, a label of the pool for the VM, what the data
// volume can do, and these infrastructure tags.
func (s *story) spec(pairs ...string) *awsdriver.ProviderSpec {
	flat := map[string]string{"kubernetes.io/cluster/shoot--demo": "1", "kubernetes.io/role/node": "1"}
	for i := 0; i < len(pairs); i += 2 {
		flat[pairs[i]] = pairs[i+1]
	}
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:           []awsdriver.BlockDevice{{DeviceName: "/root"}, {DeviceName: "/dev/sdf", Ebs: awsdriver.Ebs{Iops: s.iops}}},
		NetworkInterfaces:      []awsdriver.NetworkInterface{{SubnetID: "subnet-1", Ipv6PrefixCount: new(int32(1))}},
		SrcAndDstChecksEnabled: new(false),
		Tags:                   flat,
		ResourceTags:           &tags.Tags{VM: map[string]string{"pool": "z1"}},
	}
}

func (s *story) preface() {
	s.line("A machine controller updates infrastructure tags on running machines. The reads of the cloud lag %s behind.", readLag)
	s.line("The keys kubernetes.io/…, by which the driver finds the machine, and Name are left out below.")
}

func (s *story) creation() error {
	s.chapter("A machine is created",
		"Before the VM is launched, the controller writes down what it is about to apply. Initialization fails once, and is retried: from then on",
		"nobody knows for sure what the VM was made with, so it is updated. At last a CSI driver attaches a volume, and a CNI plugin an interface,",
		"both with a tag that looks like one of the machine's.")
	s.world.Cloud.Inject(cloud.Fault{Action: "AssignIpv6Addresses", Effect: cloud.Refused, Code: "InsufficientFreeAddressesInSubnet"})
	if err := s.changeClass("cost-center", "1000", "owner", "alice"); err != nil {
		return err
	}
	if err := s.startReplicas(2); err != nil {
		return err
	}
	s.says("extension", "creates a pool with one machine")
	if err := s.world.CreatePool(pool, class, api.RollingUpdateStrategyType, 1); err != nil {
		return err
	}
	if err := s.untilPhase(machine, api.MachineRunning); err != nil {
		return err
	}
	if n := len(s.machines()); n != 1 {
		return fmt.Errorf("the pool has %d machines, not 1", n)
	}
	s.csi = s.world.Cloud.Attach(cloud.Resource{Kind: cloud.Volume, Instance: vm, Device: "/dev/xvdba", Tags: map[string]string{"owner": "alice"}})
	s.cni = s.world.Cloud.Attach(cloud.Resource{Kind: cloud.NetworkInterface, Instance: vm, DeviceIndex: 1, DeleteOnTermination: true, Tags: map[string]string{"owner": "alice"}})
	s.foreign[s.csi], s.foreign[s.cni] = map[string]string{"owner": "alice"}, map[string]string{"owner": "alice"}
	s.says("others", "attach %s and %s", s.csi, s.cni)
	return s.settle("cost-center", "1000", "owner", "alice")
}

func (s *story) change() error {
	s.chapter("Its tags change",
		"The class keeps its name, so no machine is replaced. The controller calls the driver's UpdateMachine, which touches only what the",
		"launch made, and removes a key only if it still has the machine's value. A success is not believed at once: later, when nothing can be",
		"under way any more and reads have caught up, a second pass confirms it. Until then both specs are remembered.")
	if err := s.changeClass("cost-center", "2000"); err != nil {
		return err
	}
	if err := s.untilUpdated(); err != nil {
		return err
	}
	s.show()
	return s.settle("cost-center", "2000")
}

func (s *story) crash() error {
	s.chapter("The leader crashes in the middle of an update, and the change is taken back",
		"The key team was to be set, and cost-center to be removed. One of the calls was made. The other replica finds a class that wants what was",
		"last applied. To compare the two, or their hashes, would find nothing to do, and leave team=blue for ever. But the record says that a",
		"call may have been made: that alone leads to an update.")
	crashed := s.leader
	crashed.After("Action=CreateTags", crashed.Kill)
	if err := s.changeClass("team", "blue"); err != nil {
		return err
	}
	if err := s.world.Until("the leader is dead", patience, crashed.Ended); err != nil {
		return err
	}
	s.says(crashed.Name, "is dead")
	s.show()
	if err := s.changeClass("cost-center", "2000"); err != nil {
		return err
	}
	if err := s.succeed(); err != nil {
		return err
	}
	return s.settle("cost-center", "2000")
}

func (s *story) lateRequest() error {
	s.chapter("A request takes effect when nobody waits for it any more",
		"The SDK gives up waiting, sends the request again, and that succeeds. Then the change is taken back, which succeeds as well; and then the",
		"first request comes through. The second pass finds what it did, and puts it right.")
	s.world.Cloud.Inject(cloud.Fault{Action: "CreateTags", Effect: cloud.LandsLate, Delay: landsAfter})
	if err := s.changeClass("cost-center", "3000"); err != nil {
		return err
	}
	if err := s.untilLive("cost-center", "3000"); err != nil {
		return err
	}
	time.Sleep(2 * readLag) // or the next pass reads that nothing has to be taken back, and only its confirmation finds out
	if err := s.changeClass("cost-center", "2000"); err != nil {
		return err
	}
	if err := s.untilLive("cost-center", "2000"); err != nil {
		return err
	}
	s.world.Cloud.LandNow()
	s.show()
	return s.settle("cost-center", "2000")
}

func (s *story) foreignTags() error {
	s.chapter("Others use tags, too",
		"Somebody adds a key of their own to a volume, and gives the other volume's cost-center a value of theirs, just before the class drops",
		"that key. The driver's read does not show it yet, but the cloud removes the key only where it has the machine's value.")
	time.Sleep(time.Second) // until no read, however stale, shows what was before the last chapter's end
	s.says("somebody", "sets backup=nightly on %s, and cost-center=9999 on %s", root, data)
	s.world.Cloud.Change(root, func(r *cloud.Resource) { r.Tags["backup"] = "nightly" })
	s.foreign[root] = map[string]string{"backup": "nightly"}
	s.world.Cloud.Inject(cloud.Fault{Action: "DescribeVolumes", Effect: cloud.Stale, Delay: 500 * time.Millisecond})
	s.world.Cloud.Change(data, func(r *cloud.Resource) { r.Tags["cost-center"] = "9999" })
	s.foreign[data] = map[string]string{"cost-center": "9999"}
	if err := s.changeClass("team", "red"); err != nil {
		return err
	}
	return s.settle("team", "red")
}

func (s *story) twoLeaders() error {
	s.chapter("Two leaders",
		"The leader falls asleep when its call has been answered, and before it can write that down. Its lease ends, the other replica leads, and",
		"does what the class wants by then. When the old leader wakes up, it writes down its success, unless it learns first that it leads no more.",
		"That write is a conflict, as somebody wrote in between.")
	old := s.leader
	old.After("Action=CreateTags", old.Freeze)
	if err := s.changeClass("team", "green"); err != nil {
		return err
	}
	if err := s.untilLive("team", "green"); err != nil {
		return err
	}
	s.says(old.Name, "falls asleep")
	if err := s.changeClass("team", "blue"); err != nil {
		return err
	}
	if err := s.succeed(); err != nil {
		return err
	}
	if err := s.untilUpdated(); err != nil {
		return err
	}
	s.says(old.Name, "wakes up")
	old.Thaw()
	if err := s.world.Until("the old leader has ended", patience, old.Ended); err != nil {
		return err
	}
	if endings := old.Controller.Counters.Endings(); endings["Conflicted"] > 0 {
		s.says(old.Name, "had a conflict, and has ended")
	} else {
		s.says(old.Name, "has ended before it could write")
	}
	return s.settle("team", "blue")
}

func (s *story) throttling() error {
	s.chapter("The cloud throttles",
		"One write in two seconds is allowed. The SDK's client repeats what is throttled as long as the update lasts; what is left over then is done",
		"by the next update. The class says cost-center again: it takes over the key of",
		"somebody else.")
	slow := cloud.Rate{Burst: 1, PerSecond: 0.5}
	s.world.Cloud.Limit(cloud.Rate{}, slow)
	delete(s.foreign, data)
	if err := s.changeClass("cost-center", "5000"); err != nil {
		return err
	}
	if err := s.settle("cost-center", "5000"); err != nil {
		return err
	}
	s.world.Cloud.Limit(cloud.Rate{}, cloud.Rate{})
	return nil
}

func (s *story) volume() error {
	s.chapter("What a volume can do changes, too",
		"The cloud accepts the change of a volume, and makes it later; until then the update is pending. Then it refuses another one, here for 6",
		"seconds, at Amazon for six hours. The volume has a lane of its own, so the tags do not wait for that.")
	s.iops = new(int32(4000))
	s.says("extension", "makes the class say 4000 IOPS for the data volume")
	if err := s.world.PutClass(class, s.spec("cost-center", "5000")); err != nil {
		return err
	}
	if err := s.untilIops(4000); err != nil {
		return err
	}
	s.iops = new(int32(5000))
	s.says("extension", "makes the class say 5000 IOPS, and team=gold")
	if err := s.world.PutClass(class, s.spec("cost-center", "5000", "team", "gold")); err != nil {
		return err
	}
	if err := s.untilLive("team", "gold"); err != nil {
		return err
	}
	if r, _ := s.world.Cloud.Resource(data); r.Iops != 4000 {
		return fmt.Errorf("%s has %d IOPS while the cloud refuses to change them", data, r.Iops)
	}
	if err := s.untilIops(5000); err != nil {
		return err
	}
	return s.settle("cost-center", "5000", "team", "gold")
}

func (s *story) adoption() error {
	s.chapter("A machine that nobody has updated before",
		"It has no record, as all machines when hot updates arrive. The first pass reads the cloud once for every machine, and writes to it only if",
		"something differs. What it finds and the class does not say belongs to others, for nobody knows better.")
	s.says("operator", "removes the record of %s", machine)
	remove := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, machineupdate.AnnotationRecord)
	if _, err := s.world.Client.Machines.Patch(context.Background(), machine, types.MergePatchType, remove, metav1.PatchOptions{}); err != nil {
		return err
	}
	s.foreign[vm] = map[string]string{"forgotten": "1"}
	s.world.Cloud.Change(vm, func(r *cloud.Resource) { r.Tags["forgotten"] = "1" })
	return s.settle("cost-center", "5000", "team", "gold")
}

func (s *story) unreadable() error {
	s.chapter("A class that cannot be read",
		"The extension is newer than the driver, and spells a member in a way that the driver would misread. No machine is updated, but none has to",
		"wait for its creation: the pool grows by a machine, and that is updated as soon as the class can be read.")
	s.says("extension", "changes the class to one with the member TAGS, and the pool to two machines")
	unreadable := struct {
		*awsdriver.ProviderSpec
		Misspelled map[string]string `json:"TAGS"`
	}{s.spec("cost-center", "6000"), nil}
	if err := s.world.PutClass(class, unreadable); err != nil {
		return err
	}
	if err := s.world.Scale(pool, 2); err != nil {
		return err
	}
	if err := s.untilPhase(pool+"-1", api.MachineRunning); err != nil {
		return err
	}
	if err := s.expectLive(machine, "cost-center", "5000", "team", "gold"); err != nil {
		return err
	}
	if err := s.changeClass("cost-center", "7000"); err != nil {
		return err
	}
	return s.settle("cost-center", "7000")
}

func (s *story) inPlace() error {
	const next = "shoot--demo--pool-z1-7a3b1"
	s.chapter("An in-place update in between",
		"The pool gets a new class with another image. Its machines stay, and keep the name of their old class; what they should be stands in the",
		"template of the pool. The hot part is applied at once, and again while the node is being updated.")
	s.says("extension", "creates the class %s with another image, team=red and cost-center=7000", next)
	changed := s.spec("cost-center", "7000", "team", "red")
	changed.AMI = "ami-2"
	if err := s.world.PutClass(next, changed); err != nil {
		return err
	}
	if err := s.world.UpdateInPlace(pool, next); err != nil {
		return err
	}
	if err := s.untilLive("team", "red"); err != nil {
		return err
	}
	node := s.world.Machine(machine).Labels[api.NodeLabelKey]
	s.says("operator", "drains the node %s", node)
	ready := corev1.NodeCondition{Type: api.NodeInPlaceUpdate, Status: corev1.ConditionTrue, Reason: api.ReadyForUpdate}
	if err := s.world.ChangeNode(node, func(n *corev1.Node) { n.Status.Conditions = append(n.Status.Conditions, ready) }); err != nil {
		return err
	}
	if err := s.untilPhase(machine, api.MachineInPlaceUpdating); err != nil {
		return err
	}
	changed = s.spec("team", "pink")
	changed.AMI = "ami-2"
	s.says("extension", "changes the class %s to team=pink", next)
	if err := s.world.PutClass(next, changed); err != nil {
		return err
	}
	if err := s.untilLive("team", "pink"); err != nil {
		return err
	}
	s.says("agent", "has updated the node")
	err := s.world.ChangeNode(node, func(n *corev1.Node) {
		metav1.SetMetaDataLabel(&n.ObjectMeta, api.LabelKeyNodeUpdateResult, api.LabelValueNodeUpdateSuccessful)
		n.Status.Conditions = slices.DeleteFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == api.NodeInPlaceUpdate })
	})
	if err != nil {
		return err
	}
	if err := s.untilPhase(machine, api.MachineRunning); err != nil {
		return err
	}
	return s.settle("team", "pink")
}

func (s *story) quiet() error {
	s.chapter("Nothing is left to do",
		"Every resource has exactly the tags that are desired, mandatory, or somebody else's. The leader goes on looking at the machines, and leaves",
		"the cloud alone.")
	before := s.callsUntilNow()
	time.Sleep(3 * time.Second)
	if calls := s.callsUntilNow() - before; calls != 0 {
		return fmt.Errorf("%d calls although all machines are settled", calls)
	}
	s.says(s.leader.Name, "has made no call to the cloud for 3 seconds; its metrics:")
	return s.showMetrics()
}

func (s *story) deletion() error {
	s.chapter("The machines are deleted",
		"What the launch made goes with them, and so does what others attached to be deleted with the VM. The volume of the CSI driver stays.")
	s.says("extension", "deletes the pool")
	if err := s.world.Scale(pool, 0); err != nil {
		return err
	}
	for _, name := range []string{machine, pool + "-1"} {
		if err := s.world.Client.Machines.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := s.world.Until(name+" is gone", patience, func() bool { return s.world.Machine(name).Name == "" }); err != nil {
			return err
		}
	}
	left := s.world.Cloud.Resources()
	s.showLive("none", left)
	if len(left) != 1 || left[0].ID != s.csi {
		return fmt.Errorf("%d resources are left, not the volume %s of others alone", len(left), s.csi)
	}
	return nil
}
