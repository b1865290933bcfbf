package extensions

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/provider"
)

// OpenStack is gardener-extension-provider-openstack. It hashes the pool's server group, and of the
// config at every minor the labels that trigger a rolling update and the security groups. It does not
// distinguish them, and does not separate a label's name from its value.
func OpenStack() *Extension {
	return &Extension{
		Name: "openstack", Own: openstackOwn, List: openstackList, AllowList: true,
		traits: provider.Traits{HashesState: true, HashedState: []string{"serverGroup"}},
	}
}

type openstackConfig struct {
	Labels []struct {
		Name                   string `json:"name"`
		Value                  string `json:"value"`
		TriggerRollingOnUpdate bool   `json:"triggerRollingOnUpdate"`
	} `json:"machineLabels"`
	AdditionalSecurityGroups []string `json:"additionalSecurityGroups"`
}

func openstackOwn(pool Pool) []string { return appendSet(nil, pool.State.ServerGroupID) }

func openstackList(pool Pool) ([]string, error) {
	c, err := decode[openstackConfig](pool)
	if err != nil {
		return nil, err
	}
	var labels []string
	for _, l := range c.Labels {
		if l.TriggerRollingOnUpdate {
			labels = append(labels, l.Name+"="+l.Value)
		}
	}
	slices.Sort(labels)
	return append(labels, slices.Sorted(slices.Values(c.AdditionalSecurityGroups))...), nil
}
