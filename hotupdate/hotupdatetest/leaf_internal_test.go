package hotupdatetest

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestLeavesHaveWhatJSONDoesNotSay: of leaves that hold more in Go than in JSON, values are drawn that differ in that alone.
func TestLeavesHaveWhatJSONDoesNotSay(t *testing.T) {
	type leaves struct {
		Time     metav1.Time        `json:"time"`
		Micro    metav1.MicroTime   `json:"micro"`
		Quantity resource.Quantity  `json:"quantity"`
		Port     intstr.IntOrString `json:"port"`
	}
	s, err := subjectOf[leaves](nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.plan.Root.Fields {
		all, alike := s.readable(f.Node), 0
		for i, a := range all {
			for _, b := range all[:i] {
				if a.text == b.text && !reflect.DeepEqual(a.make().Interface(), b.make().Interface()) {
					alike++
				}
			}
		}
		if alike < len(all)/2 {
			t.Errorf("%s: of %d values %d pairs have one text and differ in Go", f.Name, len(all), alike)
		}
	}
}
