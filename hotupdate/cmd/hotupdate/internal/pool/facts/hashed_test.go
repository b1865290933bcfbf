package facts_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds/kindstest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

type object = map[string]any

// The types of pools.
func shootsPool() kindstest.Type {
	return kindstest.At(kinds.Shoot, "spec", "provider", "workers", "0")
}

func workersPool() kindstest.Type { return kindstest.At(kinds.Worker, "spec", "pools", "0") }

// valuesOf returns two values of a type.
func valuesOf(t kindstest.Type) [2]any {
	leaves := map[string][2]any{
		"string": {"1", "2"}, "bool": {false, true}, "int": {1, 2}, "number": {1, 2}, "quantity": {"1", "2"},
		"duration": {"1h", "2h"}, "time": {"2026-01-02T03:04:05Z", "2026-02-03T04:05:06Z"}, "intOrString": {1, "2%"},
		"bytes":       {"MQ==", "Mg=="},
		kindstest.Any: {object{"a": 1}, object{"a": 2}},
	}
	values, isLeaf := leaves[t.Leaf()]
	switch {
	case isLeaf:
		return values
	case t.IsList():
		return [2]any{[]any{}, []any{valuesOf(t.Elem())[1]}}
	}
	return [2]any{nil, object{}}
}

// memberOf replaces the star at the end of a path by a member that the type has, or by any.
func memberOf(path string) string {
	above, isStar := strings.CutSuffix(path, ".*")
	if !isStar {
		return path
	}
	steps := strings.Split(above, ".")
	all := maps.Clone(shootsPool().At(steps...).Members())
	if all == nil {
		all = workersPool().At(steps...).Members()
	}
	return above + "." + append(slices.Sorted(maps.Keys(all)), "x")[0]
}

func set(in object, path []string, value any) {
	if len(path) == 1 {
		in[path[0]] = value
		return
	}
	below, _ := in[path[0]].(object)
	if below == nil {
		below = object{}
	}
	in[path[0]] = below
	set(below, path[1:], value)
}

// poolWith reads the pool of a manifest in which one field is set.
func poolWith(t *testing.T, kind facts.Kind, path string, value any) *facts.Pool {
	t.Helper()
	pool := object{
		"name": "a", "kubernetes": object{"kubelet": object{}}, "machine": object{"image": object{"name": "i", "version": "1.0.0"}},
		"volume": object{"size": "1Gi"},
	}
	spec := object{"kubernetes": object{"version": "1.33.1"}, "provider": object{"type": "aws", "workers": []any{pool}}}
	root := object{"apiVersion": "core.gardener.cloud/v1beta1", "kind": string(kind), "spec": spec, "status": object{"gardener": object{}}}
	if kind == facts.Worker {
		root["apiVersion"] = "extensions.gardener.cloud/v1alpha1"
		pool = object{
			"name": "a", "kubernetesVersion": "1.33.1", "volume": object{"size": "1Gi"},
			"machineImage": object{"name": "i", "version": "1.0.0"},
		}
		root["spec"] = object{"type": "aws", "pools": []any{pool}}
	}
	switch {
	case strings.HasPrefix(path, fields.Credentials):
		set(root, append([]string{"status"}, strings.Split(path, ".")...), value)
	case path == fields.NodeLocalDNS:
		set(spec, strings.Split(path, "."), value)
	case kind == facts.Worker:
		set(pool, strings.Split(fields.InWorker(path), "."), value)
	default:
		set(pool, strings.Split(path, "."), value)
	}
	raw, err := json.Marshal(root)
	require.NoError(t, err)
	read, err := facts.Read(tree.Of(raw))
	require.NoError(t, err, path)
	require.Empty(t, read.Unknown, path)
	return &read.Pools[0]
}

