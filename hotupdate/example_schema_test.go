package hotupdate_test

import (
	"encoding/json"
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The changes of a config, each with its class, and what they mean for two kinds of pools.
func ExampleSchema_Diff() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	old := &WorkerConfig{
		Volume: &Volume{IOPS: new(int32(3000))},
		Tags:   &tags.Tags{VM: map[string]string{"cost-center": "a"}},
	}
	updated := &WorkerConfig{
		Volume: &Volume{IOPS: new(int32(6000))},
		Tags:   &tags.Tags{VM: map[string]string{"cost-center": "b"}},
	}
	changes, err := schema.Diff(old, updated)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, change := range changes {
		fmt.Printf("%-9s %s: %s to %s\n", change.Class, change.Path, change.Old, change.New)
	}
	fmt.Println("a rolling pool:", changes.Outcome(hotupdate.AutoRollingUpdate))
	fmt.Println("an in-place pool:", changes.Outcome(hotupdate.AutoInPlaceUpdate))
	fmt.Println("the tags alone:", changes.Of(hotupdate.Hot).Outcome(hotupdate.AutoRollingUpdate))
	// Output:
	// hot       tags.vm[cost-center]: "a" to "b"
	// immutable volume.iops: 3000 to 6000
	// a rolling pool: roll
	// an in-place pool: forbidden
	// the tags alone: hot-update
}

// An extension hands AdditionalData to Gardener's WorkerPoolHash.
func ExampleSchema_Hash() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	config := &WorkerConfig{
		Volume: &Volume{IOPS: new(int32(3000))},
		Tags:   &tags.Tags{VM: map[string]string{"cost-center": "a"}},
	}
	before, err := schema.Hash(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	config.Tags.VM["cost-center"] = "b"
	after, err := schema.Hash(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(after)
	fmt.Println("the same after a hot change:", before == after)
	// Output:
	// v1:3dbe060c1f4227edf7b68364fd43086adf728acaf5492c3abd5f958a831e1908
	// the same after a hot change: true
}

// The document shows what is hashed: the config without its hot fields.
func ExampleSchema_Document() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := schema.Document(&WorkerConfig{
		Volume: &Volume{IOPS: new(int32(3000))},
		Tags:   &tags.Tags{VM: map[string]string{"cost-center": "a"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(document))
	// Output:
	// {"volume":{"iops":3000}}
}

// A program without the Go type judges configs by the Schema that the extension has published.
func ExampleLoadSchema() {
	compiled, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	published, err := json.Marshal(compiled)
	if err != nil {
		fmt.Println(err)
		return
	}

	schema, err := hotupdate.LoadSchema(published)
	if err != nil {
		fmt.Println(err)
		return
	}
	changes, err := schema.DiffRaw([]byte(`{"volume":{"iops":3000}}`), []byte(`{"volume":{"iops":6000}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, change := range changes {
		fmt.Println(change.Path, change.Class)
	}
	// Output:
	// volume.iops immutable
}

// An in-place update hook of Cluster API answers with the patch for what machines can take, and
// learns what still replaces them.
func ExampleSchema_Cover() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	current := []byte(`{"kind":"Machine","spec":{"volume":{"iops":3000},"tags":{"vm":{"cost-center":"a"}}}}`)
	desired := []byte(`{"kind":"Machine","spec":{"volume":{"iops":6000},"tags":{"vm":{"cost-center":"b"}}}}`)
	coverage, err := schema.Cover(current, desired, "/spec")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(coverage.Patch))
	for _, change := range coverage.Left {
		fmt.Println("needs another machine:", change.Path)
	}
	// Output:
	// [{"op":"replace","path":"/spec/tags/vm/cost-center","value":"b"}]
	// needs another machine: volume.iops
}
