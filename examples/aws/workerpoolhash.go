package aws

import (
	"fmt"
	"strconv"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// APIVersion and Kind identify the WorkerConfig in a manifest.
const (
	APIVersion = "aws.provider.extensions.gardener.cloud/v1alpha1"
	Kind       = "WorkerConfig"
)

// Schema returns the Schema of WorkerConfig. Virtual capacity is applied to nodes that exist; it is hot through an override because
// its type belongs to Gardener.
func Schema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[WorkerConfig](hotupdate.WithClass("nodeTemplate.virtualCapacity", hotupdate.Hot))
}

// GenerateWorkerPoolHash returns the suffix of the pool's MachineClass name. It starts from the raw providerConfig: hash before
// defaulting and conversion. The hot part of the config does not enter the hash.
func GenerateWorkerPoolHash(pool WorkerPool, workerPoolHash WorkerPoolHash) (string, error) {
	schema, err := Schema()
	if err != nil {
		return "", err
	}
	var raw []byte
	if pool.ProviderConfig != nil {
		raw = pool.ProviderConfig.Raw
	}
	sum, err := hash.OfRaw(schema, raw)
	if err != nil {
		return "", fmt.Errorf("worker pool %s: %w", pool.Name, err)
	}
	inPlace := rootVolume(pool)
	rolling := append(rootVolume(pool), dataVolumes(pool)...)
	return workerPoolHash(pool, append(rolling, sum.AdditionalData()...), append(inPlace, sum.AdditionalData()...))
}

// rootVolume is what this extension adds beside the WorkerConfig for every strategy.
func rootVolume(pool WorkerPool) []string {
	if pool.Volume == nil || pool.Volume.Encrypted == nil {
		return nil
	}
	return []string{strconv.FormatBool(*pool.Volume.Encrypted)}
}

// dataVolumes is what this extension adds for pools that roll.
func dataVolumes(pool WorkerPool) []string {
	var data []string
	for _, v := range pool.DataVolumes {
		data = append(data, v.Size)
		if v.Type != nil {
			data = append(data, *v.Type)
		}
		if v.Encrypted != nil {
			data = append(data, strconv.FormatBool(*v.Encrypted))
		}
	}
	return data
}
