package extension

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// Append appends those values that are set, without any name: the way of hand-written lists. What it appends says neither which field
// a value belongs to nor that one is missing.
func Append[T string | bool | int32 | int64](data []string, values ...*T) []string {
	for _, value := range values {
		if value != nil {
			data = append(data, fmt.Sprint(*value))
		}
	}
	return data
}

// Capacity returns a node template's capacity as hand-written lists hold it: sorted, and rounded up to whole numbers, so that 100m is 1.
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

// EncryptedVolumes returns whether the root volume is encrypted, then size, type and encryption of the data volumes in their order, as AWS
// and Alibaba Cloud hash them.
func EncryptedVolumes(pool *gardener.WorkerPool) []string {
	data := RootEncryption(pool)
	for _, v := range pool.DataVolumes {
		data = Append(Append(append(data, v.Size), v.Type), v.Encrypted)
	}
	return data
}

// RootEncryption returns whether the root volume is encrypted, if the pool says so.
func RootEncryption(pool *gardener.WorkerPool) []string {
	if pool.Volume == nil {
		return nil
	}
	return Append(nil, pool.Volume.Encrypted)
}
