package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// fleetV1 is the provider config of a fleet.
type fleetV1 struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int32 `json:"iops,omitempty"`
		Type string `json:"type,omitempty"`
	} `json:"volume,omitempty"`
	Disks []diskV1          `json:"disks,omitempty"  hotupdatable:"false,key=name"`
	Zones []string          `json:"zones,omitempty"`
	Token string            `json:"token,omitempty"  hotupdatable:"false,sensitive"`
	Tags  map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

type diskV1 struct {
	Name string `json:"name"`
	Size int32  `json:"size,omitempty"`
}

// fleetV2 is what a release made of it: some of it harmless, some not.
type fleetV2 struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int64  `json:"iops,omitempty" hotupdatable:"true"`
		Type *string `json:"type,omitempty"`
	} `json:"volume,omitempty"`
	Disks  []diskV2          `json:"disks,omitempty"  hotupdatable:"false,key=name"`
	Zones  []string          `json:"zones,omitempty"  hotupdatable:"false,set"`
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

type diskV2 struct {
	Name string `json:"name"`
	GB   int32  `json:"sizeGB,omitempty"`
}

// fleetV1b has a hot field more than fleetV1.
type fleetV1b struct {
	fleetV1 `json:",inline"`

	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

// fleetV3 renames pools and refuses none.
type fleetV3 struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
		Type string `json:"type,omitempty" hotupdatable:"false,default=gp3"`
	} `json:"volume,omitempty"`
	Disks []diskV1          `json:"disks,omitempty"  hotupdatable:"false,key=name"`
	Zones []string          `json:"zones,omitempty"  hotupdatable:"false,set"`
	Token string            `json:"token,omitempty"  hotupdatable:"true,sensitive"`
	Tags  map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

// writeSchema writes the Schema of C into a file.
func writeSchema[C any](file string) error {
	schema, err := hotupdate.SchemaOf[C]()
	if err != nil {
		return err
	}
	written, err := schema.MarshalJSON()
	if err != nil {
		return err
	}
	return os.WriteFile(file, written, 0o600)
}

// TestAuditScripts runs audit and schema diff as a user does. The Schemas are $V1, $V1B, $V2 and $V3.
func TestAuditScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/audit",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for name, write := range map[string]func(string) error{"V1": writeSchema[fleetV1], "V1B": writeSchema[fleetV1b], "V2": writeSchema[fleetV2], "V3": writeSchema[fleetV3]} {
				file := strings.ToLower(name) + ".json"
				if err := write(filepath.Join(env.WorkDir, file)); err != nil {
					return err
				}
				env.Setenv(name, file)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "edit": edit},
	})
}

// fleet makes a directory of Worker manifests with four pools each.
func fleet(tb testing.TB, manifests int, inJSON bool) (directory string, pools int) {
	tb.Helper()
	directory = tb.TempDir()
	const pool = `{name: pool-%d, machineType: m5.large, machineImage: {name: gardenlinux, version: 1443.8.0}, kubernetesVersion: 1.33.2, nodeAgentSecretName: gardener-node-agent-%[1]d, ` +
		`providerConfig: {apiVersion: fleet.example/v1, kind: FleetConfig, volume: {iops: %[1]d, type: gp3}, disks: [{name: b, size: 1}, {name: a}], zones: [eu-1a, eu-1b], tags: {cost-center: "%[1]d"}}}`
	for i := range manifests {
		content := fmt.Appendf(nil, "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Worker\nmetadata: {name: shoot-%d, namespace: shoot--%[1]d}\nspec:\n  type: fleet\n  pools:\n", i)
		for range 4 {
			content = fmt.Appendf(content, "  - "+pool+"\n", pools)
			pools++
		}
		name := "worker.yaml"
		if inJSON {
			name = "worker.json"
			var err error
			content, err = yaml.YAMLToJSON(content)
			require.NoError(tb, err)
		}
		require.NoError(tb, os.WriteFile(filepath.Join(directory, fmt.Sprintf("%05d-%s", i, name)), content, 0o600))
	}
	return directory, pools
}

