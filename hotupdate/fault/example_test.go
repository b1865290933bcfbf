package fault_test

import (
	"errors"
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Every function returns all problems at once. A program reads the codes and the fields; the text is
// for people.
func ExampleAll() {
	type Volume struct {
		IOPS  *int32   `json:"iops,omitempty"  hotupdatable:"true"`
		Zones []string `json:"zones,omitempty" hotupdatable:"false,sett"`
		Size  string   `json:"size,omitempty"  hotupdatable:"ture"`
	}
	_, err := hotupdate.SchemaOf[Volume]()
	for _, problem := range fault.All(err) {
		fmt.Println(problem.Kind, problem.Code, problem.Field)
		fmt.Println("  " + problem.What + "; " + problem.Hint)
	}
	// Output:
	// declaration unknown-class fault_test.Volume.Size
	//   has unknown class `ture` in struct tag `hotupdatable:"ture"`; write one of `true`, `false`, `inplace` and `ignore` first
	// declaration unknown-option fault_test.Volume.Zones
	//   has unknown option `sett` in struct tag `hotupdatable:"false,sett"`; write one of `set`, `key`, `hotwhen`, `keyclass`, `default`, `presence`, `as`, `sensitive`, and 'quotes' around a text with a comma
}

// A webhook answers differently to a config that cannot be read than to a failure of its own.
func ExampleError() {
	schema, err := hotupdate.SchemaOf[struct {
		IOPS *int32 `json:"iops,omitempty"`
	}]()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = schema.HashRaw([]byte(`{"iops":"many"}`))
	problem, ok := errors.AsType[*fault.Error](err)
	if !ok {
		fmt.Println("an error of another package:", err)
		return
	}
	isConfigWrong := problem.Kind == fault.Invalid
	fmt.Println("the user has to correct it:", isConfigWrong, problem.Path, problem.Code)
	// Output:
	// the user has to correct it: true iops wrong-json-type
}
