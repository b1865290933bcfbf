package openstacktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/tags"
)

// Groups is the name of the set with the names of a server's security groups.
const Groups = "securityGroups"

// attachedTo returns the volumes of a server. Nova does not order them; here the server's own
// volume is the last.
func attachedTo(server *driver.Resource, all []driver.Resource) (own []*driver.Resource) {
	var others []*driver.Resource
	for i := range all {
		owner, isRoot := strings.CutPrefix(all[i].ID, "root-")
		switch {
		case all[i].Kind != tags.Disk:
		case !isRoot:
			others = append(others, &all[i])
		case owner == server.ID:
			own = append(own, &all[i])
		}
	}
	return append(others, own...)
}

// shown returns a server as Nova shows it.
func shown(r *http.Request, server *driver.Resource, all []driver.Resource) map[string]any {
	var volumes []any
	for _, volume := range attachedTo(server, all) {
		attached := map[string]any{"id": volume.ID}
		if isAtLeast(r, "X-OpenStack-Nova-API-Version", "2.3") {
			attached["delete_on_termination"] = volume.ID == "root-"+server.ID && volume.Name == ""
		}
		volumes = append(volumes, attached)
	}
	body := map[string]any{
		"id": server.ID, "name": server.Name, "status": "ACTIVE", "metadata": withoutNil(server.Tags),
		"os-extended-volumes:volumes_attached": volumes, "created": "2026-01-01T00:00:00Z",
		"updated": "2026-01-01T00:00:00Z", "image": "",
	}
	var groups []any
	for _, name := range server.Sets[Groups] {
		groups = append(groups, map[string]any{"name": name}, map[string]any{"name": name}) // for two ports
	}
	if len(groups) > 0 {
		body["security_groups"] = groups
	}
	return body
}

func withoutNil(all map[string]string) map[string]string {
	if all == nil {
		return map[string]string{}
	}
	return all
}

func (a *API) listServers(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	all, err := a.Resources(r.Context())
	var servers []map[string]any
	for i := range all {
		if name := r.URL.Query().Get("name"); all[i].Kind == tags.VM && (name == "" || name == all[i].Name) {
			servers = append(servers, shown(r, &all[i], all))
		}
	}
	items, links := page(r, servers, a.Page, func(s map[string]any) string { return fmt.Sprint(s["id"]) })
	return http.StatusOK, map[string]any{"servers": append([]map[string]any{}, items...), "servers_links": links}, err
}

func (a *API) getServer(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	server, err := a.find(r.Context(), tags.VM, r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	all, err := a.Resources(r.Context())
	return http.StatusOK, map[string]any{"server": shown(r, server, all)}, err
}

// createServer creates a server, and its root volume if it boots from one.
func (a *API) createServer(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	var body struct {
		Server struct {
			Name           string                           `json:"name"`
			Metadata       map[string]string                `json:"metadata"`
			SecurityGroups []struct{ Name string }          `json:"security_groups"`
			Disks          []struct{ Size json.RawMessage } `json:"block_device_mapping_v2"`
		} `json:"server"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return 0, nil, err
	}
	cloud, ok := a.Cloud.(*fleet.Fleet)
	if !ok {
		return 0, nil, errors.New("this cloud creates no servers")
	}
	a.mutex.Lock()
	a.made++
	id := fmt.Sprint("server-", a.made)
	a.mutex.Unlock()
	var groups []string
	for _, group := range body.Server.SecurityGroups {
		groups = append(groups, group.Name)
	}
	cloud.Add(driver.Resource{
		Kind: tags.VM, ID: id, Name: body.Server.Name, Tags: body.Server.Metadata,
		Sets: map[string][]string{Groups: groups},
	})
	if len(body.Server.Disks) > 0 {
		cloud.Add(driver.Resource{Kind: tags.Disk, ID: "root-" + id})
	}
	return http.StatusAccepted, map[string]any{"server": map[string]any{"id": id}}, nil
}

func (a *API) deleteServer(w http.ResponseWriter, r *http.Request) (int, any, error) {
	id := r.PathValue("id")
	_, err := a.find(r.Context(), tags.VM, id)
	if cloud, ok := a.Cloud.(*fleet.Fleet); ok && err == nil {
		cloud.Delete(tags.VM, id)
		cloud.Delete(tags.Disk, "root-"+id)
	}
	return http.StatusNoContent, nil, err
}

func (a *API) setMetadata(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	var body struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return 0, nil, err
	}
	var set []tags.Tag
	for key, value := range body.Metadata {
		set = append(set, tags.Tag{Key: key, Value: value})
	}
	return http.StatusOK, body, a.Change(r.Context(), []string{r.PathValue("id")}, set, nil)
}

// removeMetadata removes a key, whatever its value is.
func (a *API) removeMetadata(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	key := r.PathValue("key")
	server, err := a.find(r.Context(), tags.VM, r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	isKey := func(live string) bool { return strings.EqualFold(live, key) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(server.Tags)), isKey) {
		return 0, nil, &status{http.StatusNotFound, "Metadata item was not found"}
	}
	return http.StatusNoContent, nil, a.Change(r.Context(), []string{server.ID}, nil, []tags.Tag{{Key: key}})
}

// changeGroups adds a security group to a server, or removes one. Adding a group twice is an error
// in the list of groups that Nova sends to Neutron.
func (a *API) changeGroups(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	var body map[string]struct{ Name string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return 0, nil, err
	}
	server, err := a.find(r.Context(), tags.VM, r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if add, ok := body["addSecurityGroup"]; ok {
		err = a.AddMember(r.Context(), tags.VM, server.ID, Groups, add.Name)
	}
	if remove, ok := body["removeSecurityGroup"]; ok {
		err = a.RemoveMember(r.Context(), tags.VM, server.ID, Groups, remove.Name)
	}
	switch {
	case errors.Is(err, drivertest.ErrMemberExists):
		err = &status{http.StatusBadRequest, "Invalid input for security_groups. " +
			"Reason: Duplicate items in the list: '2c6bd3cd-8d1e-4f32-9a1a-0f4d4b0e5b61'."}
	case errors.Is(err, drivertest.ErrNoMember):
		err = &status{http.StatusNotFound, "Security group is not associated with the instance"}
	}
	return http.StatusAccepted, nil, err
}
