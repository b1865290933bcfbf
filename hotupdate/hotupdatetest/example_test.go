package hotupdatetest_test

import (
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/tags"
)

// What a controller made of a configuration has to have the same hash; tags are nobody's business here.
func ExampleIgnoreHot() {
	iops := int32(3000)
	want := &aws.WorkerConfig{Volume: &aws.Volume{IOPS: &iops}}
	got := &aws.WorkerConfig{Volume: &aws.Volume{IOPS: &iops}, Placement: &aws.Placement{}, Tags: &tags.Tags{VM: map[string]string{"team": "a"}}}
	fmt.Println("same hash:", cmp.Equal(want, got, hotupdatetest.IgnoreHot[aws.WorkerConfig]()))
	fmt.Println("same hot part:", cmp.Equal(want, got, hotupdatetest.IgnoreImmutable[aws.WorkerConfig]()))
	// Output:
	// same hash: true
	// same hot part: false
}
