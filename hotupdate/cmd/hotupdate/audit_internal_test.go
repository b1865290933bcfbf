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

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
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

// fleetV2 is the config of the next release, with harmless and harmful changes.
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

// TestAuditScripts runs audit and schema diff like a user. The Schemas are $V1, $V1B, $V2 and $V3.
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

// TestAuditOfAFleet: every pool of a fleet is audited, and the same release rolls each for the same
// reason.
func TestAuditOfAFleet(t *testing.T) {
	directory, pools := fleet(t, 50, false)
	v1, v2 := filepath.Join(t.TempDir(), "v1.json"), filepath.Join(t.TempDir(), "v2.json")
	require.NoError(t, writeSchema[fleetV1](v1))
	require.NoError(t, writeSchema[fleetV1b](v2))
	var stdout, stderr bytes.Buffer
	code := run([]string{"audit", "--old", v1, "--new", v2, "--all", "-o", "json", directory}, streams{providers: providers.All(), out: &stdout, err: &stderr})
	require.Equal(t, exitOK, code, stderr.String())
	var report audit.Report
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	assert.Equal(t, audit.Counts{audit.Unchanged: {Pools: pools}}, report.Verdicts)
	assert.Equal(t, audit.Objects{Read: pools / 4, Judged: pools / 4, Skipped: map[audit.Skip]int{}}, report.Objects)
	assert.Len(t, report.Pools, pools)
	assert.NotContains(t, stdout.String(), "null", "lists without elements are empty")
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
				code := run([]string{"audit", "--old", v1, "--new", v2, directory}, streams{providers: providers.All(), out: io.Discard, err: io.Discard})
				require.Equal(b, exitOK, code)
			}
			b.ReportMetric(float64(pools*b.N)/b.Elapsed().Seconds(), "pools/s")
		})
	}
}
