package hotupdate_test

import (
	"fmt"

	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// An admission webhook refuses what the pool's strategy cannot take, and warns of what replaces machines.
func ExampleSchema_ValidateUpdateRaw() {
	schema, err := hotupdate.SchemaOf[aws.WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	old := []byte(`{"cpuOptions":{"coreCount":2}}`)
	updated := []byte(`{"cpuOptions":{"coreCount":4}}`)
	path := k8sfield.NewPath("spec", "provider", "workers").Index(0).Child("providerConfig")
	for _, err := range schema.ValidateUpdateRaw(old, updated, hotupdate.AutoInPlaceUpdate, path) {
		fmt.Println(err)
	}
	changes, err := schema.DiffRaw(old, updated)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, warning := range changes.Warnings(hotupdate.AutoRollingUpdate, path) {
		fmt.Println("Warning:", warning)
	}
	// Output:
	// spec.provider.workers[0].providerConfig.cpuOptions.coreCount: Forbidden: is immutable: AutoInPlaceUpdate does not replace machines, which this change needs
	// Warning: spec.provider.workers[0].providerConfig: roll: every machine is replaced
	// Warning: spec.provider.workers[0].providerConfig.cpuOptions.coreCount: is immutable, so that its change causes: roll
}