// TestRowsSayWhatNamesSay: two values of each field of a pool give another name to a rolling pool exactly if its row
// says Roll, and to one that is updated in place if it says Drain. A field that only extensions hash is a change beside
// the names.
func TestRowsSayWhatNamesSay(t *testing.T) {
	beside := []string{fields.Encrypted, fields.DataVolumes, fields.SecretName}
	counts := map[fields.Effect]int{}
	for _, row := range fields.Pool().Sorted() {
		if row.Rolling == fields.Judged || row.Rolling == fields.Meta {
			continue
		}
		counts[row.Rolling]++
		path := memberOf(row.Path)
		kind := facts.Shoot
		steps := strings.Split(path, ".")
		typ := shootsPool().At(steps...)
		switch {
		case path == fields.NodeLocalDNS:
			typ = kindstest.At(kinds.Shoot, append([]string{"spec"}, steps...)...)
		case strings.HasPrefix(path, fields.Credentials):
			typ = kindstest.At(kinds.Shoot, append([]string{"status"}, steps...)...)
		case typ == (kindstest.Type{}):
			kind = facts.Worker
			typ = workersPool().At(strings.Split(fields.InWorker(path), ".")...)
		}
		require.NotEqual(t, kindstest.Type{}, typ, path)
		values := valuesOf(typ)
		if path == fields.Version {
			values = [2]any{"1.33.2", "1.34.0"}
		}
		old := poolWith(t, kind, path, values[0])
		updated := poolWith(t, kind, path, values[1])
		changed, err := facts.ChangedFields(old, updated, func(string) bool { return false })
		require.NoError(t, err, path)
		isBeside := slices.Contains(beside, path)
		assert.Equal(t, isBeside, len(changed.Beside) > 0, path)
		isNamed := row.Rolling == fields.Roll && !isBeside
		require.Equal(t, isNamed, len(changed.Named) == 1, "%s: %v", path, changed.Named)
		if isNamed {
			assert.Equal(t, path, changed.Named[0].Path)
			assert.Equal(t, row.InPlace == fields.Drain, changed.Named[0].Class == hotupdate.InPlace, path)
		}
		for strategy, isHashed := range map[hotupdate.Strategy]bool{
			hotupdate.AutoRollingUpdate: isNamed, hotupdate.AutoInPlaceUpdate: row.InPlace == fields.Drain,
		} {
			assert.Equal(t, isHashed, keyOf(t, old, strategy) != keyOf(t, updated, strategy), "%s: %s", strategy, path)
		}
	}
	assert.Greater(t, counts[fields.Roll], 25)
	assert.Greater(t, counts[fields.None], 60)
}

// keyOf returns the name that Gardener gives to a pool with a strategy.
func keyOf(t *testing.T, p *facts.Pool, strategy hotupdate.Strategy) string {
	t.Helper()
	other := *p
	other.Worker.UpdateStrategy = strategy
	key, err := other.GardenerKey()
	require.NoError(t, err)
	return key
}

// TestChangedFieldsCause has pools of which several fields change, and those that change a name.
func TestChangedFieldsCause(t *testing.T) {
	kubelet := func(kube, system string) *hash.Kubelet {
		reserved := func(cpu string) *hash.Reserved { return &hash.Reserved{CPU: quantity(cpu)} }
		return &hash.Kubelet{KubeReserved: reserved(kube), SystemReserved: reserved(system), SumReservations: true}
	}
	proxied := hash.Worker{KubernetesVersion: "1.34.1", NodeLocalDNS: true, KubeProxyMode: "IPVS"}
	for _, test := range []struct {
		name         string
		old, updated hash.Worker
		want         []string
	}{
		{
			"node-local DNS ceases to count with the version",
			hash.Worker{KubernetesVersion: "1.33.1", NodeLocalDNS: true},
			hash.Worker{KubernetesVersion: "1.34.1", NodeLocalDNS: true},
			[]string{fields.Version},
		},
		{
			"it counts with the mode of kube-proxy",
			hash.Worker{KubernetesVersion: "1.34.1", NodeLocalDNS: true},
			proxied,
			[]string{fields.NodeLocalDNS},
		},
		{
			"it is enabled when it no longer counts",
			hash.Worker{KubernetesVersion: "1.33.1"},
			hash.Worker{KubernetesVersion: "1.34.1", NodeLocalDNS: true},
			[]string{fields.Version},
		},
		{"only the patch of the version", hash.Worker{KubernetesVersion: "1.34.1"}, hash.Worker{KubernetesVersion: "1.34.2"}, nil},
		{
			"a reservation moves, and the machine type changes",
			hash.Worker{MachineType: "a", Kubelet: kubelet("1", "2")},
			hash.Worker{MachineType: "b", Kubelet: kubelet("2", "1")},
			[]string{fields.MachineType},
		},
		{
			"a reservation grows in both places",
			hash.Worker{Kubelet: kubelet("1", "2")},
			hash.Worker{Kubelet: kubelet("2", "3")},
			[]string{fields.KubeReserved + ".cpu", fields.SystemReserved + ".cpu"},
		},
		{"another spelling of a reservation", hash.Worker{Kubelet: kubelet("1", "2")}, hash.Worker{Kubelet: kubelet("1000m", "2")}, nil},
		{"a volume without a size", hash.Worker{}, hash.Worker{Volume: &hash.Volume{}}, []string{"volume.size"}},
	} {
		of := func(w hash.Worker) *facts.Pool {
			w.Name = "a"
			return &facts.Pool{Worker: w}
		}
		changed, err := facts.ChangedFields(of(test.old), of(test.updated), func(string) bool { return false })
		require.NoError(t, err)
		var paths []string
		for _, c := range changed.All() {
			paths = append(paths, c.Path)
		}
		assert.Equal(t, test.want, paths, test.name)
	}
}

func quantity(text string) *resource.Quantity { return new(resource.MustParse(text)) }
