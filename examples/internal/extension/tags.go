package extension

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// FlatTags returns the flat map of a provider spec: labels, turned into what the cloud takes, below fixed, what the extension adds
// itself, as the keys by which machine-controller-manager finds its machines. Labels that cannot be turned are an error, as is one that
// would become a key of another cluster, which could get the machine deleted.
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
