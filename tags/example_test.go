package tags_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/tags"
)

// A driver plans the infrastructure tags of the volumes that it created with a machine, and makes the calls.
func Example() {
	rules, err := tags.AWS.Rules(tags.Disk)
	if err != nil {
		fmt.Println(err)
		return
	}
	state := tags.PlanInput{
		Recorded:  []map[string]string{{"cost-center": "1000", "owner": "alice"}, {"cost-center": "2000"}}, // applied; attempted
		Desired:   map[string]string{"cost-center": "2000"},
		Mandatory: map[string]string{"kubernetes.io/cluster/shoot--p--s": "1"},
	}
	live := map[string]map[string]string{
		"vol-root": {"cost-center": "1000", "owner": "alice", "backup": "daily", "kubernetes.io/cluster/shoot--p--s": "1"},
		"vol-data": {"cost-center": "1000", "owner": "bob", "kubernetes.io/cluster/shoot--p--s": "1"}, // bob took the key over
		"vol-csi":  {"owner": "alice"},                                                                // attached, but not created with the machine
	}
	plans, err := rules.Plan(state, []string{"vol-root", "vol-data"}, live)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, batch := range rules.Batches(plans) {
		for _, tag := range batch.Set {
			fmt.Println("set on", batch.Resources, tag.Key, tag.Value)
		}
		for _, tag := range batch.Remove {
			fmt.Println("remove from", batch.Resources, tag.Key, "if it is", tag.Value)
		}
	}
	// Output:
	// set on [vol-data vol-root] cost-center 2000
	// remove from [vol-root] owner if it is alice
}

// Drivers of clouds that replace all labels at once write the result of the plan, with the fingerprint that live was read with.
func ExampleResourcePlan_Apply() {
	rules, err := tags.GCP.Rules(tags.VM)
	if err != nil {
		fmt.Println(err)
		return
	}
	live := map[string]string{"cost-center": "1000", "backup": "daily"}
	state := tags.PlanInput{Recorded: []map[string]string{{"cost-center": "1000"}}, Desired: map[string]string{"owner": "alice"}}
	plans, err := rules.Plan(state, []string{"vm-1"}, map[string]map[string]string{"vm-1": live})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plans[0].Apply(live))
	// Output: map[backup:daily owner:alice]
}

// Values may be secret, so printing a plan shows keys and lengths only.
func ExampleTag_Format() {
	fmt.Println(tags.Tag{Key: "owner", Value: "alice"})
	// Output: "owner"=(5 bytes)
}

// An admission webhook tells a user everything that is wrong, and what would happen.
func ExampleCloud_Validate() {
	wanted := &tags.Tags{
		VM:   map[string]string{"owner": "alice", "kubernetes.io/cluster/other": "1"},
		Disk: map[string]string{"Name": "my-disk"},
	}
	mandatory := tags.Tags{VM: map[string]string{"kubernetes.io/cluster/mine": "1"}}
	for _, err := range tags.AWS.Validate(wanted, &mandatory, field.NewPath("tags")) {
		fmt.Println(err)
	}
	// Output:
	// tags.vm[kubernetes.io/cluster/other]: Forbidden: matches "*kubernetes.io/cluster/*", by which MCM finds the machines of a cluster: the cluster that it names would take the VM for one of its machines and delete it, as it has no Machine object for it; choose another key
	// tags.disk[Name]: Forbidden: matches "Name", which the driver sets itself or the cloud reserves: the value would be overwritten, or the cloud would refuse the whole call; choose another key
}

// An extension turns pool labels into infrastructure tags. Keys that become one key are reported; none of them wins.
func ExampleRules_Sanitize() {
	rules, err := tags.GCP.Rules(tags.VM)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := map[string]string{"worker.gardener.cloud/pool": "Pool-A", "team.name": "red", "team/name": "blue"}
	clean, errs := rules.Sanitize(labels, field.NewPath("labels"))
	fmt.Println(clean)
	for _, err := range errs {
		fmt.Println(err.Type, err.Field)
	}
	// Output:
	// map[worker_gardener_cloud_pool:pool-a]
	// Duplicate value labels[team.name]
	// Duplicate value labels[team/name]
}

// A driver whose spec holds one flat map for all kinds finds the mandatory keys in it, and lays the map of the kind over it.
func ExampleRules_Effective() {
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		fmt.Println(err)
		return
	}
	flat := map[string]string{"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1", "owner": "alice"}
	perKind := tags.Tags{VM: map[string]string{"owner": "bob"}}

	mandatory := rules.MandatoryIn(flat)
	mandatory["Name"] = "machine-1"
	fmt.Println(rules.Effective(flat, perKind.Of(tags.VM), mandatory))
	// Output: map[Name:machine-1 kubernetes.io/cluster/shoot--p--s:1 kubernetes.io/role/node:1 owner:bob]
}

// Limits that are quotas are changed in a copy.
func ExampleCloud_Rules() {
	rules, err := tags.OpenStack.Rules(tags.VM)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules.MaxTags = 256 // the operator raised metadata_items
	fmt.Println(rules.MaxTags)

	_, err = tags.OpenStack.Rules(tags.Network)
	fmt.Println(err)
	// Output:
	// 256
	// hotupdate: OpenStack: resources of kind network carry no infrastructure tags that this package knows; leave them out
}
