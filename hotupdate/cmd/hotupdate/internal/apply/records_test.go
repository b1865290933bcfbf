package apply_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// recordsFile has what kubectl and an API server with Gardener's types made of manifests. Its source says who wrote it.
var recordsFile = flag.String("records", "testdata/applies.json.gz", "other records")

// records are Shoots of a cluster, manifests, and what became of the Shoots when the manifests were applied.
type records struct {
	Printed   []string                   `json:"printed"`
	Clusters  map[string]json.RawMessage `json:"clusters"`
	Manifests map[string]json.RawMessage `json:"manifests"`
	Applies   []record                   `json:"applies"`
}

type record struct {
	Cluster   string          `json:"cluster"`
	Manifest  string          `json:"manifest"`
	Way       string          `json:"way"`
	Result    json.RawMessage `json:"result"` // a JSON merge patch of the Shoot
	Fails     string          `json:"fails"`
	Conflicts []string        `json:"conflicts"`
}

func readRecords(t *testing.T) (read records) {
	t.Helper()
	file, err := os.ReadFile(*recordsFile)
	require.NoError(t, err)
	text, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(text).Decode(&read))
	return read
}

// everyRecord is how many of the records are compared without DRAWS=all: one of so many.
const everyRecord = 3

// TestRecords: what is computed is what kubectl and the API server made of the same manifest.
func TestRecords(t *testing.T) {
	t.Parallel()
	all := readRecords(t)
	require.NotEmpty(t, all.Applies)
	for i, one := range all.Applies {
		if !effort.All() && i%everyRecord != 0 {
			continue
		}
		way, err := apply.Parse(one.Way)
		require.NoError(t, err)
		manifest := tree.Of(all.Manifests[one.Manifest])
		made := apply.All(tree.Of(all.Clusters[one.Cluster]), manifest, way)
		require.NotEmpty(t, made)
		byKubectl := made[len(made)-1] // the first one of two is by a client that takes over nothing
		name := one.Cluster + ": " + one.Way + ": " + one.Manifest
		if one.Fails != "" {
			assert.Error(t, byKubectl.Problem, "%s: %s", name, one.Fails)
			continue
		}
		if !assert.NoError(t, byKubectl.Problem, name) {
			continue
		}
		want, err := jsonpatch.MergePatch(decided(t, all.Clusters[one.Cluster]), one.Result)
		require.NoError(t, err)
		assert.Equal(t, all.canonical(t, want), all.canonical(t, decided(t, byKubectl.Object.JSON())), name)
		var conflicts []string
		for _, conflict := range byKubectl.Conflicts {
			conflicts = append(conflicts, "."+conflict.Path+" conflict with "+conflict.With)
		}
		slices.Sort(conflicts)
		assert.Equal(t, one.Conflicts, conflicts, name)
	}
}

// decided is the part of a Shoot that a manifest decides.
func decided(t *testing.T, shoot []byte) []byte {
	t.Helper()
	var object struct {
		Metadata struct {
			Labels      map[string]string `json:"labels,omitempty"`
			Annotations map[string]string `json:"annotations,omitempty"`
		} `json:"metadata"`
		Spec json.RawMessage `json:"spec"`
	}
	require.NoError(t, json.Unmarshal(shoot, &object))
	delete(object.Metadata.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return text
}

// canonical writes a Shoot as Gardener's types do: without nulls, without empty texts, lists and objects, and without
// the zero values that some members have if they are not set.
func (r *records) canonical(t *testing.T, shoot []byte) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(shoot, &value))
	text, err := json.MarshalIndent(r.without(value, ""), "", " ")
	require.NoError(t, err)
	return string(text)
}

func (r *records) without(value any, path string) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if v[name] = r.without(member, strings.TrimPrefix(path+"."+name, ".")); v[name] == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = r.without(v[i], path+"[]")
		}
		if len(v) == 0 {
			return nil
		}
	default:
		isPrinted := slices.Contains(r.Printed, path)
		if isZero := v == false || v == 0.0; v == "" || isZero && isPrinted {
			return nil
		}
	}
	return value
}
