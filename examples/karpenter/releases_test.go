package karpenter_test

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/aws/karpenter-provider-aws/pkg/apis"
	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// fileOf returns a file of a module, which need not be one of those that are built.
func fileOf(t *testing.T, module, name string) []byte {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	download.Dir, download.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	answer, failed := download.Output() // it also fails for a module that needs a newer Go, which matters to no CRD
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

// TestReleasesOfCRDs: what a release of a CRD does to objects that nobody touches. The findings were read by hand in both CRDs.
func TestReleasesOfCRDs(t *testing.T) {
	const (
		karpenter = "sigs.k8s.io/karpenter@"
		provider  = "github.com/aws/karpenter-provider-aws@"
		capa      = "sigs.k8s.io/cluster-api-provider-aws/v2@"
		bases     = "config/crd/bases/infrastructure.cluster.x-k8s.io_"
	)
	for _, tc := range []struct {
		module, old, updated, file, version string
		spec                                string // of an object that both releases read, and that does not roll
		want                                []string
	}{
		{
			karpenter, "v1.9.0", "v1.15.0", "pkg/apis/crds/karpenter.sh_nodepools.yaml", "v1",
			`{"template":{"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"a"},"requirements":[],"expireAfter":"720h"}},"limits":{"cpu":1000}}`,
			[]string{
				"DefaultChanged disruption", "PresenceChanged disruption", // the default of the object is gone
				"PairingChanged disruption.budgets[].reasons", // list-type: set is new
				"DefaultChanged disruption.consolidateAfter",  // and stands at the member
				"NullabilityChanged disruption.consolidateAfter",
			},
		},
		{
			provider, "v1.10.0", "v1.15.1", "pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml", "v1",
			`{"amiSelectorTerms":[{"alias":"al2023@latest"}],"role":"a","metadataOptions":{"httpTokens":"required"}}`,
			[]string{"TypeChanged kubelet"}, // fields became free JSON
		},
		{capa, "v2.11.0", "v2.13.0", bases + "awsmachines.yaml", "v1beta2", `{"instanceType":"m5.large","rootVolume":{"size":8}}`, nil},
		{capa, "v2.11.0", "v2.13.0", bases + "awsmachinetemplates.yaml", "v1beta2", `{"template":{"spec":{"instanceType":"m5.large"}}}`, nil},
		{capa, "v2.11.0", "v2.13.0", bases + "awsmachinepools.yaml", "v1beta2", `{"maxSize":1,"minSize":1,"awsLaunchTemplate":{}}`, nil},
	} {
		old := schemaOfCRD(t, fileOf(t, tc.module+tc.old, tc.file), tc.version)
		updated := schemaOfCRD(t, fileOf(t, tc.module+tc.updated, tc.file), tc.version)
		findings, err := hotupdate.Compatibility(old, updated)
		require.NoError(t, err)
		var harmful []string
		for _, f := range findings {
			if !f.Harmless() {
				harmful = append(harmful, f.Kind+" "+f.Path)
			}
		}
		assert.Equal(t, tc.want, harmful, tc.file)
		before, err := old.HashRaw([]byte(tc.spec))
		require.NoError(t, err, tc.file)
		after, err := updated.HashRaw([]byte(tc.spec))
		require.NoError(t, err, tc.file)
		assert.Equal(t, before, after, tc.file)
	}
}

// TestTypedRawAndCRDAgree: two values have one hash by the Go type exactly if their JSON has one by the exported Schema, and by the CRD. Fields with
// defaults, and those that TestCRDsBesideTypes lists as different otherwise, are left out.
func TestTypedRawAndCRDAgree(t *testing.T) {
	options := []hotupdate.Option{hotupdate.WithTag("tags", "true"), hotupdate.WithTag("blockDeviceMappings", "false,key=deviceName")}
	byType, err := hotupdate.SchemaOf[awsv1.EC2NodeClassSpec](options...)
	require.NoError(t, err)
	raw, err := yaml.YAMLToJSON(apis.EC2NodeClassCRD)
	require.NoError(t, err)
	byCRD, err := hotupdate.SchemaOfCRD(raw, "v1", options...)
	require.NoError(t, err)
	equal, different := 0, 0
	rapid.Check(t, func(draw *rapid.T) {
		a, b := drawSpec(draw), drawSpec(draw)
		var same [3]bool
		for i, hash := range []func(*awsv1.EC2NodeClassSpec) (hotupdate.Sum, error){
			func(spec *awsv1.EC2NodeClassSpec) (hotupdate.Sum, error) { return byType.Hash(spec) },
			func(spec *awsv1.EC2NodeClassSpec) (hotupdate.Sum, error) { return byType.HashRaw(inJSON(t, spec)) },
			func(spec *awsv1.EC2NodeClassSpec) (hotupdate.Sum, error) { return byCRD.HashRaw(inJSON(t, spec)) },
		} {
			first, err := hash(a)
			require.NoError(draw, err)
			second, err := hash(b)
			require.NoError(draw, err)
			same[i] = first == second
		}
		require.Equal(draw, same[0], same[1], "typed and raw")
		require.Equal(draw, same[0], same[2], "typed and by CRD")
		if same[0] {
			equal++
		} else {
			different++
		}
	})
	assert.Positive(t, equal)
	assert.Positive(t, different)
}

// drawSpec draws one of few specs, so that two of them often mean the same.
func drawSpec(draw *rapid.T) *awsv1.EC2NodeClassSpec {
	spec := &awsv1.EC2NodeClassSpec{
		Role:             "a",
		AMISelectorTerms: []awsv1.AMISelectorTerm{{Alias: rapid.SampledFrom([]string{"al2023@latest", "al2@latest"}).Draw(draw, "alias")}},
		Tags:             map[string]string{"team": rapid.SampledFrom([]string{"red", "blue"}).Draw(draw, "team")},
	}
	devices := rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b"}, {"b", "a"}}).Draw(draw, "devices")
	for _, name := range devices {
		size := rapid.SampledFrom([]string{"1Gi", "1024Mi", "2Gi"}).Draw(draw, "size")
		spec.BlockDeviceMappings = append(spec.BlockDeviceMappings, &awsv1.BlockDeviceMapping{DeviceName: new(name), EBS: &awsv1.BlockDevice{VolumeSize: quantity(size)}})
	}
	return spec
}
