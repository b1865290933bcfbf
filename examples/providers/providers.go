// Package providers has the example extensions by the names of their providers, with the data that
// each of them adds to the name of a worker pool: in today's release, and after it has adopted this
// library according to the guide. The command hotupdate judges changes by it.
package providers

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// All returns the example extensions, in the order of their names.
func All() []provider.Provider {
	return []provider.Provider{
		withoutConfigs(named("alicloud", alicloud.APIVersion, alicloud.Kind, alicloud.Schema, alicloud.NewPool,
			alicloud.Eras, provider.Traits{
				InPlaceVolumes: true, FallsBack: true,
			})),
		named("aws", aws.APIVersion, aws.Kind, aws.Schema, aws.NewPool, aws.Eras, provider.Traits{}),
		named("azure", azure.APIVersion, azure.Kind, azure.Schema, fixed(azure.NewPool), azure.Eras, provider.Traits{
			HashesState: true, HashedInfrastructure: []string{"identity", "networks.zones"}, FallsBack: true,
		}),
		named("gcp", gcp.APIVersion, gcp.Kind, gcp.Schema, gcp.NewPool, gcp.Eras, provider.Traits{}),
		named("openstack", openstack.APIVersion, openstack.Kind, openstack.Schema, fixed(openstack.NewPool),
			openstack.Eras, provider.Traits{
				HashesState: true, HashedState: []string{"serverGroup"},
			}),
	}
}

// fixed makes pools with a zero state of the infrastructure, which is in no manifest, and does not
// change with the pool.
func fixed[S, P any](newPool func(*gardener.WorkerPool, S) (P, error)) func(*gardener.WorkerPool) (P, error) {
	return func(w *gardener.WorkerPool) (P, error) { return newPool(w, *new(S)) }
}

func named[P any](
	name, apiVersion, kind string, schema func() (*hotupdate.Schema, error),
	newPool func(*gardener.WorkerPool) (P, error), eras func(*hotupdate.Schema) extension.Eras[P],
	traits provider.Traits,
) provider.Provider {
	type choice = func([]hash.Era[P]) []hash.Era[P]
	adopted := func(list []hash.Era[P]) []hash.Era[P] { return list }
	released := func(list []hash.Era[P]) []hash.Era[P] { return list[:len(list)-1] } // without the canonical era
	read := func(w *gardener.WorkerPool, choose choice) (*hash.Eras[P], P, error) {
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
	names := func(choose choice) func(*provider.WorkerPool) (provider.Additional, error) {
		return func(p *provider.WorkerPool) (provider.Additional, error) {
			w := workerPool(p)
			eras, pool, err := read(w, choose)
			if err != nil {
				return provider.Additional{}, err
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
	return provider.Provider{
		Name: name, APIVersion: apiVersion, Kind: kind, Schema: schema, New: []string{"tags"},
		Versions: versions(eras(nil)), Traits: traits,
		Adopted: names(adopted), Released: names(released), Serve: serve(adopted), ServeReleased: serve(released),
	}
}

// workerPool returns the pool as the examples see it.
func workerPool(p *provider.WorkerPool) *gardener.WorkerPool {
	w := &gardener.WorkerPool{
		Name: p.Name, UpdateStrategy: p.UpdateStrategy, KubernetesVersion: p.KubernetesVersion,
		MachineType: p.MachineType, MachineImage: p.MachineImage,
	}
	if v := p.Volume; v != nil {
		w.Volume = &gardener.Volume{Size: v.Size, Type: v.Type, Encrypted: v.Encrypted}
	}
	for _, v := range p.DataVolumes {
		w.DataVolumes = append(w.DataVolumes, gardener.DataVolume(v))
	}
	if len(p.ProviderConfig) > 0 {
		w.ProviderConfig = &runtime.RawExtension{Raw: p.ProviderConfig}
	}
	return w
}

// readPool reads a pool of a Worker.
func readPool(text []byte) (*gardener.WorkerPool, error) {
	var read struct {
		gardener.WorkerPool

		UpdateStrategy string
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	var err error
	read.WorkerPool.UpdateStrategy, err = hotupdate.ParseStrategy(read.UpdateStrategy)
	return &read.WorkerPool, err
}

func versions[P any](eras extension.Eras[P]) (all []string) {
	for _, era := range slices.Concat(eras.Rolling, eras.InPlace) {
		all = append(all, era.From)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func additional[P any](w *gardener.WorkerPool, eras *hash.Eras[P], pool P) (provider.Additional, error) {
	era, _, err := eras.Explain(w.KubernetesVersion)
	if err != nil {
		return provider.Additional{}, fmt.Errorf("worker pool %s: %w", w.Name, err)
	}
	data, err := eras.AdditionalData(w.KubernetesVersion, w.RawConfig(), pool)
	return provider.Additional{Era: era, Data: data}, err
}

// withoutConfigs returns a provider whose released extension ignores provider configs
// (gardener-extension-provider-alicloud).
func withoutConfigs(p provider.Provider) provider.Provider {
	released := p.Released
	p.New = nil
	p.Ignores = true
	p.ServeReleased = nil
	p.Released = func(w *provider.WorkerPool) (provider.Additional, error) {
		bare := *w
		bare.ProviderConfig = nil
		a, err := released(&bare)
		a.Era = "pool only"
		return a, err
	}
	return p
}
