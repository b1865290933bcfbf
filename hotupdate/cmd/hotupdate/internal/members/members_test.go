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

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestTableIsClosed: every type that a member has is in the table or a leaf, every type of the table is used, and no name stands twice.
func TestTableIsClosed(t *testing.T) {
	t.Parallel()
	leaves := []members.Type{"string", "bool", "int", "number", "quantity", "duration", "time", "intOrString", "any"}
	text, err := os.ReadFile("members.json")
	require.NoError(t, err)
	var file struct {
		Generated string
		Releases  []string
		Types     map[members.Type]map[string]any
	}
	require.NoError(t, json.Unmarshal(text, &file))
	table := file.Types
	assert.Equal(t, len(table)+6, strings.Count(string(text), "\n"), "a line for each type")
	assert.Contains(t, file.Generated, "go generate")
	used := map[members.Type]bool{
		members.Shoot: true, members.Worker: true, members.CloudProfile: true, members.NamespacedCloudProfile: true,
	}
	for name, all := range table {
		assert.Len(t, name.Members(), len(all), "%s", name)
		for member, typ := range name.Members() {
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
		{"pool", members.Shoot, `{"spec":{"provider":{"workers":[{},{"minmum":1,"maximum":2}]}}}`, []members.Problem{{Path: "spec.provider.workers[1].minmum", Meant: "minimum"}}, "in a list"},
		{"kinds", members.Shoot, `{"spec":{"purpose":5,"hibernation":[],"addons":"x","dns":{"providers":{}},"provider":{"workers":[{"labels":{"a":1},"maxSurge":1.5,"minimum":"1","maximum":1.0}]},"networking":{"providerConfig":{"a":[1]}}}}`, []members.Problem{
			{Path: "spec.purpose", Want: "string"},
			{Path: "spec.hibernation", Want: "Hibernation"},
			{Path: "spec.addons", Want: "Addons"},
			{Path: "spec.dns.providers", Want: "[]DNSProvider"},
			{Path: "spec.provider.workers[0].labels.a", Want: "string"},
			{Path: "spec.provider.workers[0].maxSurge", Want: "intOrString"},
			{Path: "spec.provider.workers[0].minimum", Want: "int"},
			{Path: "spec.provider.workers[0].maximum", Want: "int"},
		}, "the API server cannot read them"},
		{"forms", members.Shoot, `{"spec":{"kubernetes":{"kubeAPIServer":{"eventTTL":"soon"},"verticalPodAutoscaler":{"maxAllowed":{"cpu":"much","memory":4},"updaterInterval":"1m"}}}}`, []members.Problem{
			{Path: "spec.kubernetes.kubeAPIServer.eventTTL", Want: "duration"}, {Path: "spec.kubernetes.verticalPodAutoscaler.maxAllowed.cpu", Want: "quantity"},
		}, "of texts with a form"},
		{"null", members.Shoot, `{"spec":{"purpose":null,"provider":null}}`, nil, "counts as absent"},
		{"every level", members.Shoot, `{"metdata":{},"spec":{"provider":{"tpye":"aws","worker":[]},"kubernetes":{"kubelet":{"maxpods":1}}}}`, []members.Problem{
			{Path: "metdata", Meant: "metadata"}, {Path: "spec.provider.tpye", Meant: "type"}, {Path: "spec.provider.worker", Meant: "workers"}, {Path: "spec.kubernetes.kubelet.maxpods", Meant: "maxPods"},
		}, "swapped, missing and differently cased letters"},
		{"no near name", members.Worker, `{"spec":{"pools":[{"quux":{"minmum":1}}]}}`, []members.Problem{{Path: "spec.pools[0].quux"}}, "is not looked into"},
		{"not missing", members.Shoot, `{"spec":{"provider":{"workers":[{"minimum2":1,"minimum":2}]}}}`, []members.Problem{{Path: "spec.provider.workers[0].minimum2"}}, "the member with nearly this name is there"},
		{"another type", members.Shoot, `{"spec":[{"x":1}],"metadata":7}`, []members.Problem{{Path: "spec", Want: "ShootSpec"}, {Path: "metadata", Want: "ObjectMeta"}}, "nothing in it is looked at"},
		{"status", members.Shoot, `{"status":{"x":{"y":1},"credentials":{"rotation":{"serviceAccountKey":{"phase":1,"z":1}}}}}`, []members.Problem{
			{Path: "status.credentials.rotation.serviceAccountKey.phase", Want: "string"},
		}, "has only the members that are read, and others are free"},
		{"references", members.Shoot, `{"spec":{"seedSelector":{"matchExpressions":[{"key":"a","operator":"In","value":["b"]}]},"resources":[{"name":"x","resourceRef":{"kind":"Secret","nam":"y"}}]}}`, []members.Problem{
			{Path: "spec.seedSelector.matchExpressions[0].value", Meant: "values"}, {Path: "spec.resources[0].resourceRef.nam", Meant: "name"},
		}, "of Kubernetes' own types"},
		{"twice", members.Shoot, `{"spec":{"region":"a","purpose":"b","region":1}}`, []members.Problem{{Path: "spec.region", IsTwice: true}, {Path: "spec.region", Want: "string"}}, "the API server would take the last one"},
		{"a provider config", members.Shoot, `{"spec":{"provider":{"workers":[{"providerConfig":{"quux":1}}]}}}`, nil, "its Schema knows its members"},
		{"a map of objects", "{}string", `{"a":"1"}`, nil, "names are free"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, members.Problems(test.typ, tree.Of([]byte(test.in))), test.reason)
		})
	}
}

// A manifest may have a million wrong values.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"spec":{"accessRestrictions":[` + strings.Repeat("1,", 5000) + `1]}}`,
		`{"spec":{"provider":{"workers":[` + strings.Repeat(`{"x":1},`, 5000) + `{}]}}}`,
	} {
		assert.Len(t, members.Problems(members.Shoot, tree.Of([]byte(text))), 1000)
	}
}

// TestManifestsOfTheTests: manifests as users write them and as clusters return them have no unknown member.
func TestManifestsOfTheTests(t *testing.T) {
	t.Parallel()
	for file, typ := range map[string]members.Type{"shoot.yaml": members.Shoot, "worker.yaml": members.Worker} {
		text, err := os.ReadFile("../pool/testdata/" + file)
		require.NoError(t, err)
		root, err := tree.ParseYAML(text, 1)
		require.NoError(t, err)
		assert.Empty(t, members.Problems(typ, root), file)
	}
}

// FuzzProblems: whatever a manifest is, it is looked at without a panic, and what is found lies in the manifest.
func FuzzProblems(f *testing.F) {
	f.Add([]byte(`{"spec":{"provider":{"workers":[{"minmum":1}]}}}`))
	f.Add([]byte(`[{"\u0000":[null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, p := range members.Problems(members.Shoot, tree.Of(raw)) {
			if p.Path == "" && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && !bytes.Contains(raw, []byte(`""`)) {
				t.Fatalf("no path in %q", raw)
			}
		}
	})
}
