package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// teller writes the story in lines of a readable length. It is safe for concurrent use.
type teller struct {
	mu       sync.Mutex
	out      io.Writer
	began    time.Time
	chapters int
	calls    int    // of the controllers to the cloud
	last     string // the last event
}

func (t *teller) line(format string, args ...any) {
	// There is no other output for an error.
	_, _ = io.WriteString(t.out, strings.TrimRight(fmt.Sprintf(format, args...), " ")+"\n")
}

// chapter begins a chapter with a short description.
func (t *teller) chapter(title string, words ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.chapters++
	t.line("\n%d. %s\n", t.chapters, title)
	for _, line := range words {
		t.line("   %s", line)
	}
	t.line("")
}

// says writes the action of a participant.
func (t *teller) says(who, format string, args ...any) {
	const width = 100
	t.mu.Lock()
	defer t.mu.Unlock()
	left := fmt.Sprintf("%5.1fs  %-12s", time.Since(t.began).Seconds(), who)
	what := fmt.Sprintf(format, args...)
	for len(what) > width {
		cut := strings.LastIndexByte(what[:width], ' ')
		if cut < 0 {
			break
		}
		t.line("   %-20s  %s", left, what[:cut])
		left = ""
		what = "  " + what[cut+1:]
	}
	t.line("   %-20s  %s", left, what)
}

// event writes an event of a controller, but not twice in a row.
func (t *teller) event(replica string, event *corev1.Event) {
	t.mu.Lock()
	repeated := t.last == event.Message
	t.last = event.Message
	t.mu.Unlock()
	if !repeated {
		t.says(replica, "%s: %s", event.InvolvedObject.Name, event.Message)
	}
}

func (t *teller) takeover(replica string, resource machineupdate.ResourceID, key string) {
	t.says(replica, "takes over the key %s of %s", key, resource.ID)
}

// request writes a request to the cloud. Reads and throttled requests are only counted.
func (t *teller) request(r ec2test.Request) {
	t.mu.Lock()
	t.calls++
	t.mu.Unlock()
	if !ec2test.Reads(r.Action) && r.Outcome != "RequestLimitExceeded" {
		t.says("cloud", "%s %s: %s", r.Action, describe(r), r.Outcome)
	}
}

// callsUntilNow returns the number of calls to the cloud.
func (t *teller) callsUntilNow() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls
}

// describe returns the relevant values of a request.
func describe(r ec2test.Request) string {
	var said []string
	changed := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		value := r.Parameters.Get(name)
		switch {
		case name == "ImageId", strings.HasPrefix(name, "ResourceId"), strings.HasPrefix(name, "InstanceId"),
			strings.HasSuffix(name, "InterfaceId"), strings.HasSuffix(name, "VolumeId"):
			said = append(said, value)
		case strings.HasPrefix(name, "Tag.") && strings.HasSuffix(name, ".Key"):
			changed[value] = r.Parameters.Get(strings.TrimSuffix(name, "Key") + "Value")
		case strings.HasSuffix(name, "SourceDestCheck.Value"), strings.HasSuffix(name, "PrefixCount"), name ==
			"HttpTokens", name == "Iops", name == "Throughput":
			said = append(said, name+"="+value)
		}
	}
	if len(changed) > 0 {
		return show(changed) + " on " + strings.Join(said, " ")
	}
	return strings.Join(said, " ")
}

// record is a machine's record in the form that package machineupdate documents. Hot parts are read
// as specs.
type record struct {
	State string    `json:"state"` // empty if nothing is under way
	Parts []content `json:"parts"`
}

// content is the record of kinds of resources.
type content struct {
	Applied   *awsdriver.ProviderSpec  `json:"applied"`
	Attempted []awsdriver.ProviderSpec `json:"attempted"`
	Removed   []awsdriver.ProviderSpec `json:"removed"`
}

// recordOf reads the record of a machine, or returns an empty one.
func recordOf(annotations map[string]string) (found record, err error) {
	if annotation, ok := annotations[machineupdate.AnnotationRecord]; ok {
		err = json.Unmarshal([]byte(annotation), &found)
	}
	return found, err
}

// String shows the record of all kinds that the driver covers. It comes before the record of
// unknown kinds.
func (r record) String() string {
	if len(r.Parts) == 0 {
		return "none"
	}
	said := []string{cmp.Or(r.State, "Settled")}
	if applied := r.Parts[0].Applied; applied != nil {
		said = append(said, "applied {"+showSpec(applied)+"}")
	}
	for _, attempt := range r.Parts[0].Attempted {
		said = append(said, "attempted {"+showSpec(&attempt)+"}")
	}
	for _, removal := range r.Parts[0].Removed {
		said = append(said, "removed {"+strings.Join(slices.Sorted(maps.Keys(removal.Tags)), " ")+"}")
	}
	return strings.Join(said, ", ")
}

func showSpec(spec *awsdriver.ProviderSpec) string {
	shown := []string{show(spec.Tags)}
	for _, kind := range tags.Kinds() {
		if of := spec.ResourceTags.Of(kind); len(of) > 0 {
			shown = append(shown, string(kind)+":{"+show(of)+"}")
		}
	}
	return strings.Join(shown, " ")
}

// showLive shows the live tags, with one line for all resources with the same tags.
func (t *teller) showLive(record string, resources []ec2test.Resource) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var order []string
	same := map[string][]string{}
	for _, r := range resources {
		text := show(r.Tags)
		if !slices.Contains(order, text) {
			order = append(order, text)
		}
		same[text] = append(same[text], r.ID)
	}
	t.line("")
	t.line("   record  %s", record)
	for _, text := range order {
		t.line("   live    %-24s %s", strings.Join(same[text], " "), text)
	}
}

// show shows infrastructure tags without the mandatory ones.
func show(all map[string]string) string {
	var shown []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(key, "kubernetes.io/") && key != "Name" {
			shown = append(shown, key+"="+all[key])
		}
	}
	return strings.Join(shown, " ")
}
