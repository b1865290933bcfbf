package openstack

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// APIVersion and Kind identify the WorkerConfig in a manifest.
const (
	APIVersion = "openstack.provider.extensions.gardener.cloud/v1alpha1"
	Kind       = "WorkerConfig"
)

// Schema returns the Schema of [WorkerConfig].
func Schema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[WorkerConfig]() }

// WorkerConfig is the provider config of a worker pool. Fields without a struct tag are immutable:
// a change replaces the machines.
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	// NodeTemplate describes a node of an empty pool for the autoscaler. It concerns no machine,
	// and has never been part of this extension's hash (gardener-extension-provider-openstack,
	// generateWorkerPoolHash).
	NodeTemplate *gardener.NodeTemplate `json:"nodeTemplate,omitempty" hotupdatable:"ignore"`
	// ServerGroup is the server group of this pool. A server is put into a group when it is created
	// (Nova API, "Create server", os:scheduler_hints).
	ServerGroup *ServerGroup `json:"serverGroup,omitempty"`
	// Labels are metadata of the servers. A label that does not trigger a rolling update is
	// hot: metadata can be written while the server runs (Nova API, "Update server metadata"). A
	// label that triggers one is immutable.
	Labels []Label `json:"machineLabels,omitempty" hotupdatable:"false,key=name,hotwhen=triggerRollingOnUpdate:false"`
	// AdditionalSecurityGroups have no order (Nova API, "Create server", security_groups).
	AdditionalSecurityGroups []string `json:"additionalSecurityGroups,omitempty" hotupdatable:"false,set"`
	// Tags are the infrastructure tags. They are hot: metadata of servers and volumes can be
	// written while the server runs, and the driver does so in UpdateMachine (hot-update proposal,
	// "Shoot YAML changes" and "Driver interface changes"). Ports have no metadata, so Network must
	// be empty.
	Tags *tags.Tags `json:"tags,omitempty" hotupdatable:"true"`
}

// ServerGroup is the server group of one pool.
type ServerGroup struct {
	// Policy is for example soft-anti-affinity.
	Policy string `json:"policy"`
}

// Label is an item of the servers' metadata.
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// TriggerRollingOnUpdate says that a change of the value replaces the machines.
	TriggerRollingOnUpdate bool `json:"triggerRollingOnUpdate,omitempty"`
}
