package exampletest

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
)

// Recorded is an example that is compared with the recorded names of the provider's releases.
type Recorded[P any] struct {
	Provider string
	NewPool  func(*gardener.WorkerPool, extensions.State) (P, error)
	Schema   func() (*hotupdate.Schema, error)
	Eras     func(*hotupdate.Schema) extension.Eras[P]
}

// Check checks that the example names each recorded pool like the release, in all eras before the
// canonical one. A difference names the field in which the pool differs from the one before.
func (e Recorded[P]) Check(t *testing.T) {
	t.Helper()
	schema := valueOf(t, e.Schema)
	own := e.Eras(schema)
	eras := valueOf(t, func() (*hash.Eras[P], error) { return hash.NewEras(own.Rolling, own.InPlace) })
	for _, name := range recorded.Names() {
		if !strings.HasPrefix(name, e.Provider+"-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			release := valueOf(t, func() (*recorded.Release, error) { return recorded.Read(name) })
			compared := 0
			for i := range release.Records {
				compared += e.checkRecord(t, eras, release, &release.Records[i])
			}
			t.Logf("%d of %d pools compared", compared, len(release.Records))
			if least := effort.Of(950); compared < least {
				t.Errorf("compared are fewer than %d", least)
			}
		})
	}
}

// checkRecord returns how many pools it compared: 1, or 0 where the example promises nothing.
func (e Recorded[P]) checkRecord(
	t *testing.T, eras *hash.Eras[P], release *recorded.Release, r *recorded.Record,
) int {
	t.Helper()
	p := valueOf(t, r.Read)
	isCutOddly := !r.IsStored() && r.HasVirtualCapacity()
	isOdd := isCutOddly && !release.Extension().Ignores
	isCanonical := p.KubernetesVersion != nil && strings.HasPrefix(*p.KubernetesVersion, extensions.CanonicalFrom)
	isNamed := r.Names != nil && !release.IsFirstVersion(p)
	isPromised := isNamed && !isOdd && !isCanonical
	if !isPromised || !release.IsLikeToday(r, p) {
		return 0
	}
	var got []string
	for _, class := range valueOf(t, func() ([]recorded.Class, error) { return release.Classes(r, p) }) {
		worker := workerOf(t, p)
		list, err := e.list(eras, worker, class.State)
		if err != nil {
			t.Fatalf("pool %d: %v\nconfig %s", r.Index, err, r.Text())
		}
		text := valueOf(t, func() (string, error) { return release.HashWith(r, p, list) })
		got = append(got, class.Name(text))
	}
	if !slices.Equal(got, r.Names) {
		t.Errorf("pool %d, after %s was drawn anew: the example names it %q, the release %q\npool %s\nconfig %s",
			r.Index, r.Cause(), got, r.Names, r.Pool, r.Text())
	}
	return 1
}

// list returns the strings that the example adds to the name of a pool.
func (e Recorded[P]) list(
	eras *hash.Eras[P], worker *gardener.WorkerPool, state extensions.State,
) ([]string, error) {
	pool, err := e.NewPool(worker, state)
	if err != nil {
		return nil, err
	}
	lists, err := eras.AdditionalData(worker.UpdateStrategy, worker.KubernetesVersion, worker.RawConfig(), pool)
	if worker.UpdateStrategy == hotupdate.AutoRollingUpdate {
		return lists.Rolling, err
	}
	return lists.InPlace, err
}

// workerOf returns a recorded pool as an extension gets it.
func workerOf(t *testing.T, p *recorded.Pool) *gardener.WorkerPool {
	t.Helper()
	w := &gardener.WorkerPool{
		Name: p.Name, NodeAgentSecretName: p.NodeAgentSecretName, KubernetesVersion: p.KubernetesVersion,
		UpdateStrategy: p.WorkerPool.UpdateStrategy, MachineType: p.MachineType, MachineImage: p.MachineImage,
	}
	if p.ProviderConfig != nil {
		w.ProviderConfig = &runtime.RawExtension{Raw: p.ProviderConfig}
	}
	if v := p.Volume; v != nil {
		w.Volume = &gardener.Volume{Size: v.Size, Type: v.Type, Encrypted: v.Encrypted}
	}
	for _, v := range p.DataVolumes {
		w.DataVolumes = append(w.DataVolumes, gardener.DataVolume(v))
	}
	return w
}

// valueOf returns a value, or ends the test.
func valueOf[T any](t *testing.T, get func() (T, error)) T {
	t.Helper()
	value, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return value
}
