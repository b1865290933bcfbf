package machineupdate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// machineWith is a machine whose record was written at a time.
func machineWith(uid, annotation string) *object {
	return &object{
		ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), Annotations: map[string]string{machineupdate.AnnotationRecord: annotation}},
	}
}

func head(state string, since time.Time, wanted string) string {
	if state != "" {
		state = `,"state":"` + state + `"`
	}
	if wanted != "" {
		wanted = `,"wanted":"` + wanted + `"`
	}
	return `{"v":1,"providerID":"i","schema":"s"` + state + `,"since":"` + since.Format(time.RFC3339) + `"` + wanted + `,"parts":[{}]}`
}

// TestFleet: the age of the oldest update counts from its begin, even if it is repeated.
func TestFleet(t *testing.T) {
	var fleet machineupdate.Fleet[*object]
	ago := func(d time.Duration) time.Time { return start.Add(-d) }
	const wanted = "AAAAAAAAAAAAAAAAAAAAAA"
	assert.NotContains(t, fleet.Samples(nil, start), "last_success_seconds")
	machines := []*object{
		machineWith("a", head("Calling", ago(time.Minute), wanted)), machineWith("b", head("Calling", ago(time.Hour), "")),
		machineWith("c", head("Unconfirmed", ago(10*time.Second), wanted)), machineWith("d", head("Unconfirmed", ago(20*time.Second), "")),
		machineWith("e", head("", ago(time.Hour), wanted)), machineWith("f", head("", ago(2*time.Hour), "")), machineWith("g", "{"),
		{},
	}
	want := map[string]float64{
		"machines_calling": 2, "machines_unconfirmed": 2, "records_full": 2, "oldest_calling_seconds": 3600,
		"oldest_unconfirmed_seconds": 20, "last_success_seconds": 10,
	}
	assert.Equal(t, want, fleet.Samples(machines, start))

	machines[1] = machineWith("b", head("Calling", start, wanted)) // repeated
	machines[3] = machineWith("d", head("Calling", start, wanted)) // another change
	want = map[string]float64{
		"machines_calling": 3, "machines_unconfirmed": 1, "records_full": 1, "oldest_calling_seconds": 3660,
		"oldest_unconfirmed_seconds": 70, "last_success_seconds": 70,
	}
	assert.Equal(t, want, fleet.Samples(machines, start.Add(time.Minute)))
	assert.InDelta(
		t, 120, fleet.Samples(machines[2:4], start.Add(2*time.Minute))["oldest_calling_seconds"], 0, "machines that are gone are forgotten",
	)
	assert.InDelta(t, 180, fleet.Samples(machines[1:4], start.Add(3*time.Minute))["oldest_calling_seconds"], 0)

	lanes := machineWith("l", head("Calling", ago(time.Minute), wanted))
	for lane, text := range map[string]string{
		"slow": head("Calling", ago(time.Hour), wanted),
		"drained": strings.Replace(
			head("Calling", ago(2*time.Hour), ""), `,"parts"`, `,"class":"c","node":"n","drained":"2026-01-02T03:04:05Z","parts"`, 1,
		),
		"made": strings.Replace(head("Calling", ago(2*time.Hour), ""), "providerID", "creating", 1),
	} {
		lanes.Annotations[machineupdate.AnnotationRecord+"-"+lane] = text
	}
	samples := fleet.Samples([]*object{lanes}, start)
	assert.Equal(
		t, []float64{2, 3600}, []float64{samples["machines_calling"], samples["oldest_calling_seconds"]},
		"each lane counts, but for one that awaits a drain",
	)
}

// A Prometheus server reads this text; a collector of its client library takes the same numbers.
func ExampleFleet() {
	var fleet machineupdate.Fleet[*object]
	metrics := func(machines []*object, now time.Time) {
		for name, value := range fleet.Samples(machines, now) {
			fmt.Printf("hotupdate_%s %g\n", name, value)
		}
	}
	now := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	metrics([]*object{machineWith("a", head("Calling", now.Add(-time.Hour), ""))}, now)
	// Unordered output:
	// hotupdate_machines_calling 1
	// hotupdate_machines_unconfirmed 0
	// hotupdate_oldest_calling_seconds 3600
	// hotupdate_oldest_unconfirmed_seconds 0
	// hotupdate_records_full 0
}
