package exampletest

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// CheckConversion converts a config with all fields set to its internal type I and back. It also
// checks that SchemaOf refuses the internal type: without JSON names it has no contract.
func CheckConversion[V, I any](t *testing.T, p *Provider, toInternal func(*V) *I, fromInternal func(*I) *V) {
	t.Helper()
	want := Filled[V](t)
	typeMeta := metav1.TypeMeta{APIVersion: p.APIVersion, Kind: p.Kind}
	reflect.ValueOf(want).Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(typeMeta))
	if got := fromInternal(toInternal(want)); !reflect.DeepEqual(want, got) {
		t.Errorf("came back as %+v, want %+v", got, want)
	}
	empty := new(V)
	reflect.ValueOf(empty).Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(typeMeta))
	if got := fromInternal(toInternal(empty)); !reflect.DeepEqual(empty, got) {
		t.Errorf("the empty config came back as %+v", got)
	}

	_, err := hotupdate.SchemaOf[I]()
	problems := fault.All(err)
	if len(problems) == 0 {
		t.Error("the internal type has a Schema")
	}
	for _, problem := range problems {
		if problem.Code != "no-json-name" {
			t.Errorf("refused for another reason than its names: %v", problem)
		}
	}
}
