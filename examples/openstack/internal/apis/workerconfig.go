// Package apis has the internal type of the WorkerConfig for the extension's code. As everywhere in
// Gardener it has no JSON names. The JSON names of the versioned types are the contract, and only
// versioned types have classes.
package apis

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// WorkerConfig is the provider config of a worker pool.
type WorkerConfig struct {
	metav1.TypeMeta

	NodeTemplate             *gardener.NodeTemplate
	ServerGroup              *ServerGroup
	Labels                   []MachineLabel
	AdditionalSecurityGroups []string
	Tags                     *tags.Tags
}

// ServerGroup is the server group of one pool.
type ServerGroup struct {
	Policy string
}

// MachineLabel is an item of the servers' metadata.
type MachineLabel struct {
	Name                   string
	Value                  string
	TriggerRollingOnUpdate bool
}
