package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// startReplicas starts processes of the controller, and returns when one of them leads.
func (s *story) startReplicas(n int) error {
	for range n {
		s.replicas++
		replica, err := s.world.StartReplica(fmt.Sprintf("controller-%d", s.replicas))
		if err != nil {
			return err
		}
		if s.leader, s.second = s.second, replica; s.leader == nil {
			s.leader = replica
			if err := s.world.Until("a replica leads", patience, replica.Leads); err != nil {
				return err
			}
			s.second = replica
		}
	}
	s.says(s.leader.Name, "leads")
	return nil
}

// succeed waits until the second replica leads, and starts another one.
func (s *story) succeed() error {
	if err := s.world.Until("the other replica leads", patience, s.second.Leads); err != nil {
		return err
	}
	return s.startReplicas(1)
}

// changeClass is the extension that changes the tags of the class.
func (s *story) changeClass(pairs ...string) error {
	changed := s.spec(pairs...)
	s.says("extension", "makes the class say %s", show(changed.Tags))
	return s.world.PutClass(class, changed)
}

func (s *story) untilPhase(machine string, phase api.MachinePhase) error {
	err := s.world.Until(machine+" is "+string(phase), patience, func() bool { return s.world.Machine(machine).Status.CurrentStatus.Phase == phase })
	if err == nil {
		s.says(machine, "is %s", phase)
	}
	return err
}

// untilLive waits until the first machine's VM has an infrastructure tag.
func (s *story) untilLive(key, value string) error {
	return s.world.Until(vm+" has "+key+"="+value, patience, func() bool {
		r, _ := s.world.Cloud.Resource(vm)
		return r.Tags[key] == value
	})
}

func (s *story) untilUpdated() error {
	return s.world.Until("the machine is updated", patience, func() bool {
		found, err := recordOf(s.world.Machine(machine).Annotations)
		return err == nil && found.State == "Unconfirmed"
	})
}

func (s *story) untilIops(wanted int) error {
	err := s.world.Until(fmt.Sprintf("%s has %d IOPS", data, wanted), patience, func() bool {
		r, _ := s.world.Cloud.Resource(data)
		return r.Iops == wanted
	})
	if err == nil {
		s.says(data, "has %d IOPS", wanted)
	}
	return err
}

// machines are the machines that there are.
func (s *story) machines() []*api.Machine {
	var all []*api.Machine
	for _, name := range []string{machine, pool + "-1"} {
		if m := s.world.Machine(name); m.Name != "" {
			all = append(all, m)
		}
	}
	return all
}

// settle waits until the updates of all machines are confirmed, shows how things are then, and checks that they are as they have to be: in the cloud
// and in the records.
func (s *story) settle(pairs ...string) error {
	want := show(s.spec(pairs...).Tags)
	settled := func() bool {
		return !slices.ContainsFunc(s.machines(), func(m *api.Machine) bool {
			found, err := recordOf(m.Annotations)
			return err != nil || strings.Contains(m.Annotations[machineupdate.AnnotationRecord+"-volume"], `"state"`) || found.State != "" || len(found.Parts) == 0 || found.Parts[0].Applied == nil || show(found.Parts[0].Applied.Tags) != want
		})
	}
	if err := s.world.Until("all machines have settled with "+want, patience, settled); err != nil {
		s.show()
		return err
	}
	s.show()
	time.Sleep(2 * readLag) // until reads show what is live
	for _, m := range s.machines() {
		if err := s.expectLive(m.Name, pairs...); err != nil {
			return err
		}
	}
	return s.expectForeign()
}

// expectLive checks the resources of a machine: each has exactly the tags of the class, the mandatory ones, and those of others.
func (s *story) expectLive(machine string, pairs ...string) error {
	for _, r := range s.ownOf(machine) {
		want := maps.Clone(s.spec(pairs...).Tags)
		want["Name"] = machine
		if r.Kind == cloud.Instance {
			maps.Copy(want, s.spec().ResourceTags.Of(tags.VM))
		}
		maps.Copy(want, s.foreign[r.ID])
		if !maps.Equal(r.Tags, want) {
			return fmt.Errorf("%s has the tags %v, not %v", r.ID, r.Tags, want)
		}
	}
	return nil
}

// ownOf returns what the launch of a machine made.
func (s *story) ownOf(machine string) []cloud.Resource {
	provider := s.world.Machine(machine).Spec.ProviderID
	instance := provider[strings.LastIndexByte(provider, '/')+1:]
	return slices.DeleteFunc(s.world.Cloud.Resources(), func(r cloud.Resource) bool {
		return r.ID != instance && r.Instance != instance || r.ID == s.csi || r.ID == s.cni
	})
}

// expectForeign checks that what others attached is as they left it.
func (s *story) expectForeign() error {
	for _, id := range []string{s.csi, s.cni} {
		if r, _ := s.world.Cloud.Resource(id); !maps.Equal(r.Tags, s.foreign[id]) {
			return fmt.Errorf("%s of others has the tags %v, not %v", id, r.Tags, s.foreign[id])
		}
	}
	return nil
}

// show shows the record of the first machine, and what is live.
func (s *story) show() {
	time.Sleep(10 * time.Millisecond) // for events that are under way
	found, err := recordOf(s.world.Machine(machine).Annotations)
	text := found.String()
	if err != nil {
		text = err.Error()
	}
	s.showLive(text, s.world.Cloud.Resources())
}

// showMetrics shows what a scrape of the leader finds.
func (s *story) showMetrics() error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(s.leader.Controller); err != nil {
		return err
	}
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			s.line("   %-32s %-32s %g", family.GetName(), strings.Join(labels, " "), metric.GetCounter().GetValue()+metric.GetGauge().GetValue())
		}
	}
	return nil
}
