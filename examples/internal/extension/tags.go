package extension

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// FlatTags returns the flat map of a provider spec: labels in the cloud's form, overridden by fixed, the keys of the extension itself, such as those
// by which machine-controller-manager finds its machines. A label without such a form is an error. So is a label that becomes a key of another
// cluster, because machine-controller-manager could delete the machine.
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
