package hotupdatetest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

// The test of an extension:
//
//	func TestWorkerConfig(t *testing.T) {
//		hotupdatetest.Check[v1alpha1.WorkerConfig](t)
//	}
func ExampleCheck() {
	type Volume struct {
		Type *string `json:"type,omitempty" hotupdatable:"false,default=gp3"`
		IOPS *int32  `json:"iops,omitempty" hotupdatable:"true"`
	}
	type WorkerConfig struct {
		Volume *Volume           `json:"volume,omitempty"`
		Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	}
	t := new(testing.T) // in a test, its argument
	hotupdatetest.Check[WorkerConfig](t)
	fmt.Println("failed:", t.Failed())
	// Output:
	// failed: false
}

// The defaulter of the extension sets a type that the struct tags do not declare. A config that was
// read back from the cluster would have another hash, and roll the pool.
func ExampleWithDefaulter() {
	type Volume struct {
		Type *string `json:"type,omitempty"`
	}
	setDefaults := func(volume *Volume) {
		if volume.Type == nil {
			volume.Type = new("gp3")
		}
	}
	t := &recorder{name: "TestVolume"} // in a test, its argument
	hotupdatetest.Check[Volume](t, hotupdatetest.WithDefaulter(setDefaults))
	problem, _, _ := strings.Cut(t.text(), ";")
	fmt.Println(problem)
	// Output:
	// hotupdatetest: hotupdatetest_test.Volume: type: the defaulting function changes the hash
}

// The next release makes a field hot. Without an era for the old Schema this would roll pools: Golden
// fails, and go test -update does not hide it.
func ExampleGolden() {
	type Volume struct {
		IOPS *int32 `json:"iops,omitempty"`
	}
	type NextVolume struct {
		IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
	}
	folder, err := os.MkdirTemp("", "golden")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()         // only a temporary folder
	file := filepath.Join(folder, "volume.golden.json") // in a test, testdata/volume.golden.json

	flags := flag.NewFlagSet("", flag.ContinueOnError) // in a test, flag.CommandLine
	update := hotupdatetest.UpdateFlag(flags, "update")
	if err := flags.Parse([]string{"-update"}); err != nil {
		fmt.Println(err)
		return
	}
	t := &recorder{name: "TestVolume"}
	hotupdatetest.Golden[Volume](t, file, update)
	fmt.Println("written:", t.text() == "")

	hotupdatetest.Golden[NextVolume](t, file, update)
	report := strings.Split(t.text(), "\n")
	fmt.Println(report[1])
	// Output:
	// written: true
	// - iops: became hot, was immutable: every pool that sets it rolls unless an era of the old Schema stays; from now on a change of it is applied to running machines, it replaced machines
}

// Check of a Schema that is made with overrides.
func ExampleWithSchema() {
	type NodeTemplate struct { // a type of Gardener
		VirtualCapacity map[string]string `json:"virtualCapacity,omitempty"`
	}
	type WorkerConfig struct {
		NodeTemplate *NodeTemplate `json:"nodeTemplate,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[WorkerConfig](hotupdate.WithTag("nodeTemplate.virtualCapacity", "true"))
	if err != nil {
		fmt.Println(err)
		return
	}
	t := new(testing.T) // in a test, its argument
	hotupdatetest.Check[WorkerConfig](t, hotupdatetest.WithSchema(schema))
	fmt.Println("failed:", t.Failed())
	// Output:
	// failed: false
}
