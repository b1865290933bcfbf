package pool_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds/kindstest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// leaves lists the paths of all leaves below a type, each with two values that differ.
func leaves(t *testing.T, typ kindstest.Type, path string, depth int) map[string][2]any {
	t.Helper()
	require.Less(t, depth, 12, path)
	found := map[string][2]any{}
	if all := typ.Members(); all != nil {
		for name, member := range all {
			maps.Copy(found, leaves(t, member, strings.TrimPrefix(path+"."+name, "."), depth+1))
		}
		return found
	}
	found[path] = valuesOf(t, typ, path)
	return found
}

func valuesOf(t *testing.T, typ kindstest.Type, path string) [2]any {
	t.Helper()
	switch {
	case typ.IsList():
		one := elements(t, typ.Elem(), path)
		return [2]any{[]any{one[0]}, []any{one[0], one[1]}}
	case typ.IsMap():
		one := elements(t, typ.Elem(), path)
		return [2]any{map[string]any{"a": one[0]}, map[string]any{"a": one[1]}}
	}
	return elements(t, typ, path)
}

func elements(t *testing.T, typ kindstest.Type, path string) [2]any {
	t.Helper()
	if all := typ.Members(); all != nil {
		first := map[string]any{}
		second := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			values := valuesOf(t, all[name], path+"."+name)
			first[name] = values[0]
			second[name] = values[1]
		}
		return [2]any{first, second}
	}
	switch typ.Leaf() {
	case "bool":
		return [2]any{false, true}
	case "int", "number":
		return [2]any{1, 2}
	case "intOrString":
		return [2]any{1, "50%"}
	case "quantity":
		return [2]any{"1Gi", "2Gi"}
	case "duration":
		return [2]any{"1h0m0s", "2h0m0s"}
	case "time":
		return [2]any{"2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"}
	case "any":
		return [2]any{map[string]any{"a": 1}, map[string]any{"a": 2}}
	case "string":
		return [2]any{"a", "b"}
	case "bytes":
		return [2]any{"MQ==", "Mg=="}
	}
	if typ.IsList() || typ.IsMap() {
		return valuesOf(t, typ, path)
	}
	t.Fatalf("%s: no value of this type", path)
	return [2]any{}
}

// special are the leaves whose values are no free text.
var special = map[string][2]any{
	"updateStrategy":     {"AutoInPlaceUpdate", "ManualInPlaceUpdate"},
	"kubernetes.version": {"1.33.1", "1.33.2"},
	"kubernetesVersion":  {"1.33.1", "1.33.2"},
	"providerConfig": {
		map[string]any{"apiVersion": configVersion, "kind": configKind, "volume": map[string]any{"iops": 1}},
		map[string]any{"apiVersion": configVersion, "kind": configKind, "volume": map[string]any{"iops": 2}},
	},
}

// TestEveryFieldIsJudged: each field of a pool and above it, changed alone, and with all draws also
// set and removed, is a change or is listed as not judged. What is added to package kinds, because
// a release of Gardener has it, is listed until somebody judges it.
func TestEveryFieldIsJudged(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		file, at string
		typ      kindstest.Type
		least    int
		ignored  []string // what says which object it is, and the pools
	}{
		{"shoot.yaml", shootsPool, kindstest.At(kinds.Shoot, "spec", "provider", "workers", "0"), 80, []string{"name"}},
		{"worker.yaml", workersPool, kindstest.At(kinds.Worker, "spec", "pools", "0"), 80, []string{"name"}},
		{"shoot.yaml", "spec.", kindstest.At(kinds.Shoot, "spec"), 200, []string{"provider.workers", "provider.type"}},
		{"worker.yaml", "spec.", kindstest.At(kinds.Worker, "spec"), 5, []string{"pools", "type"}},
	} {
		all := leaves(t, of.typ, "", 0)
		assert.Greater(t, len(all), of.least, of.file)
		for path, values := range all {
			if s, ok := special[path]; ok {
				values = s
			}
			if !slices.Contains(of.ignored, path) {
				checkJudged(t, of.file, of.at+path, values)
			}
		}
	}
}

func checkJudged(t *testing.T, file, path string, values [2]any) {
	t.Helper()
	changes := [][2]any{values, {nil, values[1]}, {values[1], nil}}
	if !effort.All() {
		changes = changes[:1]
	}
	for _, change := range changes {
		name := fmt.Sprintf("%s from %v to %v", path, change[0], change[1])
		old := read(t, manifest(t, file, edit{path, change[0]}))
		updated := read(t, manifest(t, file, edit{path, change[1]}))
		plan, err := pool.NewPlan(old, updated, judge.Options{Providers: extensions.All()})
		require.NoError(t, err, name)
		got := plan.Pools[0]
		assert.Positive(t, len(plan.Changes)+len(plan.Unjudged)+len(got.Changes)+len(got.Unjudged), name)
		plan, err = pool.NewPlan(updated, updated, judge.Options{Providers: extensions.All()})
		require.NoError(t, err, name)
		assert.Empty(t, slices.Concat(plan.Changes, plan.Pools[0].Changes), name)
		assert.Empty(t, slices.Concat(plan.Unjudged, plan.Pools[0].Unjudged), name)
	}
}
