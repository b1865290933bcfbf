package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// must records an error. The first one ends the story.
func (s *story) must(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *story) expect(holds bool, format string, args ...any) { //nolint:revive // an assertion
	if !holds {
		s.must(fmt.Errorf(format, args...))
	}
}

// until waits until a condition holds.
func (s *story) until(what string, holds func() bool) {
	if s.err == nil {
		s.err = s.world.Until(what, patience, holds)
	}
}

// says writes the action of a participant, unless the story has ended.
func (s *story) says(who, format string, args ...any) {
	if s.err == nil {
		s.teller.says(who, format, args...)
	}
}

// startReplicas starts processes of the controller, and waits until one of them leads.
func (s *story) startReplicas(n int) {
	for range n {
		s.replicas++
		replica, err := s.world.StartReplica(fmt.Sprintf("controller-%d", s.replicas))
		s.must(err)
		s.leader = s.second
		s.second = replica
		if s.leader == nil {
			s.leader = replica
			s.until("a replica leads", replica.Leads)
		}
	}
	s.says(s.leader.Name, "leads")
}

// succeed waits until the second replica leads, and starts another one.
func (s *story) succeed() {
	s.until("the other replica leads", s.second.Leads)
	s.startReplicas(1)
}

// changeClass changes the tags of the class, like an extension.
func (s *story) changeClass(pairs ...string) {
	changed := s.spec(pairs...)
	s.says("extension", "makes the class say %s", show(changed.Tags))
	s.must(s.world.PutClass(class, changed))
}

// scale changes the size of the pool, like an extension.
func (s *story) scale(replicas int32) {
	s.must(s.world.ChangePool(pool, func(d *api.MachineDeployment) { d.Spec.Replicas = replicas }))
}

func (s *story) untilPhase(machine string, phase api.MachinePhase) {
	s.until(machine+" is "+string(phase),
		func() bool { return s.world.Machine(machine).Status.CurrentStatus.Phase == phase })
	s.says(machine, "is %s", phase)
}

// untilLive waits until the first machine's VM has an infrastructure tag.
func (s *story) untilLive(key, value string) {
	s.until(vm+" has "+key+"="+value, func() bool {
		r, _ := s.world.Cloud.Resource(vm)
		return r.Tags[key] == value
	})
}

func (s *story) untilUpdated() {
	s.until("the machine is updated", func() bool {
		found, err := recordOf(s.world.Machine(machine).Annotations)
		return err == nil && found.State == "Unconfirmed"
	})
}

func (s *story) untilIops(wanted int) {
	s.until(fmt.Sprintf("%s has %d IOPS", data, wanted), func() bool {
		r, _ := s.world.Cloud.Resource(data)
		return r.Iops == wanted
	})
	s.says(data, "has %d IOPS", wanted)
}

// untilReadyForUpdate waits until a node is ready for its agent, and returns its machine. It checks
// that its VM has the InPlace part, and that the VMs of waiting machines do not.
func (s *story) untilReadyForUpdate() (updating string) {
	s.until("a node is ready for its agent", func() bool {
		for _, m := range s.machines() {
			if controller.InPlaceNode(s.world.Node(m.Name)).IsReadyForUpdate() {
				updating = m.Name
			}
		}
		return updating != ""
	})
	for _, m := range s.machines() {
		node := s.world.Node(m.Name)
		r, _ := s.world.Cloud.Resource(instanceOf(m))
		s.says(m.Name, "has a node that is %s, and httpTokens=%s",
			cmp.Or(controller.InPlaceNode(node).Reason, "new"), r.HTTPTokens)
		isBegun := m.Name == updating || setOf(m) != class
		s.expect((r.HTTPTokens == required) == isBegun, "%s has httpTokens=%s", r.ID, r.HTTPTokens)
		s.expect(m.Name != updating || node.Spec.Unschedulable &&
			m.Status.CurrentStatus.Phase == api.MachineInPlaceUpdating, "%s is not drained", node.Name)
	}
	return updating
}

// untilTaken waits until an updated machine belongs to a machine set, and its node is given back.
func (s *story) untilTaken(name, set string) {
	s.until(name+" is handed over", func() bool { return setOf(s.world.Machine(name)) == set })
	s.until("the node of "+name+" is given back", func() bool {
		node := s.world.Node(name)
		_, isProtected := node.Annotations["cluster-autoscaler.kubernetes.io/scale-down-disabled"]
		return !node.Spec.Unschedulable && !isProtected
	})
}