// TestAuditOfAFleet: every pool of a fleet is looked at, and each is rolled by the same release for the same reason.
func TestAuditOfAFleet(t *testing.T) {
	directory, pools := fleet(t, 50, false)
	v1, v2 := filepath.Join(t.TempDir(), "v1.json"), filepath.Join(t.TempDir(), "v2.json")
	require.NoError(t, writeSchema[fleetV1](v1))
	require.NoError(t, writeSchema[fleetV1b](v2))
	var stdout, stderr bytes.Buffer
	code := run([]string{"audit", "--old", v1, "--new", v2, "--all", "-o", "json", directory}, streams{out: &stdout, err: &stderr})
	require.Equal(t, exitOK, code, stderr.String())
	var report auditReport
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	assert.Equal(t, auditSummary{
		"pools": pools, "unchanged": pools, "rejected": 0, "rolled": 0, "renamed": 0, "indeterminate": 0, "invalid": 0, "accepted": 0,
		"otherPools": 0, "otherDocuments": 0, "unreadable": 0,
	}, report.Summary)
	assert.Len(t, report.Pools, pools)
}

// BenchmarkAudit prints how many pools are audited in a second.
func BenchmarkAudit(b *testing.B) {
	v1, v2 := filepath.Join(b.TempDir(), "v1.json"), filepath.Join(b.TempDir(), "v2.json")
	require.NoError(b, writeSchema[fleetV1](v1))
	for _, bench := range []struct {
		name   string
		inJSON bool
		schema func(string) error
	}{
		{"unchanged/json", true, writeSchema[fleetV1b]},
		{"unchanged/yaml", false, writeSchema[fleetV1b]},
		{"rejected/json", true, writeSchema[fleetV2]},
	} {
		b.Run(bench.name, func(b *testing.B) {
			require.NoError(b, bench.schema(v2))
			directory, pools := fleet(b, 250, bench.inJSON)
			for b.Loop() {
				code := run([]string{"audit", "--old", v1, "--new", v2, directory}, streams{out: io.Discard, err: io.Discard})
				require.Equal(b, exitOK, code)
			}
			b.ReportMetric(float64(pools*b.N)/b.Elapsed().Seconds(), "pools/s")
		})
	}
}

// FuzzRelease: whatever stands in a file, it is a release that can hash, or an error.
func FuzzRelease(f *testing.F) {
	schema, err := hotupdate.SchemaOf[fleetV1]()
	require.NoError(f, err)
	written, err := schema.MarshalJSON()
	require.NoError(f, err)
	f.Add(written)
	f.Add([]byte(`{"formatVersion": 1, "schema": ` + string(written) + `, "eras": [{"name": "a", "hash": "raw"}, {"name": "b", "from": "1.34", "hash": "cut", "nulls": "keep"}]}`))
	f.Add([]byte(`{"apiVersion": "a/v1", "kind": "K", "schema": ` + string(written) + `}`))
	f.Add([]byte(`{"eras": null, "schema": "\u0000"}`))
	directory := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRelease(filepath.Join(directory, "release.json"), data)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		version := "1.34.1"
		_, _ = r.hash(&version, []byte(`{"volume":{"iops":5}}`))
		h, err := r.hash(nil, nil)
		require.NoError(t, err, "no config is the empty one")
		assert.NotNil(t, h.era)
	})
}

// TestPatterns: the path of an element becomes that of all elements, as Schemas name it.
func TestPatterns(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "volume.iops": "volume.iops", "disks[name=a].size": "disks[].size", "disks[0].size": "disks[].size", "tags[a]": "tags[]",
		`tags["a]b"].c`: "tags[].c", `tags["a\"]b"]`: "tags[]", "a[=x][1]": "a[][]", "broken[": "broken[]",
	} {
		assert.Equal(t, want, patternOf(path), path)
	}
	for _, tc := range []struct {
		path, above string
		want        bool
	}{
		{"volume.iops", "volume", true},
		{"volume", "volume", true},
		{"volumes", "volume", false},
		{"disks[].size", "disks", true},
		{"volume", "volume.iops", false},
		{"volume", "", true},
	} {
		assert.Equal(t, tc.want, within(tc.path, tc.above), "%s below %s", tc.path, tc.above)
	}
}
