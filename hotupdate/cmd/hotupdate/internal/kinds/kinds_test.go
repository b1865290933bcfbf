package kinds_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds/kindstest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// all are the kinds by the files of their Schemas.
var all = map[string]kinds.Kind{
	"shoot.schema.json": kinds.Shoot, "worker.schema.json": kinds.Worker, "cloudprofile.schema.json": kinds.CloudProfile,
	"namespacedcloudprofile.schema.json": kinds.NamespacedCloudProfile, "objectmeta.schema.json": kinds.ObjectMeta,
}

// TestFiles: each Schema can be loaded and has the fingerprint of what stands in it, as the generator writes it, and each span in
// releases.json is that of a member, below no map, between two releases in their order.
func TestFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.schema.json")
	require.NoError(t, err)
	assert.Len(t, files, len(all))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		schema, err := hotupdate.LoadSchema(text)
		require.NoError(t, err, file)
		want, err := schema.Fingerprint()
		require.NoError(t, err)
		got, err := (*hotupdate.Schema)(all[file].Schema()).Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, want, got, file)
	}
	text, err := os.ReadFile("releases.json")
	require.NoError(t, err)
	var table struct {
		Generated string
		Releases  []string
		Members   map[kinds.Kind]map[string]struct{ First, Last string }
	}
	require.NoError(t, json.Unmarshal(text, &table))
	assert.Contains(t, table.Generated, "go generate")
	position := map[string]int{"": -1}
	for i, release := range table.Releases {
		position[release] = i
	}
	assert.Len(t, table.Members, len(all))
	for kind, members := range table.Members {
		for path, span := range members {
			steps := strings.Split(strings.ReplaceAll(path, "[]", ".0"), ".")
			assert.NotEqual(t, kindstest.Type{}, kindstest.At(kind, steps...), "%s %s", kind, path)
			assert.NotContains(t, path, "{}", "of which the path in a manifest is another one")
			for _, release := range []string{span.First, span.Last} {
				assert.Contains(t, position, release, "%s %s", kind, path)
			}
			if span.Last != "" {
				assert.LessOrEqual(t, position[span.First], position[span.Last], "%s %s", kind, path)
			}
		}
	}
}

// problem is what a test expects of an error.
type problem struct{ path, says string }

func problemsIn(err error) (found []problem) {
	for _, p := range fault.All(err) {
		found = append(found, problem{p.Path, p.What + "; " + p.Hint})
	}
	return found
}

