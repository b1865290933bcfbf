// Package apis holds the internal type of the WorkerConfig, which the extension works with. As everywhere in Gardener it has no JSON
// names: those of the versioned types are the contract, and only they can carry classes.
package apis

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// WorkerConfig is the provider config of a worker pool.
type WorkerConfig struct {
	metav1.TypeMeta

	NodeTemplate *gardener.NodeTemplate
	Tags         *tags.Tags
}
