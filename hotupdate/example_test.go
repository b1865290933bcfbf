package hotupdate_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/tags"
)

type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	Volume *Volume    `json:"volume,omitempty"`                     // immutable
	Tags   *tags.Tags `json:"tags,omitempty"   hotupdatable:"true"` // hot
}

type Volume struct {
	IOPS *int32 `json:"iops,omitempty"`
}

func Example() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		panic(err) // names every mistake in the struct tags
	}
	before := []byte(`{"volume":{"iops":3000},"tags":{"vm":{"cost-center":"a"}}}`)
	after := []byte(`{"volume":{"iops":3000},"tags":{"vm":{"cost-center":"b"}}}`)
	old, _ := schema.HashRaw(before)
	updated, _ := schema.HashRaw(after) // hand updated.AdditionalData() to WorkerPoolHash
	changes, _ := schema.DiffRaw(before, after)
	fmt.Println(changes.Outcome(hotupdate.AutoRollingUpdate), old == updated, changes[0].Path)
	// Output:
	// hot-update true tags.vm[cost-center]
}

func ExampleWithTag() {
	schema, err := hotupdate.SchemaOf[WorkerConfig](hotupdate.WithTag("volume.iops", "inplace"))
	if err != nil {
		panic(err)
	}
	iops := int32(3000)
	changes, err := schema.Diff(nil, &WorkerConfig{Volume: &Volume{IOPS: &iops}})
	if err != nil {
		panic(err)
	}
	for _, c := range changes {
		fmt.Println(c.Op, c.Path, c.New, c.Class, c.Origin, c.Source)
	}
	fmt.Println(changes.Outcome(hotupdate.AutoInPlaceUpdate))
	// Output:
	// add volume.iops 3000 in-place override volume.iops
	// in-place-update
}

func ExampleSplit() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		panic(err)
	}
	iops := int32(3000)
	immutable, hot, err := hotupdate.Split(schema, &WorkerConfig{
		Volume: &Volume{IOPS: &iops},
		Tags:   &tags.Tags{VM: map[string]string{"cost-center": "a"}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(immutable.Tags == nil, *immutable.Volume.IOPS)
	fmt.Println(hot.Volume == nil, hot.Tags.VM)
	// Output:
	// true 3000
	// true map[cost-center:a]
}

func ExampleSchemaOf_mistakes() {
	type WorkerConfig struct {
		Volume *Volume    `json:"volume,omitempty" hotupdatable:"ture"`
		Tags   *tags.Tags `json:"tags,omitempty"   hotupdatable:"true,set"`
	}
	_, err := hotupdate.SchemaOf[WorkerConfig]()
	for _, problem := range fault.All(err) {
		fmt.Println(problem.Code, problem.Field)
	}
	// Output:
	// misplaced-option hotupdate_test.WorkerConfig.Tags
	// unknown-class hotupdate_test.WorkerConfig.Volume
}