func TestExamine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		kind     kinds.Kind
		in       string
		unknown  []kinds.Unknown
		problems []problem
		reason   string
	}{
		{
			"nothing", kinds.Shoot, `{"apiVersion":"v","kind":"Shoot","metadata":{"labels":{"a":"b"}},"status":{"x":1}}`, nil, nil,
			"names of labels are free, and Gardener writes the status",
		},
		{
			"pool", kinds.Shoot, `{"spec":{"provider":{"workers":[{},{"minmum":1,"maximum":2}]}}}`,
			[]kinds.Unknown{{"spec.provider.workers[1].minmum", "minimum"}},
			nil, "in a list",
		},
		{"types", kinds.Shoot, `{"spec":{"purpose":5,"hibernation":[],"addons":"x","dns":{"providers":{}},"provider":{"workers":[{"labels":{"a":1},"maxSurge":1.5,"minimum":"1","maximum":1.0}]},"networking":{"providerConfig":{"a":[1]}}}}`, nil, []problem{
			{"spec.purpose", "is a number that is not a string; put it in quotes"},
			{"spec.hibernation", "is a list that is not an object; write a value of that type"},
			{"spec.addons", "is a string of 1 byte that is not an object; write a value of that type"},
			{"spec.dns.providers", "is an object that is not a list; write a value of that type"},
			{"spec.provider.workers[0].labels[a]", "is a number that is not a string; put it in quotes"},
			{"spec.provider.workers[0].maxSurge", "is a number that is not an integer or string; write a value of that type"},
			{
				"spec.provider.workers[0].minimum",
				"is a string of 1 byte that is not an int32; write a whole number of at most 32 bits, without quotes",
			},
			{"spec.provider.workers[0].maximum", "is a number that is not an int32; write a whole number of at most 32 bits, without quotes"},
		}, "the API server cannot read them"},
		{"forms", kinds.Shoot, `{"spec":{"kubernetes":{"kubeAPIServer":{"eventTTL":"soon"},"verticalPodAutoscaler":{"maxAllowed":{"cpu":"much","memory":4},"updaterInterval":"1m"}}}}`, nil, []problem{
			{
				"spec.kubernetes.kubeAPIServer.eventTTL",
				"is a string of 4 bytes that is not a duration; write a number with a unit, such as 1h30m",
			},
			{
				"spec.kubernetes.verticalPodAutoscaler.maxAllowed[cpu]",
				"is a string of 4 bytes that is not a quantity; write a number with an optional unit, such as 80m or 1Gi",
			},
		}, "of texts with a form"},
		{"null", kinds.Shoot, `{"spec":{"purpose":null,"provider":null}}`, nil, nil, "counts as absent"},
		{
			"every level", kinds.Shoot, `{"metdata":{},"spec":{"provider":{"tpye":"aws","worker":[]},"kubernetes":{"kubelet":{"maxpods":1}}}}`,
			[]kinds.Unknown{
				{"metdata", "metadata"},
				{"spec.provider.tpye", "type"},
				{"spec.provider.worker", "workers"},
				{"spec.kubernetes.kubelet.maxpods", "maxPods"},
			},
			nil, "swapped, missing and differently cased letters",
		},
		{
			"no near name", kinds.Worker, `{"spec":{"pools":[{"quux":{"minmum":1}}]}}`,
			[]kinds.Unknown{{Path: "spec.pools[0].quux"}},
			nil,
			"is not looked into",
		},
		{
			"not missing", kinds.Shoot, `{"spec":{"provider":{"workers":[{"minimum2":1,"minimum":2}]}}}`,
			[]kinds.Unknown{{Path: "spec.provider.workers[0].minimum2"}},
			nil, "the member with nearly this name is there",
		},
		{
			"another type", kinds.Shoot, `{"spec":[{"x":1}],"metadata":7}`, nil,
			[]problem{
				{"spec", "is a list that is not an object; write a value of that type"},
				{"metadata", "is a number that is not an object; write a value of that type"},
			},
			"nothing in it is looked at",
		},
		{
			"status", kinds.Shoot, `{"status":{"x":{"y":1},"credentials":{"rotation":{"serviceAccountKey":{"phase":1,"z":1}}}}}`, nil,
			[]problem{
				{"status.credentials.rotation.serviceAccountKey.phase", "is a number that is not a string; put it in quotes"},
			},
			"the API server reads it, and members of a newer release are free",
		},
		{"references", kinds.Shoot, `{"spec":{"seedSelector":{"matchExpressions":[{"key":"a","operator":"In","value":["b"]}]},"resources":[{"name":"x","resourceRef":{"kind":"Secret","nam":"y"}}]}}`, []kinds.Unknown{
			{"spec.seedSelector.matchExpressions[0].value", "values"}, {"spec.resources[0].resourceRef.nam", "name"},
		}, nil, "of Kubernetes' own types"},
		{
			"twice", kinds.Shoot, `{"spec":{"region":"a","purpose":"b","region":1}}`, nil,
			[]problem{
				{"spec.region", "stands twice in its object; remove one of the members"},
				{"spec.region", "is a number that is not a string; put it in quotes"},
			},
			"the API server would take the last one",
		},
		{
			"an earlier release", kinds.Shoot,
			`{"spec":{"kubernetes":{"allowPrivilegedContainers":true,"kubelet":{"systemReserved":{"cpu":"1"}}}}}`, nil, nil,
			"had it, and manifests may still have it",
		},
		{
			"another type once", kinds.CloudProfile,
			`{"spec":{"machineImages":[{"name":"a","versions":[{"version":"1","capabilityFlavors":[{"architecture":["amd64"]}]}]}]}}`, nil,
			nil, "either one is read",
		},
		{
			"a provider config", kinds.Shoot, `{"spec":{"provider":{"workers":[{"providerConfig":{"quux":1}}]}}}`, nil, nil,
			"its Schema knows its members",
		},
		{"no text", kinds.Shoot, "{\"metadata\":{\"labels\":{\"a\":\"\xff\"}}}", nil, nil, "is replaced, as the API server does"},
		{
			"metadata", kinds.ObjectMeta, `{"name":1,"labels":[]}`, nil,
			[]problem{
				{"name", "is a number that is not a string; put it in quotes"},
				{"labels", "is a list that is not an object; write a value of that type"},
			},
			"of objects of every kind",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, err := test.kind.Examine(tree.Of([]byte(test.in)))
			assert.Equal(t, kinds.Findings{Unknown: test.unknown}, found, test.reason)
			assert.Equal(t, test.problems, problemsIn(err), test.reason)
		})
	}
}

