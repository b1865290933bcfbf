package openstackdriver

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/secgroups"

	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// groupsAttribute is the attribute of the security groups of a server: their names as a JSON list.
const groupsAttribute = "securityGroups"

func securityGroups() driver.AttributeGroup[openstack.ProviderSpec, *machine] {
	return driver.AttributeGroup[openstack.ProviderSpec, *machine]{
		Kind: tags.VM, Modify: changeGroups,
		Attributes: driver.Attributes{Defaults: map[string]string{groupsAttribute: ""}},
		Project: func(spec *openstack.ProviderSpec, _ *driver.Resource) map[string]string {
			return map[string]string{groupsAttribute: driver.SetValue(named(spec.Spec.SecurityGroups))}
		},
	}
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// named returns those security groups of a spec that it names by their names.
func named(groups []string) []string {
	return slices.DeleteFunc(slices.Clone(groups), uuid.MatchString)
}

// groupReadings reads those security groups of a server that the spec has, or has had.
func (m *machine) groupReadings(own *server) map[string]driver.Reading {
	isOther := func(name string) bool { return !m.groups[name] }
	ours := slices.DeleteFunc(own.groups(), isOther)
	return map[string]driver.Reading{groupsAttribute: driver.Settled(driver.SetValue(ours))}
}

// groups returns the names of the security groups of all ports.
func (s *server) groups() (names []string) {
	for _, group := range s.Groups {
		if !slices.Contains(names, group.Name) {
			names = append(names, group.Name)
		}
	}
	return names
}

// changeGroups adds security groups to all ports of a server, then removes others from them. It reads
// them again before: a call that is repeated has made a part of the change, and Nova refuses to add a
// group twice.
func changeGroups(ctx context.Context, m *machine, vm *driver.Resource, values map[string]string) error {
	own, err := m.get(ctx)
	if err != nil {
		return translated(err)
	}
	isOwn := func(name string) bool { return m.groups[name] }
	add := func(name string) error {
		return translated(secgroups.AddServer(ctx, m.compute, vm.ID, name).ExtractErr())
	}
	remove := func(name string) error {
		err := secgroups.RemoveServer(ctx, m.compute, vm.ID, name).ExtractErr()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) { // gone meanwhile
			return nil
		}
		return translated(err)
	}
	return driver.ChangeSet(values[groupsAttribute], own.groups(), isOwn, add, remove)
}
