package ec2test

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// selectResources returns a page of the resources that match the filters and IDs of a request,
// sorted by ID, also terminated instances, with the token of the next page.
func (c *Cloud) selectResources(
	asOf time.Time, kind, idName string, p parameters,
) (page []Resource, next string, err error) {
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
		isGone := r.Terminated && kind != Instance // terminated instances are shown
		if r.Kind != kind || isGone {
			continue
		}
		isAsked := len(ids) == 0 || slices.Contains(ids, id)
		isShown := id <= p["NextToken"]
		if !isAsked || isShown {
			continue
		}
		ok, err := c.matches(asOf, r, p.list("Filter"))
		if err != nil {
			return nil, "", err
		}
		if ok && len(page) == size && size > 0 {
			return page, page[size-1].ID, nil // a token is the last ID of the previous page
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
		wanted := filter.texts("Value")
		key := ""
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

// describeImages answers for every image. All have the same name for the root device.
func describeImages(p parameters) (fields, error) {
	var images items
	for _, id := range p.texts("ImageId") {
		images = append(images, fields{"imageId": id, "rootDeviceName": RootDeviceName})
	}
	return fields{"imagesSet": images}, nil
}

// RootDeviceName is the name of the root device of every image.
const RootDeviceName = "/dev/xvda"

// describe answers with a page of resources of a kind.
func (c *Cloud) describe(
	asOf time.Time, kind, idName, set string, p parameters, describe func(Resource) fields,
) (fields, error) {
	page, next, err := c.selectResources(asOf, kind, idName, p)
	answer := fields{set: listOf(page, describe)}
	if next != "" {
		answer["nextToken"] = next
	}
	return answer, err
}

// launched returns the answer of a launch, which does not lag.
func (c *Cloud) launched(id string) fields {
	return c.reservation(time.Now(), c.present(), c.present()[id])
}
