package extension

import (
	"maps"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// FlatTags returns the flat map of a provider spec: labels in the cloud's form, overridden by
// fixed. Fixed has the keys of the extension itself, such as those by which
// machine-controller-manager finds its machines. A label that has no form in the cloud is an error.
// So is a label that becomes a key of another cluster, because machine-controller-manager could
// delete the machine.
func FlatTags(cloud tags.Cloud, pool *gardener.WorkerPool, labels, fixed map[string]string) (map[string]string, error) {
	rules, err := cloud.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	clean, errs := rules.Sanitize(labels, field.NewPath("labels"))
	if err := errs.ToAggregate(); err != nil {
		return nil, InPool(pool, err)
	}
	return rules.Effective(clean, nil, fixed), nil
}

// VMTags returns the tags of each kind, for a driver that sets the flat map on all resources. The
// flat map of its provider spec then holds only fixed. The result has the tags of the config and,
// for the VM only, the labels in the cloud's form: on volumes and interfaces they would use up the
// cloud's limits. Fixed keys win. The errors are those of [FlatTags].
func VMTags(
	cloud tags.Cloud, pool *gardener.WorkerPool, perKind *tags.Tags, fixed map[string]string,
) (*tags.Tags, error) {
	labels, err := FlatTags(cloud, pool, pool.Labels, fixed)
	if err != nil {
		return nil, err
	}
	rules, err := cloud.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	vm := rules.Effective(labels, perKind.Of(tags.VM), fixed)
	maps.DeleteFunc(vm, func(key, _ string) bool {
		_, ok := fixed[key]
		return ok
	})
	if perKind == nil && len(vm) == 0 {
		return nil, nil //nolint:nilnil // no tags
	}
	return &tags.Tags{VM: vm, Network: perKind.Of(tags.Network), Disk: perKind.Of(tags.Disk)}, nil
}
