package extensions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/provider"
)

// Pool is a worker pool with the state of its infrastructure.
type Pool struct {
	*provider.WorkerPool

	State State
}

// State has facts about a pool's infrastructure whose change replaces machines. Only the manifest
// of a Worker has them. A member is nil if the fact does not exist.
type State struct {
	// ServerGroupID is the server group of the pool (OpenStack).
	ServerGroupID *string
	// IdentityID is the managed identity of the machines. AvailabilitySet is the name of their set.
	// Subnet is the subnet of the zone, if zones have separate subnets (Azure).
	IdentityID, AvailabilitySet, Subnet *string
}

// The names of the parts of the state. The name of a subnet's part ends with the zone.
const (
	identityPart = "the identity of the machines"
	setPart      = "the set of virtual machines of the pool"
	subnetPart   = "the subnet of zone "
	groupPart    = "the server group of the pool"
)

// stateOf returns the state in the parts. Each zone of a pool has a MachineClass with a state of
// its own. stateOf returns the state of the first zone.
func stateOf(parts []provider.Part) (state State) {
	for _, part := range parts {
		switch {
		case part.Name == identityPart:
			state.IdentityID = part.Value
		case part.Name == setPart:
			state.AvailabilitySet = part.Value
		case part.Name == groupPart:
			state.ServerGroupID = part.Value
		case state.Subnet == nil:
			state.Subnet = part.Value
		}
	}
	return state
}

// decodeState reads a status of the infrastructure or of the extension, and whether there is one.
func decodeState[S any](raw []byte) (status S, isKnown bool) {
	isKnown = len(raw) > 0 && json.Unmarshal(raw, &status) == nil
	return status, isKnown
}

// decode reads the config, which has already been read strictly.
func decode[C any](pool Pool) (config C, err error) {
	if len(pool.ProviderConfig) == 0 {
		return config, nil
	}
	err = json.Unmarshal(pool.ProviderConfig, &config)
	return config, err
}

// byName returns the data volumes in the order of their names.
func (p Pool) byName() []provider.DataVolume {
	return slices.SortedFunc(slices.Values(p.DataVolumes),
		func(a, b provider.DataVolume) int { return strings.Compare(a.Name, b.Name) })
}

// encryptedVolumes returns whether the root volume is encrypted, then size, type and encryption of
// the data volumes in their order.
func encryptedVolumes(p Pool) []string {
	data := rootEncryption(p)
	for _, v := range p.DataVolumes {
		data = appendSet(appendSet(append(data, v.Size), v.Type), v.Encrypted)
	}
	return data
}

// rootEncryption returns whether the root volume is encrypted, if that is set.
func rootEncryption(p Pool) []string {
	if p.Volume == nil {
		return nil
	}
	return appendSet(nil, p.Volume.Encrypted)
}

// appendSet appends the values that are set. The appended values have no names, and a missing value
// leaves no trace.
func appendSet[T string | bool | int32 | int64](data []string, values ...*T) []string {
	for _, value := range values {
		if value != nil {
			data = append(data, fmt.Sprint(*value))
		}
	}
	return data
}

// nodeTemplate is the part of a node template that the lists hash.
type nodeTemplate struct {
	Capacity map[string]resource.Quantity `json:"capacity"`
}

// capacity returns the capacity of a node template, sorted, and rounded up to whole numbers: 100m
// is 1.
func (t *nodeTemplate) capacity() (data []string) {
	if t == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.Capacity)) {
		quantity := t.Capacity[name]
		data = append(data, fmt.Sprintf("%s=%d", name, quantity.Value()))
	}
	return data
}
