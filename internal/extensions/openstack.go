package extensions

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/provider"
)

// OpenStack is gardener-extension-provider-openstack. It hashes the pool's server group. Of the
// config it hashes the labels that trigger a rolling update and the security groups, at every
// minor. The list does not tell a label from a security group, nor a label's name from its value.
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

// openstackState returns the server group of a pool. A pool without a policy has none.
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
