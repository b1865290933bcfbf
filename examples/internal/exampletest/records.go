package exampletest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
)

// Recorded is an example that is held against the recorded names of the provider's releases.
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
	schema, err := e.Schema()
	require.NoError(t, err)
	own := e.Eras(schema)
	eras, err := hash.NewPoolEras(own.Rolling, own.InPlace)
	require.NoError(t, err)
	for _, name := range recorded.Names() {
		if !strings.HasPrefix(name, e.Provider+"-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			release, err := recorded.Read(name)
			require.NoError(t, err)
			compared := 0
			for i := range release.Records {
				compared += e.checkRecord(t, eras, release, &release.Records[i])
			}
			t.Logf("%d of %d pools compared", compared, len(release.Records))
			assert.Greater(t, compared, effort.Of(600))
		})
	}
}

// checkRecord returns how many pools it compared: 1, or 0 where the example promises nothing.
func (e Recorded[P]) checkRecord(
	t *testing.T, eras *hash.PoolEras[P], release *recorded.Release, r *recorded.Record,
) int {
	t.Helper()
	p, err := r.Read()
	require.NoError(t, err)
	isOdd := !r.IsStored() && strings.Contains(r.Text(), "virtualCapacity")
	isCanonical := p.KubernetesVersion != nil && strings.HasPrefix(*p.KubernetesVersion, extensions.CanonicalFrom)
	isLeftOut := r.Names == nil || p.IsFirstVersion() || isOdd || isCanonical
	if isLeftOut || !release.Supports(p) {
		return 0
	}
	classes, err := release.Classes(r, p)
	require.NoError(t, err)
	var got []string
	for _, class := range classes {
		worker := e.worker(t, p)
		pool, err := e.NewPool(worker, class.State)
		require.NoError(t, err, "pool %d: %s", r.Index, r.Text())
		lists, err := eras.AdditionalData(worker.UpdateStrategy, worker.KubernetesVersion, worker.RawConfig(), pool)
		require.NoError(t, err, "pool %d: %s", r.Index, r.Text())
		list := lists.Rolling
		if worker.UpdateStrategy != hotupdate.AutoRollingUpdate {
			list = lists.InPlace
		}
		text, err := r.HashWith(p, list)
		require.NoError(t, err)
		got = append(got, class.Name(text))
	}
	if !slices.Equal(got, r.Names) {
		t.Errorf("pool %d, after %s was drawn anew: the example names it %q, the release %q\npool %s\nconfig %s",
			r.Index, r.Cause(), got, r.Names, r.Pool, r.Text())
	}
	return 1
}

// worker returns a recorded pool as an extension gets it.
func (e Recorded[P]) worker(t *testing.T, p *recorded.Pool) *gardener.WorkerPool {
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
	text, err := json.Marshal(p.DataVolumes)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &w.DataVolumes))
	return w
}
