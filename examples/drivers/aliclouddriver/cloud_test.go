package aliclouddriver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/examples/drivers/aliclouddriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// api is Elastic Compute Service on a fake cloud. A network interface or a disk belongs to the
// instance whose ID stands in its own ID, after "eni-", "sys-" or "data-" and before a dot. Other
// disks are attached to each instance.
type api struct {
	fleet.Cloud

	page   int                                      // the length of a page of disks; 0 is endless
	hides  string                                   // the ID of a resource that no list shows
	always http.Handler                             // answers all requests, unless it is nil
	spoils func(action string, body map[string]any) // changes answers; it may be nil

	mutex    sync.Mutex
	requests []string // action and number of resources
}

// refusal is an answer with an error code.
func refusal(status int, code, message string, header http.Header) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"Code": code, "Message": message, "RequestId": "r"})
	})
}

// actionOf returns the action of a request. The SDK does not spell headers as Go does.
func actionOf(r *http.Request) string {
	for name, values := range r.Header {
		if strings.EqualFold(name, "X-Acs-Action") {
			return values[0]
		}
	}
	return ""
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action := actionOf(r)
	values := r.URL.Query()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.requests = append(a.requests, fmt.Sprint(action, " ", len(list(values, "ResourceId.", ""))))
	if a.always != nil {
		a.always.ServeHTTP(w, r)
		return
	}
	body, err := a.answer(r.Context(), action, values)
	switch {
	case errors.Is(err, machineupdate.ErrThrottled):
		refusal(http.StatusBadRequest, "Throttling.User", err.Error(), nil).ServeHTTP(w, r)
	case err != nil:
		refusal(http.StatusInternalServerError, "InternalError", err.Error(), nil).ServeHTTP(w, r)
	default:
		if a.spoils != nil {
			a.spoils(action, body)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}
}

// list returns the values of numbered parameters.
func list(values url.Values, prefix, suffix string) (listed []string) {
	for i := 1; values.Has(prefix + strconv.Itoa(i) + suffix); i++ {
		listed = append(listed, values.Get(prefix+strconv.Itoa(i)+suffix))
	}
	return listed
}

func (a *api) answer(ctx context.Context, action string, values url.Values) (map[string]any, error) {
	if strings.HasPrefix(action, "Describe") {
		all, err := a.Resources(ctx)
		if err != nil {
			return nil, err
		}
		return a.describe(action, values, all), nil
	}
	ids := list(values, "ResourceId.", "")
	if err := checkType(ids, values.Get("ResourceType")); err != nil {
		return nil, err
	}
	var set, remove []tags.Tag
	for i, key := range list(values, "Tag.", ".Key") {
		set = append(set, tags.Tag{Key: key, Value: values.Get(fmt.Sprintf("Tag.%d.Value", i+1))})
	}
	for _, key := range list(values, "TagKey.", "") {
		remove = append(remove, tags.Tag{Key: key})
	}
	return map[string]any{"RequestId": "r"}, a.Change(ctx, ids, set, remove)
}

// checkType refuses a call that names a resource of another type.
func checkType(ids []string, of string) error {
	prefixes := map[string][]string{"instance": {"i"}, "eni": {"eni-"}, "disk": {"sys-", "data-"}}[of]
	for _, id := range ids {
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(id, prefix) }) {
			return fmt.Errorf("%s is no %s", id, of)
		}
	}
	return nil
}

func tagged(r *driver.Resource, more map[string]any) map[string]any {
	set := []any{}
	for key, value := range r.Tags {
		set = append(set, map[string]any{"TagKey": key, "TagValue": value})
	}
	more["Tags"] = map[string]any{"Tag": set}
	return more
}

// ownerOf returns the instance of a resource. All disks of the CSI driver belong to the first
// instance.
func ownerOf(r *driver.Resource, all []driver.Resource) string {
	for _, prefix := range []string{"eni-", "sys-", "data-"} {
		if rest, isOwn := strings.CutPrefix(r.ID, prefix); isOwn {
			owner, _, _ := strings.Cut(rest, ".")
			return owner
		}
	}
	return all[0].ID
}

func (a *api) describe(action string, values url.Values, all []driver.Resource) map[string]any {
	items := []any{}
	for i := range all {
		r := &all[i]
		if r.ID == a.hides {
			continue
		}
		isAsked := func(id string) bool { return strings.Contains(values.Get("InstanceIds"), `"`+id+`"`) }
		switch {
		case action == "DescribeInstances" && r.Kind == tags.VM && isAsked(r.ID):
			items = append(items, tagged(r, map[string]any{
				"InstanceId": r.ID, "NetworkInterfaces": map[string]any{"NetworkInterface": []any{
					map[string]any{"NetworkInterfaceId": "eni-pod-" + r.ID, "Type": "Secondary"},
					map[string]any{"NetworkInterfaceId": "eni-" + r.ID, "Type": "Primary"},
				}},
			}))
		case action == "DescribeNetworkInterfaces" && slices.Contains(list(values, "NetworkInterfaceId.", ""), r.ID):
			items = append(items, tagged(r, map[string]any{"NetworkInterfaceId": r.ID}))
		case action == "DescribeDisks" && r.Kind == tags.Disk && isListed(r, values, all):
			kind := map[bool]string{true: "system", false: "data"}[strings.HasPrefix(r.ID, "sys-")]
			items = append(items, tagged(r, map[string]any{
				"DiskId": r.ID, "DiskName": r.Name, "Type": kind, "InstanceId": ownerOf(r, all),
			}))
		}
	}
	switch action {
	case "DescribeInstances":
		return map[string]any{"Instances": map[string]any{"Instance": items}}
	case "DescribeNetworkInterfaces":
		return map[string]any{"NetworkInterfaceSets": map[string]any{"NetworkInterfaceSet": items}}
	}
	first := len(values.Get("NextToken"))
	next := ""
	last := len(items)
	if a.page > 0 && first+a.page < last {
		last = first + a.page
		next = strings.Repeat("x", last)
	}
	return map[string]any{"Disks": map[string]any{"Disk": items[first:last]}, "NextToken": next}
}

// isListed reports whether a disk meets the conditions of a list.
func isListed(r *driver.Resource, values url.Values, all []driver.Resource) bool {
	if id := values.Get("InstanceId"); id != "" && id != ownerOf(r, all) {
		return false
	}
	for i, key := range list(values, "Tag.", ".Key") {
		if r.Tags[key] != values.Get(fmt.Sprintf("Tag.%d.Value", i+1)) {
			return false
		}
	}
	return true
}

var secret = map[string][]byte{
	aliclouddriver.AccessKeyID: []byte("key-of-mcm"), aliclouddriver.AccessKeySecret: []byte("secret-of-mcm"),
}

func (a *api) config() aliclouddriver.Config {
	return aliclouddriver.Config{Endpoint: "ecs.test", HTTP: fleet.Transport{Handler: a}}
}
