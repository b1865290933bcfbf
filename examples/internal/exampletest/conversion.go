package exampletest

import (
	"reflect"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// testConversion converts a config with all fields set to its internal type and back. It also
// checks that SchemaOf refuses the internal type: without JSON names it has no contract.
func (p *Provider[C, I, S]) testConversion(t *testing.T) {
	want := p.withTypeMeta(filled[C](t))
	if got := p.FromInternal(p.ToInternal(want)); !reflect.DeepEqual(want, got) {
		t.Errorf("came back as %+v, want %+v", got, want)
	}
	empty := p.withTypeMeta(new(C))
	if got := p.FromInternal(p.ToInternal(empty)); !reflect.DeepEqual(empty, got) {
		t.Errorf("the empty config came back as %+v", got)
	}

	_, err := hotupdate.SchemaOf[I]()
	problems := fault.All(err)
	if len(problems) == 0 {
		t.Error("the internal type has a Schema")
	}
	for _, problem := range problems {
		if problem.Code != fault.NoJSONName {
			t.Errorf("refused for another reason than its names: %v", problem)
		}
	}
}