// TestRepeatedKeys: the elements are told that Gardener refuses, each after the first. Other lists may have equal
// elements, and pools with one name are an error where they are read.
func TestRepeatedKeys(t *testing.T) {
	t.Parallel()
	for list, test := range map[string]struct{ around, key string }{
		"spec.resources":                       {`{"spec":{"resources":LIST}}`, "name"},
		"spec.extensions":                      {`{"spec":{"extensions":LIST}}`, "type"},
		"spec.provider.workers[0].dataVolumes": {`{"spec":{"provider":{"workers":[{"dataVolumes":LIST}]}}}`, "name"},
		"spec.provider.workers[0].cri.containerRuntimes": {
			`{"spec":{"provider":{"workers":[{"cri":{"containerRuntimes":LIST}}]}}}`, "type",
		},
	} {
		elements := strings.ReplaceAll(`[{"KEY":"a"},{"KEY":"b"},{"KEY":"a"}]`, "KEY", test.key)
		found, err := kinds.Shoot.Examine(tree.Of([]byte(strings.ReplaceAll(test.around, "LIST", elements))))
		require.NoError(t, err, list)
		assert.Equal(t,
			[]problem{{list + "[2]", "has the " + test.key + " of an element before it; give each element a " + test.key + " of its own"}},
			problemsIn(found.Repeated.Err()), list)
		found, err = kinds.Shoot.Examine(tree.Of([]byte(strings.ReplaceAll(test.around, "LIST", `[{},{}]`))))
		require.NoError(t, err, list)
		assert.Equal(t, []problem{{
			list + "[1]", "has no " + test.key + ", and neither has an element before it; give each element a " + test.key + " of its own",
		}},
			problemsIn(found.Repeated.Err()), list)
	}
	found, err := kinds.Shoot.Examine(
		tree.Of([]byte(`{"spec":{"tolerations":[{"key":"a"},{"key":"a"}],"provider":{"workers":[{"name":"a"},{"name":"a"}]}}}`)),
	)
	require.NoError(t, err)
	assert.Empty(t, found)
}

// TestReadingsOfYAML: of a word that YAML reads as another value, the problem says so.
func TestReadingsOfYAML(t *testing.T) {
	t.Parallel()
	object, err := tree.ParseYAML([]byte("spec:\n  region: n\n  provider:\n    workers:\n    - labels: {a/b.c: 010}\n"), 1)
	require.NoError(t, err)
	_, err = kinds.Shoot.Examine(object)
	assert.Equal(t, []problem{
		{"spec.region", "is the boolean false, as YAML reads n; put it in quotes"},
		{"spec.provider.workers[0].labels[a/b.c]", "is the number 8, as YAML reads 010; put it in quotes"},
	}, problemsIn(err))
}

// A manifest may have a million wrong values, and as many unknown members before a wrong value.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	_, err := kinds.Shoot.Examine(tree.Of([]byte(`{"spec":{"accessRestrictions":[` + strings.Repeat("1,", 5000) + `1]}}`)))
	assert.Len(t, problemsIn(err), 100)
	found, err := kinds.Shoot.Examine(
		tree.Of([]byte(`{"spec":{"provider":{"workers":[` + strings.Repeat(`{"x":1},`, 5000) + `{}]},"purpose":1}}`)),
	)
	assert.Len(t, found.Unknown, 1000)
	assert.Len(t, problemsIn(err), 1)
}

// TestManifestsOfTheTests: manifests as users write them and as clusters return them have no unknown member.
func TestManifestsOfTheTests(t *testing.T) {
	t.Parallel()
	for file, kind := range map[string]kinds.Kind{"shoot.yaml": kinds.Shoot, "worker.yaml": kinds.Worker} {
		text, err := os.ReadFile("../pool/testdata/" + file)
		require.NoError(t, err)
		root, err := tree.ParseYAML(text, 1)
		require.NoError(t, err)
		found, err := kind.Examine(root)
		require.NoError(t, err)
		assert.Empty(t, found, file)
	}
}

// FuzzExamine: whatever a manifest is, it is looked at without a panic, and what is found lies in the manifest.
func FuzzExamine(f *testing.F) {
	f.Add([]byte(`{"spec":{"provider":{"workers":[{"minmum":1}]}}}`))
	f.Add([]byte(`[{"\u0000":[null]}`))
	f.Add([]byte(`{"spec":{"resources":[{"name":"a"},{"name":"a"}]}}`))
	f.Add([]byte("{\"a\":\"\\ud800\",\"metadata\":{\"labels\":{\"\xff\":\"\xff\"}}}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		root := tree.Of(raw)
		found, err := kinds.Shoot.Examine(root)
		paths := []string{}
		for _, unknown := range found.Unknown {
			paths = append(paths, unknown.Path)
		}
		for _, repeated := range found.Repeated {
			paths = append(paths, repeated.Path)
		}
		for _, path := range paths {
			_, steps := root.Find(tree.Steps(path))
			if steps == 0 && !bytes.Contains(raw, []byte(`""`)) {
				t.Fatalf("%q is not in %q", path, raw)
			}
		}
		for _, found := range fault.All(err) {
			if found.Code == "invalid-json" {
				t.Fatalf("%v in %q, which has been read", found, raw)
			}
		}
	})
}
