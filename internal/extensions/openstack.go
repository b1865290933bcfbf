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
		Name: "openstack", Release: "v1.57.0", Earlier: "v1.48.0",
		Own: openstackOwn, List: openstackList, AllowList: true,
		traits: provider.Traits{
			HashesState: true, State: openstackState, HashedState: []string{"serverGroup"}, FallsBack: true,
		},
	}
}

type openstackConfig struct {
	Labels []struct {
		Name                   string `json:"name"`
		Value                  string `json:"value"`
		TriggerRollingOnUpdate bool   `json:"triggerRollingOnUpdate"`
	} `json:"machineLabels"`
	AdditionalSecurityGroups []string `json:"additionalSecurityGroups"`
	ServerGroup              *struct {
		Policy string `json:"policy"`
	} `json:"serverGroup"`
}

// openstackState returns the server group of a pool, which a pool without a policy does not have.
func openstackState(pool *provider.WorkerPool) []provider.Part {
	group := provider.Part{Name: groupPart, Path: "status.providerStatus.serverGroupDependencies", IsKnown: true}
	config, err := decode[openstackConfig](Pool{WorkerPool: pool})
	if err == nil && (config.ServerGroup == nil || config.ServerGroup.Policy == "") {
		return []provider.Part{group}
	}
	type dependency struct {
		PoolName string `json:"poolName"`
		ID       string `json:"id"`
	}
	status, _ := decodeState[struct {
		ServerGroupDependencies []dependency `json:"serverGroupDependencies"`
	}](pool.Status)
	for _, one := range status.ServerGroupDependencies {
		if one.PoolName == pool.Name {
			group.Value = &one.ID
		}
	}
	group.IsKnown = group.Value != nil
	return []provider.Part{group}
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
