package alicloud

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// APIVersion and Kind identify the WorkerConfig in a manifest.
const (
	APIVersion = "alicloud.provider.extensions.gardener.cloud/v1alpha1"
	Kind       = "WorkerConfig"
)

// Schema returns the Schema of [WorkerConfig], in which virtual capacity is hot.
func Schema() (*hotupdate.Schema, error) { return extension.SchemaOf[WorkerConfig]() }

// WorkerConfig is the provider config of a worker pool. Fields without a struct tag are immutable:
// a change replaces the machines.
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	// NodeTemplate describes a node of an empty pool for the autoscaler.
	NodeTemplate *gardener.NodeTemplate `json:"nodeTemplate,omitempty"`
	// Tags are the infrastructure tags. They are hot: TagResources and UntagResources work on
	// running instances, and the driver calls them in UpdateMachine (hot-update proposal, "Shoot
	// YAML changes" and "Driver interface changes").
	Tags *tags.Tags `json:"tags,omitempty" hotupdatable:"true"`
}
