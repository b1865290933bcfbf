package openstackdriver

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/secgroups"

	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// groupsSet is the name of the set with the names of a server's security groups.
const groupsSet = "securityGroups"

func securityGroups() driver.Set[openstack.ProviderSpec, *machine] {
	return driver.Set[openstack.ProviderSpec, *machine]{
		Kind: tags.VM, Name: groupsSet, AddMember: addGroup, RemoveMember: removeGroup,
		Members: func(spec *openstack.ProviderSpec, _ *driver.Resource) []string {
			return slices.DeleteFunc(slices.Clone(spec.Spec.SecurityGroups), uuid.MatchString)
		},
	}
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// groups returns the names of the security groups of all ports.
func (s *server) groups() (names []string) {
	for _, group := range s.Groups {
		names = append(names, group.Name)
	}
	return names
}

// addGroup adds a security group to all ports of a server.
func addGroup(ctx context.Context, m *machine, vm *driver.Resource, name string) error {
	err := secgroups.AddServer(ctx, m.compute, vm.ID, name).ExtractErr()
	if isAddedTwice(err) {
		return nil
	}
	return err
}

// isAddedTwice reports whether a call was refused because the server already has the security
// group. Nova appends the group's ID to the groups of a port, Neutron refuses a list with a
// repeated ID, and Nova passes on Neutron's text. If this text changes, one update fails, and the
// next update reads that the server has the group.
func isAddedTwice(err error) bool {
	refused, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](original(err))
	const duplicate = "Duplicate items in the list"
	return ok && refused.Actual == http.StatusBadRequest && bytes.Contains(refused.Body, []byte(duplicate))
}

// removeGroup removes a security group from the ports of a server that have it.
func removeGroup(ctx context.Context, m *machine, vm *driver.Resource, name string) error {
	err := secgroups.RemoveServer(ctx, m.compute, vm.ID, name).ExtractErr()
	if isNotFound(err) { // no port has it
		return nil
	}
	return err
}
