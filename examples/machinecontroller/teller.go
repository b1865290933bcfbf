package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// patience is how long the story waits for something to happen.
const patience = time.Hour

// story is what happens, and the text that tells it.
type story struct {
	world   *simulation.Simulation
	process *simulation.Process

	text     strings.Builder
	chapters int
	calls    int // of controllers
	began    time.Time
	err      error // the first
}

// check keeps the first error.
func (s *story) check(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *story) line(format string, args ...any) {
	s.text.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// chapter begins a chapter with a few words about it.
func (s *story) chapter(title string, words ...string) {
	s.chapters++
	s.line("%d. %s", s.chapters, title)
	s.line("")
	for _, line := range words {
		s.line("   %s", line)
	}
	s.line("")
}

// says tells what somebody does.
func (s *story) says(who, what string) { s.sayAt(s.world.Clock.Now(), who, what) }

// sayAt tells what somebody did at a time, in lines of a readable length.
func (s *story) sayAt(at time.Time, who, what string) {
	const width = 100
	left := fmt.Sprintf("%s  %-12s", since(at.Sub(s.began)), who)
	for len(what) > width {
		cut := strings.LastIndexByte(what[:width], ' ')
		if cut < 0 {
			break
		}
		s.line("   %-22s  %s", left, what[:cut])
		left, what = "", "  "+what[cut+1:]
	}
	s.line("   %-22s  %s", left, what)
}

// since writes a time as hours, minutes and seconds since the story began.
func since(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// report is what a controller reports.
func (s *story) report(process, _, text string) { s.says(process, text) }

// request is what the cloud got. Reads are not told.
func (s *story) request(r cloud.Request) {
	if r.AccessKey == simulation.ControllersKey {
		s.calls++
	}
	if r.Action.Reads() {
		return
	}
	s.sayAt(r.At, "cloud", strings.TrimSpace(string(r.Action)+" "+describe(r.Body))+": "+r.Outcome)
}

// describe tells the request in a few words.
func describe(body any) string {
	switch r := body.(type) {
	case *cloudapi.RunInstancesRequest:
		return fmt.Sprintf("with %d volumes, %d network interface", len(r.BlockDevices), len(r.NetworkInterfaces))
	case *cloudapi.ModifyInstanceAttributeRequest:
		return fmt.Sprintf("%s sourceDestCheck=%t", r.InstanceID, r.SourceDestCheck)
	case *cloudapi.TerminateInstancesRequest:
		return strings.Join(r.InstanceIDs, " ")
	case *cloudapi.TagsRequest:
		return show(valuesOf(r.Tags)) + " on " + strings.Join(r.Resources, " ")
	case *cloudapi.CreateResourceRequest:
		return "with " + show(valuesOf(r.Tags))
	case *cloudapi.AttachVolumeRequest:
		return fmt.Sprintf("%s to %s at %s", r.VolumeID, r.InstanceID, r.Device)
	case *cloudapi.AttachNetworkInterfaceRequest:
		return fmt.Sprintf("%s to %s at %d", r.NetworkInterfaceID, r.InstanceID, r.DeviceIndex)
	}
	return ""
}

func valuesOf(all []cloudapi.Tag) map[string]string {
	values := map[string]string{}
	for _, tag := range all {
		values[tag.Key] = *tag.Value
	}
	return values
}

// changeClass is the user who changes the tags of the class.
func (s *story) changeClass(pairs ...string) {
	changed := spec(pairs...)
	s.says("user", "changes the class to "+show(changed.Tags))
	s.check(s.world.ChangeClass(changed))
}

// until lets time pass until something has happened.
func (s *story) until(what string, holds func() bool) {
	if s.err == nil && !s.world.RunUntil(patience, holds) {
		s.check(errors.New("waited in vain until " + what))
	}
}

// settle lets time pass until the update is confirmed, and shows how things are then.
func (s *story) settle() {
	s.until("the machine settles", func() bool { return s.record().State == "" && s.record().content().Applied != nil })
	s.show()
}

func (s *story) isUpdated() bool { return s.record().State == "Unconfirmed" }

// machine returns the machine, an empty one if there is none.
func (s *story) machine() *api.Machine {
	found, err := s.world.Machine(machine)
	if err != nil {
		return &api.Machine{}
	}
	return found
}

// record is what the machine remembers, as the documentation of package machineupdate specifies it. Hot parts are read as specs.
type record struct {
	State string    `json:"state"` // empty if it is settled
	Parts []content `json:"parts"`
}

// content is what is remembered of kinds of resources.
type content struct {
	Applied   *awsdriver.ProviderSpec  `json:"applied"`
	Attempted []awsdriver.ProviderSpec `json:"attempted"`
	Removed   []awsdriver.ProviderSpec `json:"removed"`
}

// content returns that of all kinds: the driver covers them all, and they stand before those that it does not know.
func (r record) content() content {
	if len(r.Parts) == 0 {
		return content{}
	}
	return r.Parts[0]
}

// record returns what the machine remembers, an empty record if there is none yet.
func (s *story) record() record {
	var found record
	if annotation, ok := s.machine().Annotations[machineupdate.AnnotationRecord]; ok {
		s.check(json.Unmarshal([]byte(annotation), &found))
	}
	return found
}

// show shows the record, and what is live.
func (s *story) show() {
	record := s.record()
	s.line("")
	remembered := []string{cmp.Or(record.State, "Settled")}
	content := record.content()
	if content.Applied != nil {
		remembered = append(remembered, "applied {"+show(content.Applied.Tags)+"}")
	}
	for _, attempt := range content.Attempted {
		remembered = append(remembered, "attempted {"+show(attempt.Tags)+"}")
	}
	for _, removal := range content.Removed {
		remembered = append(remembered, "removed {"+strings.Join(tags.Keys(removal.Tags), " ")+"}")
	}
	s.line("   record  %s", strings.Join(remembered, ", "))
	s.showLive()
	s.line("")
}

// showLive shows what is live, resources with the same tags in one line.
func (s *story) showLive() {
	var order []string
	same := map[string][]string{}
	for _, id := range s.world.Cloud.Resources() {
		live, _ := s.world.Cloud.Tags(id)
		text := show(live)
		if !slices.Contains(order, text) {
			order = append(order, text)
		}
		same[text] = append(same[text], id)
	}
	for _, text := range order {
		s.line("   live    %-24s %s", strings.Join(same[text], " "), text)
	}
}

// show shows tags without those by which the machine is found.
func show(all map[string]string) string {
	var shown []string
	for _, key := range tags.Keys(all) {
		if key != mandatoryKey && key != "Name" {
			shown = append(shown, key+"="+all[key])
		}
	}
	return strings.Join(shown, " ")
}
