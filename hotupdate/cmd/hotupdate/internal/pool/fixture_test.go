package pool_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// workerConfig is a provider config with a field of each class.
type workerConfig struct {
	metav1.TypeMeta `json:",inline"`

	Volume      *volume           `json:"volume,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"        hotupdatable:"true"`
	Preference  *string           `json:"preference,omitempty"`
	Agent       *string           `json:"agent,omitempty"       hotupdatable:"inplace"`
	Hint        *string           `json:"hint,omitempty"        hotupdatable:"ignore"`
	DataVolumes []volume          `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
	Odd         *string           `json:"odd.name,omitempty"`
}

type volume struct {
	Name string `json:"name"`
	IOPS *int32 `json:"iops,omitempty"`
}

const (
	configVersion = "aws.provider.extensions.gardener.cloud/v1alpha1"
	configKind    = "WorkerConfig"
)

// today is the day on which versions have expired, or not.
var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// options have the Schema of workerConfig, and a naming with it.
func options(tb testing.TB) judge.Options {
	tb.Helper()
	schema, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(tb, err)
	canonical := hash.CanonicalData[struct{}](schema)
	naming := &judge.Naming{Versions: []string{""}, Additional: func(p *facts.Pool) (judge.Additional, error) {
		data, err := canonical(p.Config.Raw(), struct{}{})
		return judge.Additional{Era: "canonical", Data: data}, err
	}}
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(cloudProfile)), today)
	require.NoError(tb, err)
	return judge.Options{
		Providers: extensions.All(), Naming: naming, CloudProfile: profile,
		Schema: func(meta facts.TypeMeta) *hotupdate.Schema {
			if meta == (facts.TypeMeta{APIVersion: configVersion, Kind: configKind}) {
				return schema
			}
			return nil
		},
	}
}

// edit sets the value at a path of a manifest; nil removes it. Numbers in the path are indexes of a
// list.
type edit struct {
	path  string
	value any
}

// manifest reads a file of testdata and edits it.
func manifest(tb testing.TB, file string, edits ...edit) []byte {
	tb.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(tb, err)
	root := map[string]any{}
	require.NoError(tb, yaml.Unmarshal(data, &root))
	for _, e := range edits {
		set(tb, root, strings.Split(e.path, "."), e.value)
	}
	raw, err := json.Marshal(root)
	require.NoError(tb, err)
	return raw
}

func set(tb testing.TB, at any, path []string, value any) {
	tb.Helper()
	switch parent := at.(type) {
	case []any:
		i, err := strconv.Atoi(path[0])
		require.NoError(tb, err)
		if len(path) == 1 {
			parent[i] = value
			return
		}
		set(tb, parent[i], path[1:], value)
	case map[string]any:
		if len(path) == 1 && value == nil {
			delete(parent, path[0])
			return
		}
		if len(path) == 1 {
			parent[path[0]] = value
			return
		}
		if parent[path[0]] == nil {
			parent[path[0]] = map[string]any{}
		}
		set(tb, parent[path[0]], path[1:], value)
	default:
		tb.Fatalf("nothing to edit at %v", path)
	}
}

func read(tb testing.TB, raw []byte) *facts.Manifest {
	tb.Helper()
	m, err := facts.Read(tree.Of(raw))
	require.NoError(tb, err)
	return m
}

// planPair plans a manifest that replaces the old one, or that is applied to it if it is the Shoot of a cluster.
func planPair(old, updated *facts.Manifest, o judge.Options) (*pool.Plan, error) {
	if updated.IsAppliedTo(old) {
		return pool.NewAppliedPlan(old, updated, o, nil)
	}
	return pool.NewPlan(old, updated, o)
}

// compare compares the only pool of two manifests.
func compare(tb testing.TB, old, updated []byte, o judge.Options) judge.Comparison {
	tb.Helper()
	planned, err := pool.NewPlan(read(tb, old), read(tb, updated), o)
	require.NoError(tb, err)
	require.Len(tb, planned.Pools, 1)
	require.Equal(tb, pool.Kept, planned.Pools[0].State)
	return planned.Pools[0].Comparison
}

// comparePools compares two pools under the extension of the new one.
func comparePools(old, updated facts.Pool, o judge.Options) (judge.Comparison, error) {
	manifest := &facts.Manifest{Provider: updated.Provider, Pools: []facts.Pool{updated}}
	return o.ReceiverOf(manifest).Compare(old, updated)
}

// paths lists the paths of the changes.
func paths(changes []judge.Finding) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// causes returns the paths of the changes that decide the verdict.
func causes(c judge.Comparison) []judge.Finding {
	return slices.DeleteFunc(slices.Clone(c.Changes), func(change judge.Finding) bool { return !change.Decides })
}

var strategies = []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
