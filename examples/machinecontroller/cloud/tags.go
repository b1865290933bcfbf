package cloud

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
)

// The limits of infrastructure tags (Amazon EC2: tag restrictions; API reference of CreateTags and DeleteTags).
const (
	maxTags      = 50
	maxKey       = 128
	maxValue     = 256
	maxResources = 1000
	maxDeletions = 1000
	cloudsOwn    = "aws:"
)

func (c *Cloud) createTags(at time.Time, r *cloudapi.TagsRequest) (any, error) {
	if err := c.checkResources(r.Resources); err != nil {
		return nil, err
	}
	return c.retag(at, r.Resources, func(tags map[string]string) error { return set(tags, r.Tags) })
}

func (c *Cloud) deleteTags(at time.Time, r *cloudapi.TagsRequest) (any, error) {
	if err := c.checkResources(r.Resources); err != nil {
		return nil, err
	}
	if len(r.Tags) > maxDeletions {
		return nil, invalid("more tags than one call removes")
	}
	if err := distinct(r.Tags); err != nil {
		return nil, err
	}
	return c.retag(at, r.Resources, func(tags map[string]string) error {
		for _, tag := range r.Tags {
			value, ok := tags[tag.Key]
			if ok && (tag.Value == nil || *tag.Value == value) {
				delete(tags, tag.Key)
			}
		}
		return nil
	})
}

// retag changes the infrastructure tags of all resources or of none.
func (c *Cloud) retag(at time.Time, ids []string, change func(map[string]string) error) (any, error) {
	changed := state{}
	for _, id := range ids {
		r := c.present()[id]
		r.tags = maps.Clone(r.tags)
		if r.tags == nil {
			r.tags = map[string]string{}
		}
		if err := change(r.tags); err != nil {
			return nil, err
		}
		changed[id] = r
	}
	c.write(at, func(s state) { maps.Copy(s, changed) })
	return &cloudapi.Empty{}, nil
}

func (c *Cloud) checkResources(ids []string) error {
	if len(ids) == 0 || len(ids) > maxResources {
		return invalid("a call names 1 to 1000 resources")
	}
	for _, id := range ids {
		r, ok := c.present()[id]
		if ok && !r.terminated {
			continue
		}
		code := cloudapi.InvalidID
		if strings.HasPrefix(id, "i-") {
			code = cloudapi.InvalidInstanceNotFound
		}
		return &cloudapi.Error{Code: code, Message: "there is no " + id}
	}
	return nil
}

// set adds and overwrites infrastructure tags within the limits.
func set(tags map[string]string, added []cloudapi.Tag) error {
	if err := distinct(added); err != nil {
		return err
	}
	for _, tag := range added {
		if err := check(tag); err != nil {
			return err
		}
		tags[tag.Key] = *tag.Value
	}
	counted := 0
	for key := range tags {
		if !isCloudsOwn(key) {
			counted++
		}
	}
	if counted > maxTags {
		return &cloudapi.Error{Code: cloudapi.TagLimitExceeded, Message: "a resource has at most 50 tags"}
	}
	return nil
}

func check(tag cloudapi.Tag) error {
	switch {
	case tag.Value == nil:
		return invalid("a tag without a value")
	case tag.Key == "" || utf8.RuneCountInString(tag.Key) > maxKey:
		return invalid("a key has 1 to 128 characters")
	case utf8.RuneCountInString(*tag.Value) > maxValue:
		return invalid("a value has at most 256 characters")
	case isCloudsOwn(tag.Key) || isCloudsOwn(*tag.Value):
		return invalid("aws: is reserved")
	}
	return nil
}

func isCloudsOwn(text string) bool {
	return len(text) >= len(cloudsOwn) && strings.EqualFold(text[:len(cloudsOwn)], cloudsOwn)
}

func distinct(tags []cloudapi.Tag) error {
	seen := map[string]bool{}
	for _, tag := range tags {
		if seen[tag.Key] {
			return invalid("a key stands twice in one call")
		}
		seen[tag.Key] = true
	}
	return nil
}

func invalid(message string) error {
	return &cloudapi.Error{Code: cloudapi.InvalidParameterValue, Message: message}
}

func describeTags(past state, filters []cloudapi.Filter) (any, error) {
	response := &cloudapi.TagsResponse{}
	for _, f := range filters {
		if f.Name != "resource-id" {
			return nil, invalid("no such filter")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(past)) {
		if slices.ContainsFunc(filters, func(f cloudapi.Filter) bool { return !slices.Contains(f.Values, id) }) {
			continue
		}
		for _, tag := range list(past[id].tags) {
			response.Tags = append(response.Tags, cloudapi.TagDescription{
				ResourceID: id, ResourceType: past[id].kind, Key: tag.Key, Value: *tag.Value,
			})
		}
	}
	return response, nil
}

// list returns infrastructure tags sorted by key.
func list(tags map[string]string) []cloudapi.Tag {
	var all []cloudapi.Tag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		value := tags[key]
		all = append(all, cloudapi.Tag{Key: key, Value: &value})
	}
	return all
}
