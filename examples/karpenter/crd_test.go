package karpenter_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/karpenter-provider-aws/pkg/apis"
	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestCRDsBesideTypes lists the differences between Karpenter's CRDs and its types, to notice a change of a release. It
// leaves out optional fields that are not pointers in Go.
func TestCRDsBesideTypes(t *testing.T) {
	for _, tc := range []struct {
		kind   string
		crd    []byte
		byType func(...hotupdate.Option) (*hotupdate.Schema, error)
		want   []string
	}{
		{"EC2NodeClass", apis.EC2NodeClassCRD, hotupdate.SchemaOf[awsv1.EC2NodeClassSpec], []string{
			// recognized by a pattern of its own: 1Gi and 1024Mi mean the same
			"TypeChanged blockDeviceMappings[].ebs.volumeSize: quantity, quantityText",
			"TypeChanged kubelet.evictionHard[]: string, quantityText", // texts in Go
			"TypeChanged kubelet.evictionSoftGracePeriod[]: duration, string",
			"TypeChanged kubelet.evictionSoft[]: string, quantityText",
			"TypeChanged kubelet.kubeReserved[]: string, quantity",
			"TypeChanged kubelet.systemReserved[]: string, quantity",
			"DefaultChanged metadataOptions.httpEndpoint: none, \"enabled\"",
			"DefaultChanged metadataOptions.httpProtocolIPv6: none, \"disabled\"",
			"DefaultChanged metadataOptions.httpPutResponseHopLimit: none, 1",
			"DefaultChanged metadataOptions.httpTokens: none, \"required\"",
		}},
		{"NodePool", apis.NodePoolCRD, hotupdate.SchemaOf[karpv1.NodePoolSpec], []string{
			"DefaultChanged disruption: none, {\"consolidateAfter\":\"0s\"}",
			"PresenceChanged disruption: nothing, something", // it has no default of consolidateAfter
			"DefaultChanged disruption.budgets: none, [{\"nodes\":\"10%\"}]",
			"PresenceChanged disruption.budgets: nothing, something",
			"TypeChanged disruption.budgets[].duration: duration, durationText",
			"DefaultChanged disruption.budgets[].nodes: none, \"10%\"",
			"PairingChanged disruption.budgets[].reasons: found by position, a set",
			"TypeChanged disruption.consolidateAfter: opaque, durationText",
			"DefaultChanged disruption.consolidationPolicy: none, \"WhenEmptyOrUnderutilized\"",
			"DefaultChanged template.spec.expireAfter: none, \"720h0m0s\"",
			"TypeChanged template.spec.expireAfter: opaque, durationText",
			"TypeChanged template.spec.startupTaints[].timeAdded: metaTime, time or text", // a text may have a fraction of a second
			"TypeChanged template.spec.taints[].timeAdded: metaTime, time or text",
			"TypeChanged template.spec.terminationGracePeriod: duration, durationText",
		}},
	} {
		raw, err := yaml.YAMLToJSON(tc.crd)
		require.NoError(t, err)
		byCRD, err := hotupdate.SchemaOfCRD(raw, "v1")
		require.NoError(t, err)
		byType, err := tc.byType()
		require.NoError(t, err)
		findings, err := hotupdate.Compatibility(byType, byCRD)
		require.NoError(t, err)
		var got []string
		for _, f := range findings {
			if f.Kind != "NullabilityChanged" {
				got = append(got, f.Kind+" "+f.Path+": "+f.Old+", "+f.New)
			}
		}
		assert.Equal(t, tc.want, got, tc.kind)
	}
}

// TestDriftByCRD: a change of a real spec has the same causes with the CRD, which needs no Go, and with the type.
func TestDriftByCRD(t *testing.T) {
	raw, err := yaml.YAMLToJSON(apis.EC2NodeClassCRD)
	require.NoError(t, err)
	options := []hotupdate.Option{hotupdate.WithTag("tags", "true"), hotupdate.WithTag("blockDeviceMappings", "false,key=deviceName")}
	byCRD, err := hotupdate.SchemaOfCRD(raw, "v1", options...)
	require.NoError(t, err)
	byType, err := hotupdate.SchemaOf[awsv1.EC2NodeClassSpec](options...)
	require.NoError(t, err)

	old := newFleet().spec
	updated := newFleet().spec
	updated.Tags["team"] = "red"
	updated.Role = "other"
	updated.BlockDeviceMappings[0], updated.BlockDeviceMappings[1] = updated.BlockDeviceMappings[1], updated.BlockDeviceMappings[0]
	updated.BlockDeviceMappings[1].EBS.IOPS = new(int64(4000))
	want, err := byType.Diff(old, updated)
	require.NoError(t, err)
	got, err := byCRD.DiffRaw(inJSON(t, old), inJSON(t, updated))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Len(t, got, 3)
}

func inJSON(t *testing.T, spec *awsv1.EC2NodeClassSpec) []byte {
	t.Helper()
	raw, err := json.Marshal(spec)
	require.NoError(t, err)
	return raw
}
