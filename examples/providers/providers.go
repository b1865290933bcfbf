// Package providers has the example extensions by the names of their providers, with the data that each of them adds to the name of a worker pool:
// in today's release, and after it has adopted this library according to the guide. The command hotupdate judges changes by it.
package providers

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

type (
	// WorkerPool is a worker pool for the extensions.
	WorkerPool = gardener.WorkerPool
	// Volume is the volume of a worker pool's machines.
	Volume = gardener.Volume
	// DataVolume is one of the data volumes of a worker pool's machines.
	DataVolume = gardener.DataVolume
)

// Provider is an example extension.
type Provider struct {
	// Name is the type of the provider in a Shoot or Worker. APIVersion and Kind are those of its provider configs.
	Name, APIVersion, Kind string
	// Schema returns the Schema of the provider configs.
	Schema func() (*hotupdate.Schema, error)
	// Adopted names a pool like an extension that has adopted this library, Released like today's release. The released extension refuses the
	// fields in New. Both fail if the config of the pool cannot be read.
	Adopted, Released func(*WorkerPool) (Additional, error)
	// Serve and ServeReleased are the programs of both for hotupdate audit, see [hash.ServeEras]. ServeReleased is nil if Ignores.
	Serve, ServeReleased func(in io.Reader, out io.Writer) error
	// Versions are Kubernetes versions, one in each era, the oldest first; empty for a pool without one, which is in the first era.
	Versions []string
	// New are the names of the fields of the config that no release has.
	New []string
	// Ignores says that today's release ignores provider configs.
	Ignores bool
}

// Additional is the data that an extension adds to the name of a pool.
type Additional struct {
	// Era is the name of the era in force.
	Era string
	// Data are the strings for Gardener's WorkerPoolHash. If Unknown, the function of the era is not known, and Data is nil.
	Data    []string
	Unknown bool
}

// All returns the example extensions, in the order of their names.
func All() []Provider {
	return []Provider{
		withoutConfigs(named("alicloud", alicloud.APIVersion, alicloud.Kind, alicloud.Schema, alicloud.NewPool, alicloud.Eras)),
		named("aws", aws.APIVersion, aws.Kind, aws.Schema, aws.NewPool, aws.Eras),
		named("azure", azure.APIVersion, azure.Kind, azure.Schema, fixed(azure.NewPool), azure.Eras),
		named("gcp", gcp.APIVersion, gcp.Kind, gcp.Schema, gcp.NewPool, gcp.Eras),
		named("openstack", openstack.APIVersion, openstack.Kind, openstack.Schema, fixed(openstack.NewPool), openstack.Eras),
	}
}

// fixed makes pools with a zero state of the infrastructure, which is in no manifest, and does not change with the pool.
func fixed[S, P any](newPool func(*WorkerPool, S) (P, error)) func(*WorkerPool) (P, error) {
	return func(w *WorkerPool) (P, error) { return newPool(w, *new(S)) }
}

func named[P any](
	name, apiVersion, kind string, schema func() (*hotupdate.Schema, error),
	newPool func(*WorkerPool) (P, error), eras func(*hotupdate.Schema) extension.Eras[P],
) Provider {
	type choice = func([]hash.Era[P]) []hash.Era[P]
	adopted := func(list []hash.Era[P]) []hash.Era[P] { return list }
	released := func(list []hash.Era[P]) []hash.Era[P] { return list[:len(list)-1] } // without the canonical era
	read := func(w *WorkerPool, choose choice) (*hash.Eras[P], P, error) {
		compiled, err := schema()
		if err != nil {
			return nil, *new(P), err
		}
		both := eras(compiled)
		list := both.Rolling
		if w.UpdateStrategy != hotupdate.AutoRollingUpdate {
			list = both.InPlace
		}
		pool, err := newPool(w)
		if err != nil {
			return nil, pool, err
		}
		chosen, err := hash.NewEras(choose(list))
		return chosen, pool, err
	}
	names := func(choose choice) func(*WorkerPool) (Additional, error) {
		return func(w *WorkerPool) (Additional, error) {
			eras, pool, err := read(w, choose)
			if err != nil {
				return Additional{}, err
			}
			return additional(w, eras, pool)
		}
	}
	serve := func(choose choice) func(io.Reader, io.Writer) error {
		return func(in io.Reader, out io.Writer) error {
			return hash.ServeEras(in, out, func(text []byte) (*hash.Eras[P], P, error) {
				w, err := readPool(text)
				if err != nil {
					return nil, *new(P), err
				}
				return read(w, choose)
			})
		}
	}
	return Provider{
		Name: name, APIVersion: apiVersion, Kind: kind, Schema: schema, New: []string{"tags"}, Versions: versions(eras(nil)),
		Adopted: names(adopted), Released: names(released), Serve: serve(adopted), ServeReleased: serve(released),
	}
}

// readPool reads a pool of a Worker.
func readPool(text []byte) (*WorkerPool, error) {
	var read struct {
		WorkerPool

		UpdateStrategy string
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	strategy, known := hotupdate.ParseStrategy(read.UpdateStrategy)
	if !known {
		return nil, fmt.Errorf("unknown strategy %q", read.UpdateStrategy)
	}
	read.WorkerPool.UpdateStrategy = strategy
	return &read.WorkerPool, nil
}

func versions[P any](eras extension.Eras[P]) (all []string) {
	for _, era := range slices.Concat(eras.Rolling, eras.InPlace) {
		all = append(all, era.From)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func additional[P any](w *WorkerPool, eras *hash.Eras[P], pool P) (Additional, error) {
	era, _, err := eras.Explain(w.KubernetesVersion)
	if err != nil {
		return Additional{}, fmt.Errorf("worker pool %s: %w", w.Name, err)
	}
	data, err := eras.AdditionalData(w.KubernetesVersion, w.RawConfig(), pool)
	return Additional{Era: era, Data: data}, err
}

// withoutConfigs returns a provider whose released extension ignores provider configs (gardener-extension-provider-alicloud).
func withoutConfigs(p Provider) Provider {
	released := p.Released
	p.New, p.Ignores, p.ServeReleased = nil, true, nil
	p.Released = func(w *WorkerPool) (Additional, error) {
		bare := *w
		bare.ProviderConfig = nil
		a, err := released(&bare)
		a.Era = "pool only"
		return a, err
	}
	return p
}
