package alicloud

import (
	"github.com/hotupdate/providerconfig/examples/alicloud/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// Pool is a worker pool of this extension.
type Pool = extension.Pool[apis.WorkerConfig]

// NewPool decodes the pool's provider config. In the canonical era it does so strictly. Before it the pool
// has only the hot fields of the config, and none of a config that the Schema refuses.
func NewPool(worker *gardener.WorkerPool) (Pool, error) {
	schema, err := Schema()
	if err != nil {
		return Pool{}, err
	}
	isCanonical, err := isInCanonicalEra(schema, worker)
	switch {
	case err != nil:
		return Pool{}, extension.InPool(worker, err)
	case isCanonical:
		return extension.NewPool(worker, Schema, ToInternal)
	}
	return Pool{WorkerPool: worker, Config: hotPart(schema, worker.RawConfig())}, nil
}

// hotPart returns the hot fields of a config; empty if the Schema refuses it.
func hotPart(schema *hotupdate.Schema, raw []byte) *apis.WorkerConfig {
	decoded, err := schema.Decode(raw)
	config, isOwn := decoded.(*WorkerConfig)
	if err != nil || !isOwn {
		return &apis.WorkerConfig{}
	}
	_, hot, err := hotupdate.Split(schema, config)
	if err != nil {
		return &apis.WorkerConfig{}
	}
	return ToInternal(hot)
}

// isInCanonicalEra reports whether the config names the pool.
func isInCanonicalEra(schema *hotupdate.Schema, worker *gardener.WorkerPool) (bool, error) {
	own := Eras(schema)
	eras, err := hash.NewEras(own.Rolling, own.InPlace)
	if err != nil {
		return false, err
	}
	era, _, err := eras.Explain(worker.UpdateStrategy, worker.KubernetesVersion)
	return era == canonical, err
}

// today has the functions of the release that this example adopts for.
func today() *extensions.Extension { return extensions.AliCloud() }

// volumes returns the pool's own fields that replace machines of Alibaba Cloud, beside the
// WorkerConfig and the fields that Gardener hashes.
func volumes(pool Pool) []string { return today().Own(pool.Known()) }