// countAvailable counts the machines that run, and whose nodes take pods.
func (s *story) countAvailable(machines []*api.Machine) (n int) {
	for _, m := range machines {
		if m.Status.CurrentStatus.Phase == api.MachineRunning && !s.world.Node(m.Name).Spec.Unschedulable {
			n++
		}
	}
	return n
}

// required is a value of httpTokens.
const required = "required"

// setOf returns the name of the machine's machine set.
func setOf(machine *api.Machine) string {
	if owner := metav1.GetControllerOf(machine); owner != nil {
		return owner.Name
	}
	return ""
}

// machines returns all machines, sorted by name.
func (s *story) machines() []*api.Machine {
	var all []*api.Machine
	listed, err := s.world.Client.Machines.List(context.Background(), metav1.ListOptions{})
	if s.must(err); err != nil {
		return nil
	}
	for i := range listed.Items {
		all = append(all, &listed.Items[i])
	}
	return all
}

// settle waits until the updates of all machines are confirmed. Then it shows and checks the
// resources of the cloud and the records.
func (s *story) settle(pairs ...string) {
	want := show(s.spec(pairs...).Tags)
	s.until("all machines have settled with "+want, func() bool {
		return !slices.ContainsFunc(s.machines(), func(m *api.Machine) bool { return !isSettled(m, want) })
	})
	s.show()
	time.Sleep(2 * readLag) // until reads show the live state
	for _, m := range s.machines() {
		s.expectLive(m, pairs...)
	}
	for _, id := range []string{s.csi, s.cni} {
		r, _ := s.world.Cloud.Resource(id)
		s.expect(maps.Equal(r.Tags, s.foreign[id]), "%s of others has the tags %v, not %v", id, r.Tags, s.foreign[id])
	}
}

// isSettled reports whether the machine runs, nothing is under way in any lane, and the tags are
// applied.
func isSettled(m *api.Machine, tags string) bool {
	if m.Status.CurrentStatus.Phase != api.MachineRunning {
		return false
	}
	for name, record := range m.Annotations {
		if strings.HasPrefix(name, machineupdate.AnnotationRecord) && strings.Contains(record, `"state"`) {
			return false
		}
	}
	found, err := recordOf(m.Annotations)
	if err != nil || len(found.Parts) == 0 {
		return false
	}
	applied := found.Parts[0].Applied
	return applied != nil && show(applied.Tags) == tags
}

// expectLive checks the resources of a machine: each has exactly the tags of the class, the
// mandatory tags, and foreign tags.
func (s *story) expectLive(machine *api.Machine, pairs ...string) {
	instance := instanceOf(machine)
	for _, r := range s.world.Cloud.Resources() {
		isOfMachine := r.ID == instance || r.Instance == instance
		isForeign := r.ID == s.csi || r.ID == s.cni
		if !isOfMachine || isForeign {
			continue
		}
		want := maps.Clone(s.spec(pairs...).Tags)
		want["Name"] = machine.Name
		if r.Kind == ec2test.Instance {
			maps.Copy(want, s.spec().ResourceTags.Of(tags.VM))
		}
		maps.Copy(want, s.foreign[r.ID])
		s.expect(maps.Equal(r.Tags, want), "%s has the tags %v, not %v", r.ID, r.Tags, want)
	}
}

// instanceOf returns the ID of the machine's VM.
func instanceOf(machine *api.Machine) string { return path.Base(machine.Spec.ProviderID) }

// show shows the record and the live tags of the first machine.
func (s *story) show() {
	time.Sleep(10 * time.Millisecond) // for events that are under way
	found, err := recordOf(s.world.Machine(machine).Annotations)
	text := found.String()
	if err != nil {
		text = err.Error()
	}
	s.showLive(text, s.world.Cloud.Resources())
}

// showMetrics shows the leader's metrics.
func (s *story) showMetrics() {
	registry := prometheus.NewRegistry()
	s.must(registry.Register(s.leader.Controller))
	families, err := registry.Gather()
	s.must(err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			s.line("   %-32s %-32s %g", family.GetName(), strings.Join(labels, " "),
				metric.GetCounter().GetValue()+metric.GetGauge().GetValue())
		}
	}
}
