package tags_test

import (
	"maps"
	"testing"

	"github.com/hotupdate/providerconfig/tags"
)

func TestMandatoryIn(t *testing.T) {
	tests := []struct {
		name   string
		cloud  tags.Cloud
		flat   map[string]string
		want   map[string]string
		reason string
	}{
		{
			"flat map of AWS", tags.AWS,
			map[string]string{"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1", "node.kubernetes.io/role": "node", "owner": "me", "Name": "n"},
			map[string]string{"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1"},
			"the example of the hot-update proposal: section 2 is mandatory, pool labels are not; Name the driver sets itself",
		},
		{"none", tags.AWS, map[string]string{"owner": "me"}, nil, "there are none"},
		{"nil", tags.AWS, nil, nil, "there are none"},
		{
			"folded", tags.Azure,
			map[string]string{"Kubernetes.io-Cluster-a": "1", "kubernetes.io-role-node": "1", "azure-x": ""},
			map[string]string{"Kubernetes.io-Cluster-a": "1", "kubernetes.io-role-node": "1"},
			"Azure ignores case, and what Azure reserves is not MCM's",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := rulesOf(t, test.cloud, tags.VM).MandatoryIn(test.flat)
			if !maps.Equal(got, test.want) || (got == nil) != (test.want == nil) {
				t.Errorf("MandatoryIn = %v, want %v: %s", got, test.want, test.reason)
			}
		})
	}
}
