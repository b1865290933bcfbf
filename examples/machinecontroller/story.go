package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// What the story is about.
const (
	machine = "m"
	vm      = "i-1"
	root    = "vol-1"
	data    = "vol-2"

	readLag      = 10 * time.Second
	confirmAfter = 15 * time.Minute
	mandatoryKey = "kubernetes.io/cluster/shoot--demo"
)

// tell tells the whole story, or as much of it as came before the error.
func tell() (string, error) {
	s := &story{}
	world, err := simulation.Start(context.Background(), simulation.Config{
		ReadLag: readLag, CacheLag: 100 * time.Millisecond, BootTime: time.Minute,
		Settings: machineupdate.Settings{CallTimeout: 3 * time.Minute, ConfirmAfter: confirmAfter},
		Updates:  awsdriver.Updates(),
		Request:  s.request, Report: s.report,
	})
	if err != nil {
		return "", err
	}
	s.world, s.began = world, world.Clock.Now()
	s.preface()
	for _, chapter := range []func(){s.creation, s.change, s.crash, s.revert, s.lateRequest, s.foreignTags, s.quiet, s.deletion} {
		chapter()
	}
	s.check(world.Close())
	return s.text.String(), s.err
}

// spec is the provider spec of the class: what is immutable, the mandatory key, and these infrastructure tags.
func spec(tags ...string) *awsdriver.ProviderSpec {
	flat := map[string]string{mandatoryKey: "1"}
	for i := 0; i < len(tags); i += 2 {
		flat[tags[i]] = tags[i+1]
	}
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:           []awsdriver.BlockDevice{{DeviceName: "/dev/sda1", VolumeSize: 20}, {DeviceName: "/dev/sdf", VolumeSize: 50}},
		NetworkInterfaces:      []awsdriver.NetworkInterface{{SubnetID: "subnet-1"}},
		SrcAndDstChecksEnabled: new(false),
		Tags:                   flat,
	}
}

func (s *story) preface() {
	s.line("A machine controller updates infrastructure tags on running machines.")
	s.line("")
	s.line("The cloud is simulated, behind real HTTP. What it shows is %s old, as reads of clouds may be. The time is simulated, too.", readLag)
	s.line("The keys %s, by which MCM finds the machine, and Name are left out below.", mandatoryKey)
	s.line("")
}

func (s *story) creation() {
	s.chapter("A machine is created",
		"Before the VM is launched, the controller writes down what it is about to apply. Initialization fails once, and is retried as soon",
		"as the cloud shows the VM: from then on nobody knows for sure what it was made with, so it is updated. At last a CSI driver attaches",
		"a volume, and a CNI plugin an interface, both with a tag that looks like one of the machine's.")
	s.check(s.world.CreateClass(spec("cost-center", "1000", "owner", "alice")))
	s.says("user", "creates a class with cost-center=1000 owner=alice")
	s.process = s.world.StartController("controller-1")
	s.world.Cloud.Inject(cloud.Fault{Action: cloudapi.ModifyInstanceAttribute, Code: cloudapi.InternalError})
	s.says("user", "creates the machine "+machine)
	s.check(s.world.CreateMachine(machine))
	s.until("the machine runs", func() bool { return s.machine().Status.CurrentStatus.Phase == api.MachineRunning })
	attached := map[string]string{"owner": "alice"}
	_, err := s.world.AttachVolume(vm, "/dev/xvdba", attached)
	s.check(err)
	_, err = s.world.AttachInterface(vm, 1, attached)
	s.check(err)
	s.settle()
}

func (s *story) change() {
	s.chapter("Its tags change",
		"The class keeps its name, so no machine is replaced. The controller calls the driver's UpdateMachine, which touches only what the",
		"launch made, and removes a key only if it still has the machine's value. A success is not believed at once: 15 minutes later, when",
		"nothing can be under way any more and reads have caught up, a second pass confirms it. Until then both specs are remembered.")
	s.changeClass("cost-center", "2000")
	s.until("the machine is updated", s.isUpdated)
	s.show()
	s.settle()
}

func (s *story) crash() {
	s.chapter("The controller crashes in the middle of an update",
		"The key team was to be set, and cost-center to be removed. One of the calls was made. Whoever comes next finds in the record what was",
		"attempted.")
	s.world.Cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.AnswerLost, Then: s.process.Kill})
	s.changeClass("team", "blue")
	s.until("the controller is dead", s.process.Killed)
	s.says("controller-1", "is dead")
	s.world.Run(time.Minute)
	s.show()
}

func (s *story) revert() {
	s.chapter("The change is taken back before the next controller starts",
		"The class wants what was last applied. To compare the two, or their hashes, would find nothing to do, and leave team=blue for ever.",
		"But the record says that a call may have been made: that alone leads to an update.")
	s.changeClass("cost-center", "2000")
	s.process = s.world.StartController("controller-2")
	s.says("controller-2", "starts")
	s.until("the machine is updated", s.isUpdated)
	s.settle()
}

func (s *story) lateRequest() {
	s.chapter("A request takes effect when nobody waits for it any more",
		"The controller gives up waiting, and the change is taken back. That succeeds; then the old request comes through. The second pass",
		"finds what it did, and puts it right.")
	s.world.Cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.LandsLate, Delay: 5 * time.Minute})
	s.changeClass("cost-center", "3000")
	s.until("the controller has given up", func() bool { return maps.Collect(s.process.Controller.Counters().Endings())["CallFailed"] > 0 })
	s.changeClass("cost-center", "2000")
	s.until("the machine is updated", s.isUpdated)
	s.world.Run(6 * time.Minute)
	s.show()
	s.settle()
}

func (s *story) foreignTags() {
	s.chapter("Others use tags, too",
		"Somebody adds a key of their own to a volume, and gives the other volume's cost-center a value of theirs, just before the class drops",
		"that key. The driver's read does not show it yet, but the cloud removes the key only where it has the machine's value.")
	s.world.Run(time.Minute)
	s.says("somebody", "sets backup=nightly on "+root)
	s.check(s.world.Tag(root, "backup", "nightly"))
	s.says("somebody", "sets cost-center=9999 on "+data)
	s.check(s.world.Tag(data, "cost-center", "9999"))
	s.changeClass("team", "red")
	s.until("the machine is updated", s.isUpdated)
	s.settle()
}

func (s *story) quiet() {
	s.chapter("Nothing is left to do",
		"Every resource has exactly the tags that are desired, mandatory, or somebody else's. The controller goes on looking at the machine,",
		"and leaves the cloud alone.")
	before := s.calls
	s.world.Run(24 * time.Hour)
	s.says("controller-2", fmt.Sprintf("has made %d calls to the cloud in a day; what it has decided since it started:", s.calls-before))
	s.line("")
	for decision, n := range s.process.Controller.Counters().Decisions() {
		s.line("   %4d times %s, %s", n, decision[0], decision[1])
	}
	s.line("")
}

func (s *story) deletion() {
	s.chapter("The machine is deleted",
		"What the launch made goes with it. What others attached is still theirs.")
	s.says("user", "deletes the machine "+machine)
	s.check(s.world.DeleteMachine(machine))
	s.until("the machine is gone", func() bool {
		_, err := s.world.Machine(machine)
		return apierrors.IsNotFound(err)
	})
	s.line("")
	s.showLive()
}
