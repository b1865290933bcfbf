package hotupdate_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
)

func ExampleCompatibility() {
	type Volume struct {
		IOPS *int32 `json:"iops,omitempty"`
	}
	type VolumeOfNextRelease struct {
		IOPS  *int64 `json:"iops,omitempty"`
		Cache string `json:"cache,omitempty" hotupdatable:"true"`
		Size  *int32 `json:"size,omitempty"`
	}
	old, err := hotupdate.SchemaOf[Volume]()
	if err != nil {
		fmt.Println(err)
	}
	updated, err := hotupdate.SchemaOf[VolumeOfNextRelease](hotupdate.WithTag("iops", "true"))
	if err != nil {
		fmt.Println(err)
	}
	findings, err := hotupdate.Compatibility(old, updated)
	for _, f := range findings {
		fmt.Println(f.Harmless(), f.Kind, f.Path)
	}
	fmt.Println(findings[1], err)
	// Output:
	// true FieldAdded cache
	// false ClassChanged iops
	// true TypeChanged iops
	// true FieldAdded size
	// iops: became hot, was immutable: every pool that sets it rolls unless an era of the old Schema stays; from now on a change of it is applied to running machines, it replaced machines <nil>
}
