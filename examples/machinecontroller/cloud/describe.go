package cloud

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// selectResources returns a page of what exists, or existed, and matches the filters and IDs of a request, sorted by ID, with the token
// of the next page.
func (c *Cloud) selectResources(asOf time.Time, kind, idName string, p parameters) (page []Resource, next string, err error) {
	past := c.asOf(asOf)
	ids := p.texts(idName)
	for _, id := range ids {
		if _, ok := past[id]; !ok {
			return nil, "", noSuch(id)
		}
	}
	size, err := p.number("MaxResults", 1000)
	if err != nil {
		return nil, "", err
	}
	if c.config.PageSize > 0 {
		size = min(size, c.config.PageSize)
	}
	for _, id := range slices.Sorted(maps.Keys(past)) {
		r := past[id].asOf(asOf)
		if r.Kind != kind || id <= p["NextToken"] || r.Kind != Instance && r.Terminated || len(ids) > 0 && !slices.Contains(ids, id) {
			continue
		}
		ok, err := c.matches(asOf, r, p.list("Filter"))
		if err != nil {
			return nil, "", err
		}
		if ok && len(page) == size && size > 0 {
			return page, page[size-1].ID, nil // a token is the last ID of the page before
		}
		if ok {
			page = append(page, r)
		}
	}
	return page, "", nil
}

// matches reports whether a resource matches all filters.
func (c *Cloud) matches(asOf time.Time, r Resource, filters []parameters) (bool, error) {
	for _, filter := range filters {
		wanted, key := filter.texts("Value"), ""
		var has []string
		switch name := filter["Name"]; {
		case strings.HasPrefix(name, "tag:"):
			key = strings.TrimPrefix(name, "tag:")
			if value, ok := r.Tags[key]; ok {
				has = []string{value}
			}
		case name == "tag-key":
			has = slices.Collect(maps.Keys(r.Tags))
		case name == r.Kind+"-id":
			has = []string{r.ID}
		case name == "instance-state-name" && r.Kind == Instance:
			has = []string{c.stateName(asOf, r)}
		case name == "attachment.instance-id" && r.Kind != Instance:
			has = []string{r.Instance}
		default:
			return false, invalid("no filter " + name)
		}
		if !slices.ContainsFunc(has, func(value string) bool { return slices.Contains(wanted, value) }) {
			return false, nil
		}
	}
	return true, nil
}

// stateName returns the state of an instance.
func (c *Cloud) stateName(at time.Time, vm Resource) string {
	switch {
	case vm.Terminated:
		return "terminated"
	case at.Before(vm.Launched.Add(c.config.BootTime)):
		return "pending"
	}
	return "running"
}

// describeImages knows every image. Its root device has the same name everywhere.
func describeImages(p parameters) (any, error) {
	response := &describeImagesResponse{RequestID: requestID}
	for _, id := range p.texts("ImageId") {
		response.Images = append(response.Images, wireImage{ID: id, RootDeviceName: RootDeviceName})
	}
	return response, nil
}

// RootDeviceName is the name of the root device of every image.
const RootDeviceName = "/dev/xvda"

func (c *Cloud) describeInstances(asOf time.Time, p parameters) (any, error) {
	page, next, err := c.selectResources(asOf, Instance, "InstanceId", p)
	response := &describeInstancesResponse{RequestID: requestID, NextToken: next}
	for _, vm := range page {
		response.Reservations = append(response.Reservations, wireReservation{ID: "r-" + vm.ID, Instances: []wireInstance{c.wireInstance(asOf, c.asOf(asOf), vm)}})
	}
	return response, err
}

func (c *Cloud) describeVolumes(asOf time.Time, p parameters) (any, error) {
	page, next, err := c.selectResources(asOf, Volume, "VolumeId", p)
	response := &describeVolumesResponse{RequestID: requestID, NextToken: next}
	for _, r := range page {
		response.Volumes = append(response.Volumes, wireVolume{
			ID: r.ID, Iops: r.Iops, Throughput: r.Throughput, VolumeType: "gp3", Tags: wireTags(r.Tags), Attachments: wireAttachments(r),
		})
	}
	return response, err
}

func (c *Cloud) describeModifications(asOf time.Time, p parameters) (any, error) {
	page, next, err := c.selectResources(asOf, Volume, "VolumeId", p)
	response := &describeModificationsResponse{RequestID: requestID, NextToken: next}
	for _, r := range page {
		if !r.modified.from.IsZero() {
			response.Modifications = append(response.Modifications, wireModification(r, asOf))
		}
	}
	return response, err
}

func (c *Cloud) describeInterfaces(asOf time.Time, p parameters) (any, error) {
	page, next, err := c.selectResources(asOf, NetworkInterface, "NetworkInterfaceId", p)
	response := &describeInterfacesResponse{RequestID: requestID, NextToken: next}
	for _, r := range page {
		response.Interfaces = append(response.Interfaces, wireInterfaceOf(r))
	}
	return response, err
}

// launched is the answer of a launch, which does not lag.
func (c *Cloud) launched(id string) any {
	vm := c.wireInstance(time.Now(), c.present(), c.present()[id])
	return &runInstancesResponse{RequestID: requestID, ID: "r-" + id, Instances: []wireInstance{vm}}
}
