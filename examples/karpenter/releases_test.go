package karpenter_test

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// fileOf returns a file of a module. The module need not be in go.mod.
func fileOf(t *testing.T, module, name string) []byte {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	download.Dir = t.TempDir()
	download.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	answer, failed := download.Output() // the command also fails for a module that needs a newer Go; its CRDs can be read
	var downloaded struct{ Zip string }
	require.NoError(t, json.Unmarshal(answer, &downloaded))
	require.NotEmpty(t, downloaded.Zip, "%s: %v: %s", module, failed, answer)
	archive, err := zip.OpenReader(downloaded.Zip)
	require.NoError(t, err)
	defer archive.Close() //nolint:errcheck // it was only read
	text, err := fs.ReadFile(archive, module+"/"+name)
	require.NoError(t, err)
	return text
}

func schemaOfCRD(t *testing.T, text []byte, version string) *hotupdate.Schema {
	t.Helper()
	raw, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	schema, err := hotupdate.SchemaOfCRD(raw, version)
	require.NoError(t, err)
	return schema
}

// release is a row: two releases of a CRD, and custom resources that show what the newer one does to them.
type release struct {
	module, old, updated, file, version string
	spec                                string            // both releases read it, and it does not roll
	rolls                               map[string]string // a spec for each finding that is not harmless
	ours                                []string          // findings that need the meaning of a Schema
}

func releasesOfCRDs() []release {
	const (
		karpenter = "sigs.k8s.io/karpenter@"
		provider  = "github.com/aws/karpenter-provider-aws@"
		capa      = "sigs.k8s.io/cluster-api-provider-aws/v2@"
		bases     = "config/crd/bases/infrastructure.cluster.x-k8s.io_"
	)
	return []release{
		{
			karpenter, "v1.9.0", "v1.15.0", "pkg/apis/crds/karpenter.sh_nodepools.yaml", "v1",
			`{"template":{"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"a"},"requirements":[],"expireAfter":"720h"}},"limits":{"cpu":1000}}`,
			map[string]string{
				"PresenceChanged disruption":                     `{"disruption":{}}`, // v1.9.0 requires consolidateAfter
				"PairingChanged disruption.budgets[].reasons":    `{"disruption":{"consolidateAfter":"1m","budgets":[{"nodes":"10%","reasons":["Empty","Drifted"]}]}}`,
				"DefaultChanged disruption.consolidateAfter":     `{"disruption":{"consolidateAfter":"0s","budgets":[{"nodes":"1"}]}}`,
				"NullabilityChanged disruption.consolidateAfter": `{"disruption":{"consolidateAfter":""}}`, // refused by its pattern
			},
			// The text of the object's default is the same. Since v1.15.0 its only member has the
			// same default itself, and the Schema has the default there.
			[]string{"DefaultChanged disruption"},
		},
		{
			provider, "v1.10.0", "v1.15.1", "pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml", "v1",
			`{"amiSelectorTerms":[{"alias":"al2023@latest"}],"role":"a","metadataOptions":{"httpTokens":"required"}}`,
			map[string]string{"TypeChanged kubelet": `{"kubelet":{"kubeReserved":{"memory":"1Gi"}}}`}, // became free JSON
			nil,
		},
		{
			capa, "v2.11.0", "v2.13.0", bases + "awsmachines.yaml", "v1beta2", `{"instanceType":"m5.large","rootVolume":{"size":8}}`, nil,
			nil,
		},
		{
			capa, "v2.11.0", "v2.13.0", bases + "awsmachinetemplates.yaml", "v1beta2", `{"template":{"spec":{"instanceType":"m5.large"}}}`,
			nil, nil,
		},
		{
			capa, "v2.11.0", "v2.13.0", bases + "awsmachinepools.yaml", "v1beta2", `{"maxSize":1,"minSize":1,"awsLaunchTemplate":{}}`, nil,
			nil,
		},
	}
}

// TestReleasesOfCRDs checks what a new release of a CRD does to unchanged objects. The findings of
// [hotupdate.Compatibility] are those of a walk over both OpenAPI schemas that uses no Schema. For
// each finding that is not harmless, the hash of a custom resource changes.
func TestReleasesOfCRDs(t *testing.T) {
	for _, tc := range releasesOfCRDs() {
		texts := [2][]byte{fileOf(t, tc.module+tc.old, tc.file), fileOf(t, tc.module+tc.updated, tc.file)}
		walk := openAPIWalk{t: t}
		walk.within(specOf(t, texts[0], tc.version), specOf(t, texts[1], tc.version), "")

		old := schemaOfCRD(t, texts[0], tc.version)
		updated := schemaOfCRD(t, texts[1], tc.version)
		findings, err := hotupdate.Compatibility(old, updated)
		require.NoError(t, err)
		var all []string
		for _, f := range findings {
			name := f.Kind + " " + f.Path
			all = append(all, name)
			spec, isShown := tc.rolls[name]
			require.Equal(t, !f.Harmless(), isShown, "%s: %s", tc.file, f)
			if isShown {
				assert.True(t, f.MayRoll([]byte(spec)), f)
				assert.NotEqual(t, hashIn(t, old, spec), hashIn(t, updated, spec), f)
			}
		}
		assert.ElementsMatch(t, append(walk.found, tc.ours...), all, tc.file)
		assert.Equal(t, hashIn(t, old, tc.spec), hashIn(t, updated, tc.spec), tc.file)
	}
}

func hashIn(t *testing.T, schema *hotupdate.Schema, spec string) hotupdate.Sum {
	t.Helper()
	sum, err := schema.HashRaw([]byte(spec))
	require.NoError(t, err)
	return sum
}
