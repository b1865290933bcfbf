package extension

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// Append appends the values that are set, like hand-written lists. The appended values have no
// names, and a missing value leaves no trace.
func Append[T string | bool | int32 | int64](data []string, values ...*T) []string {
	for _, value := range values {
		if value != nil {
			data = append(data, fmt.Sprint(*value))
		}
	}
	return data
}

// Capacity returns a node template's capacity for hand-written lists: sorted, and rounded up to
// whole numbers, so that 100m is 1.
func Capacity(template *gardener.NodeTemplate) []string {
	if template == nil {
		return nil
	}
	var data []string
	for _, name := range slices.Sorted(maps.Keys(template.Capacity)) {
		quantity := template.Capacity[name]
		data = append(data, fmt.Sprintf("%s=%d", name, quantity.Value()))
	}
	return data
}

// EncryptedVolumes returns whether the root volume is encrypted, then size, type and encryption of
// the data volumes in their order. AWS and Alibaba Cloud hash these values.
func EncryptedVolumes(pool *gardener.WorkerPool) []string {
	data := RootEncryption(pool)
	for _, v := range pool.DataVolumes {
		data = Append(Append(append(data, v.Size), v.Type), v.Encrypted)
	}
	return data
}

// RootEncryption returns whether the root volume is encrypted, if that is set.
func RootEncryption(pool *gardener.WorkerPool) []string {
	if pool.Volume == nil {
		return nil
	}
	return Append(nil, pool.Volume.Encrypted)
}
