package members_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
)

// TestTableIsClosed: every type that a member has is in the table or a leaf, every type of the table is used, and no name stands twice.
func TestTableIsClosed(t *testing.T) {
	t.Parallel()
	leaves := []members.Type{"string", "bool", "int", "number", "quantity", "duration", "time", "intOrString", "any"}
	text, err := os.ReadFile("members.json")
	require.NoError(t, err)
	var table map[members.Type]map[string]members.Type
	require.NoError(t, json.Unmarshal(text, &table))
	assert.Equal(t, len(table)+2, strings.Count(string(text), "\n"), "a line for each type")
	used := map[members.Type]bool{members.Shoot: true, members.Worker: true}
	for name, all := range table {
		for member, typ := range all {
			for typ.Elem() != "" {
				typ = typ.Elem()
			}
			used[typ] = true
			_, known := table[typ]
			assert.True(t, known || slices.Contains(leaves, typ), "%s.%s is of the unknown type %s", name, member, typ)
		}
	}
	for name := range table {
		assert.True(t, used[name], "nothing is a %s", name)
	}
}

// decoded is a JSON value, or nil for other text.
func decoded(raw []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		typ    members.Type
		in     string
		want   []members.Problem
		reason string
	}{
		{"nothing", members.Shoot, `{"apiVersion":"v","kind":"Shoot","metadata":{"labels":{"a":"b"}},"status":{"x":1}}`, nil, "names of labels are free, and the status is not looked into"},
		{"pool", members.Shoot, `{"spec":{"provider":{"workers":[{},{"minmum":1,"maximum":2}]}}}`, []members.Problem{{"spec.provider.workers[1].minmum", "minimum", ""}}, "in a list"},
		{"kinds", members.Shoot, `{"spec":{"purpose":5,"hibernation":[],"addons":"x","dns":{"providers":{}},"provider":{"workers":[{"labels":{"a":1},"maxSurge":1.5,"minimum":"1","maximum":1.0}]},"networking":{"providerConfig":{"a":[1]}}}}`, []members.Problem{
			{"spec.addons", "", "Addons"},
			{"spec.dns.providers", "", "[]DNSProvider"},
			{"spec.hibernation", "", "Hibernation"},
			{"spec.provider.workers[0].labels.a", "", "string"},
			{"spec.provider.workers[0].maxSurge", "", "intOrString"},
			{"spec.provider.workers[0].maximum", "", "int"},
			{"spec.provider.workers[0].minimum", "", "int"},
			{"spec.purpose", "", "string"},
		}, "the API server cannot read them"},
		{"forms", members.Shoot, `{"spec":{"kubernetes":{"kubeAPIServer":{"eventTTL":"soon"},"verticalPodAutoscaler":{"maxAllowed":{"cpu":"much","memory":4},"updaterInterval":"1m"}}}}`, []members.Problem{
			{"spec.kubernetes.kubeAPIServer.eventTTL", "", "duration"}, {"spec.kubernetes.verticalPodAutoscaler.maxAllowed.cpu", "", "quantity"},
		}, "of texts with a form"},
		{"null", members.Shoot, `{"spec":{"purpose":null,"provider":null}}`, nil, "counts as absent"},
		{"every level", members.Shoot, `{"metdata":{},"spec":{"provider":{"tpye":"aws","worker":[]},"kubernetes":{"kubelet":{"maxpods":1}}}}`, []members.Problem{
			{"metdata", "metadata", ""}, {"spec.kubernetes.kubelet.maxpods", "maxPods", ""}, {"spec.provider.tpye", "type", ""}, {"spec.provider.worker", "workers", ""},
		}, "swapped, missing and differently cased letters"},
		{"no near name", members.Worker, `{"spec":{"pools":[{"quux":{"minmum":1}}]}}`, []members.Problem{{"spec.pools[0].quux", "", ""}}, "is not looked into"},
		{"not missing", members.Shoot, `{"spec":{"provider":{"workers":[{"minimum2":1,"minimum":2}]}}}`, []members.Problem{{"spec.provider.workers[0].minimum2", "", ""}}, "the member with nearly this name is there"},
		{"another type", members.Shoot, `{"spec":[{"x":1}],"metadata":7}`, []members.Problem{{"metadata", "", "ObjectMeta"}, {"spec", "", "ShootSpec"}}, "nothing in it is looked at"},
		{"a provider config", members.Shoot, `{"spec":{"provider":{"workers":[{"providerConfig":{"quux":1}}]}}}`, nil, "its Schema knows its members"},
		{"a map of objects", "{}string", `{"a":"1"}`, nil, "names are free"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, members.Problems(test.typ, decoded([]byte(test.in))), test.reason)
		})
	}
}

// TestManifestsOfTheTests: manifests as users write them and as clusters return them have no unknown member.
func TestManifestsOfTheTests(t *testing.T) {
	t.Parallel()
	for file, typ := range map[string]members.Type{"shoot.yaml": members.Shoot, "worker.yaml": members.Worker} {
		text, err := os.ReadFile("../pool/testdata/" + file)
		require.NoError(t, err)
		raw, err := yaml.YAMLToJSON(text)
		require.NoError(t, err)
		assert.Empty(t, members.Problems(typ, decoded(raw)), file)
	}
}

// FuzzProblems: whatever a manifest is, it is looked at without a panic, and what is found lies in the manifest.
func FuzzProblems(f *testing.F) {
	f.Add([]byte(`{"spec":{"provider":{"workers":[{"minmum":1}]}}}`))
	f.Add([]byte(`[{"\u0000":[null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, p := range members.Problems(members.Shoot, decoded(raw)) {
			if p.Path == "" && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && !bytes.Contains(raw, []byte(`""`)) {
				t.Fatalf("no path in %q", raw)
			}
		}
	})
}
