package drivertest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// spec is the provider spec of the test's driver.
type spec struct {
	Cluster     string     `json:"cluster"`
	Tags        *tags.Tags `json:"tags,omitempty"        hotupdatable:"true"`
	IOPS        int        `json:"iops,omitempty"        hotupdatable:"true"`
	Throughput  int        `json:"throughput,omitempty"  hotupdatable:"true"`
	SourceCheck string     `json:"sourceCheck,omitempty" hotupdatable:"true"`
	Groups      []string   `json:"groups,omitempty"      hotupdatable:"true,set"`
	MachineType string     `json:"machineType,omitempty" hotupdatable:"inplace"`
	Roles       []string   `json:"roles,omitempty"       hotupdatable:"inplace,set"`
}

// client is the view of one update. What is broken is named.
type client struct {
	*drivertest.FakeCloud

	broken string
	rules  func(kind tags.Kind) (tags.Rules, error)
	cached []driver.Resource
	merged map[string]map[string]string // what the first attempt wrote, by resource
	class  *spec
}

type (
	kit        = driver.Kit[spec, *client]
	definition = driver.Definition[spec, *client]
	tagging    = driver.Tagging[spec, *client]
	group      = driver.AttributeGroup[spec, *client]
	set        = driver.Set[spec, *client]
)

func (c *client) is(broken string) bool { return c.broken == broken }

// wrapped is a driver around the kit.
type wrapped struct {
	*kit
	*client

	done map[string]machineupdate.HotSpec // by lane
}

func (w *wrapped) Driver() machineupdate.Driver {
	said := w.kit.Driver()
	said.ReadsFirst = !w.is("marked by the flow")
	return said
}

func (w *wrapped) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	key := request.Parts[0].Desired
	isRemembered := w.is("successes remembered") || w.is("successes of infrastructure tags remembered") && request.Lane == ""
	if isRemembered && w.done[request.Lane] == key {
		return nil
	}
	if w.is("marked by the flow") {
		request.BeforeWrite = func(context.Context) error { return nil }
	}
	if mark := request.BeforeWrite; w.is("failure of the marker ignored") {
		request.BeforeWrite = func(ctx context.Context) error {
			_ = mark(ctx)
			return nil
		}
	}
	err := w.kit.UpdateMachine(ctx, request)
	if err == nil {
		w.done[request.Lane] = key
		w.cached = nil
	}
	if partial, ok := errors.AsType[*machineupdate.PartialError](err); ok {
		isSet := strings.Contains(err.Error(), "Member vm") && w.is("failed sets are done")
		if isSet || w.is("what failed is done") {
			partial.Done = append(partial.Done, partial.NotDone...)
		}
	}
	if problem, ok := errors.AsType[*fault.Error](err); ok && w.is("cloud quoted") {
		return problem.Cause
	}
	return err
}

func (c *client) connect(ctx context.Context, request *machineupdate.UpdateMachineRequest, class *spec) (*client, error) {
	if request.ProviderID != "test:///i-1" || request.Machine != "m" {
		return nil, errors.New("another machine")
	}
	if c.class = class; c.is("written before the marker") {
		_ = c.Change(ctx, []string{"i-1"}, []tags.Tag{{Key: "seen", Value: "yes"}}, nil)
	}
	return c, nil
}

func (c *client) resources(ctx context.Context) ([]driver.Resource, error) {
	if c.is("reads cached") && c.cached != nil {
		return c.cached, nil
	}
	all, err := c.Resources(ctx)
	if err != nil && c.is("reads retried") {
		all, err = c.Resources(ctx)
	}
	switch {
	case err != nil && c.is("failed read taken for an empty one"):
		return nil, nil
	case err != nil:
		return nil, c.translated(err)
	case len(all) == 0 && c.is("no VM is a failure"):
		return nil, errors.New("there is no VM")
	}
	var own []driver.Resource
	for _, r := range all {
		isTheirs := r.Name != "" && r.Name != "/dev/sda" && !c.is("everything attached is its own")
		if isTheirs || r.Kind == tags.Disk && c.is("disks forgotten") {
			continue
		}
		if r.Kind == tags.Disk && c.is("infrastructure tags of disks not read") {
			r.Tags = nil
		}
		if c.is("only its own keys read") || c.is("only its own network tags read") && r.Kind == tags.Network {
			maps.DeleteFunc(r.Tags, func(key, _ string) bool { return key == "drivertest" })
		}
		if r.Attributes = c.readings(r.Attributes); c.is("attributes unknown taken for empty") {
			for _, name := range []string{"iops", "throughput", "sourceCheck"} {
				if _, isKnown := r.Attributes[name]; !isKnown {
					r.Attributes[name] = driver.Settled("")
				}
			}
		}
		if c.is("members of sets not read") {
			r.Sets = map[string][]string{"groups": nil, "roles": nil}
		}
		own = append(own, r)
	}
	c.cached = own
	return own, nil
}

// readings is what the driver makes of what the cloud says.
func (c *client) readings(said map[string]driver.Reading) map[string]driver.Reading {
	readings := map[string]driver.Reading{}
	for name, reading := range said {
		value := reading.Value()
		target := reading.Target()
		isFailed := reading.IsFailed()
		switch {
		case isFailed && c.is("failed state unknown"):
		case c.is("target not read"):
			readings[name] = driver.Settled(value)
		case c.is("target taken for the value"):
			readings[name] = driver.Settled(target)
		default:
			readings[name] = reading
		}
	}
	return readings
}

// translated is an error of the cloud as the driver understands it.
func (c *client) translated(err error) error {
	_, after := machineupdate.DriverErrorOf(err)
	hidesThrottling := errors.Is(err, machineupdate.ErrThrottled) && c.is("throttling not told")
	hidesRefusal := after > 0 && c.is("refusal not told")
	if errors.Is(err, drivertest.ErrOutdated) {
		return driver.Outdated(err)
	}
	if hidesThrottling || hidesRefusal {
		return errors.New(err.Error())
	}
	return err
}

func (c *client) change(ctx context.Context, ids []string, set, remove []tags.Tag) error {
	switch {
	case c.is("failures lost"):
		for _, id := range ids {
			_ = c.Change(ctx, []string{id}, set, remove)
		}
		return nil
	case c.is("context replaced"):
		var problems []error
		for _, id := range ids {
			problems = append(problems, c.Change(context.WithoutCancel(ctx), []string{id}, set, remove))
		}
		return errors.Join(problems...)
	case c.is("condition dropped") && len(remove) > 0:
		for i := range remove {
			remove[i].Value = ""
		}
	case c.is("own retries"):
		for range 3 {
			if c.Change(ctx, ids, set, remove) == nil {
				return nil
			}
		}
	case c.is("removed and set again") && len(set) > 0:
		if err := c.Change(ctx, ids, nil, []tags.Tag{{Key: "cluster"}}); err != nil {
			return err
		}
		set = append(set, tags.Tag{Key: "cluster", Value: c.class.Cluster})
	}
	err := c.Change(ctx, ids, set, remove)
	if errors.Is(err, machineupdate.ErrUnavailable) && c.is("no answer taken for a success") {
		return nil
	}
	return c.translated(err)
}

func (c *client) replace(ctx context.Context, r *driver.Resource, all map[string]string) error {
	version := r.Version
	if c.is("version read anew") {
		live, err := c.Resources(ctx)
		if err != nil {
			return err
		}
		for _, other := range live {
			if other.Kind == r.Kind && other.ID == r.ID {
				version = other.Version
			}
		}
	}
	if first := c.merged[r.ID]; first != nil {
		all = first
	}
	err := c.Replace(ctx, r.Kind, r.ID, version, all)
	isUnanswered := errors.Is(err, machineupdate.ErrUnavailable)
	switch {
	case isUnanswered && c.is("no answer taken for a success"):
		return nil
	case isUnanswered && c.is("any read after a lost answer taken for a success"):
		_, err = c.Resources(ctx)
	case isUnanswered && c.is("the first merge written again"):
		c.merged = map[string]map[string]string{r.ID: all}
	case isUnanswered && c.is("reads after a lost answer"):
		return c.translated(c.found(ctx, r, all, err))
	case err == nil:
		c.merged = nil
	}
	return c.translated(err)
}

// found returns nil if a read shows what was written.
func (c *client) found(ctx context.Context, r *driver.Resource, all map[string]string, failure error) error {
	live, err := c.Resources(ctx)
	for _, other := range live {
		if other.Kind == r.Kind && other.ID == r.ID && maps.Equal(other.Tags, all) {
			return err
		}
	}
	return errors.Join(failure, err)
}

func (c *client) project(s *spec, kind tags.Kind) map[string]string {
	if c.is("one kind for all") {
		kind = tags.VM
	}
	return s.Tags.Of(kind)
}

// tagging is that of a kind, after the cloud's own table.
func (c *client) tagging(kinds []tags.Kind) tagging {
	rules, _ := c.rules(kinds[0])
	if c.is("limit not known") {
		rules.MaxTags = 1000
	}
	if c.is("case counts") {
		rules.IgnoresCase = false
	}
	t := tagging{Kinds: kinds, Rules: rules, Project: c.project, Mandatory: func(class *spec, machine string) map[string]string {
		if c.is("another name") {
			return map[string]string{"cluster": machine}
		}
		if c.is("no mandatory key") {
			return nil
		}
		if rules.KeysOnly {
			return map[string]string{"cluster": ""}
		}
		return map[string]string{"cluster": class.Cluster}
	}}
	if rules.Guard == tags.GuardVersion {
		t.Replace = func(ctx context.Context, c *client, r *driver.Resource, all map[string]string) error {
			return c.replace(ctx, r, all)
		}
		return t
	}
	t.Set = func(ctx context.Context, c *client, ids []string, set []tags.Tag) error {
		return c.change(ctx, ids, set, nil)
	}
	t.Remove = func(ctx context.Context, c *client, ids []string, remove []tags.Tag) error {
		return c.change(ctx, ids, nil, remove)
	}
	return t
}

// groups are a volume's performance, which takes ten minutes to change, a setting that changes at once, and one that needs a drain.
func (c *client) groups() []group {
	of := func(kind tags.Kind, lane string, takes time.Duration, defaults map[string]string, values func(s *spec) map[string]string) group {
		return group{
			Attributes: driver.Attributes{Defaults: defaults}, Kind: kind, Lane: lane,
			Asynchronous: takes > 0 && !c.is("acceptance taken for success"),
			Project:      func(s *spec, _ *driver.Resource) map[string]string { return values(s) },
			Modify: func(ctx context.Context, c *client, r *driver.Resource, values map[string]string) error {
				err := c.translated(c.Modify(ctx, r.Kind, r.ID, values, takes))
				if c.is("failures lost") {
					return nil
				}
				return err
			},
		}
	}
	iops := func(s *spec) map[string]string { return map[string]string{"iops": number(s.IOPS)} }
	throughput := func(s *spec) map[string]string { return map[string]string{"throughput": number(s.Throughput)} }
	performance := []group{of(tags.Disk, "volume", 10*time.Minute, map[string]string{"iops": "3000", "throughput": "125"},
		func(s *spec) map[string]string {
			return map[string]string{"iops": number(s.IOPS), "throughput": number(s.Throughput)}
		})}
	if c.is("group taken apart") {
		performance = []group{
			of(tags.Disk, "volume", 10*time.Minute, map[string]string{"iops": "3000"}, iops),
			of(tags.Disk, "volume", 10*time.Minute, map[string]string{"throughput": "125"}, throughput),
		}
	}
	if c.is("refusals hold infrastructure tags") {
		performance[0].Lane = ""
	}
	if !c.is("marked by the flow") {
		performance = append(performance, of(tags.VM, "drain", 0, map[string]string{"machineType": ""}, func(s *spec) map[string]string {
			return map[string]string{"machineType": s.MachineType}
		}))
	}
	return append(performance,
		of(tags.VM, "", 0, map[string]string{"sourceCheck": "true"}, func(s *spec) map[string]string {
			return map[string]string{"sourceCheck": s.SourceCheck}
		}),
	)
}

// sets are security groups that a VM joins at once, and roles that need a drain.
func (c *client) sets() []set {
	of := func(name, lane string, members func(s *spec) []string) set {
		return set{
			Kind: tags.VM, Name: name, Lane: lane,
			Members: func(s *spec, _ *driver.Resource) []string { return members(s) },
			AddMember: func(ctx context.Context, c *client, r *driver.Resource, member string) error {
				return c.addMember(ctx, name, r, member)
			},
			RemoveMember: func(ctx context.Context, c *client, r *driver.Resource, member string) error {
				return c.removeMember(ctx, name, r, member)
			},
		}
	}
	all := []set{of("groups", "", func(s *spec) []string { return s.Groups })}
	if c.is("sets forgotten") {
		all = nil
	}
	if !c.is("marked by the flow") {
		all = append(all, of("roles", "drain", func(s *spec) []string { return s.Roles }))
	}
	return all
}

func (c *client) addMember(ctx context.Context, name string, r *driver.Resource, member string) error {
	if c.is("set emptied first") {
		for _, other := range r.Sets[name] {
			_ = c.RemoveMember(ctx, r.Kind, r.ID, name, other)
		}
		for _, other := range r.Sets[name] {
			_ = c.AddMember(ctx, r.Kind, r.ID, name, other)
		}
	}
	err := c.AddMember(ctx, r.Kind, r.ID, name, member)
	switch {
	case c.is("set written as a whole") && err == nil:
		for _, other := range r.Sets[name] {
			isWanted := slices.Contains(c.class.Groups, other) || slices.Contains(c.class.Roles, other)
			if !isWanted {
				_ = c.RemoveMember(ctx, r.Kind, r.ID, name, other)
			}
		}
	case errors.Is(err, drivertest.ErrMemberExists) && !c.is("refused for a member that is there"):
		return nil
	case err != nil && c.is("members tried twice"):
		return c.translated(c.AddMember(ctx, r.Kind, r.ID, name, member))
	case c.is("failures of sets lost") || c.is("failures lost"):
		return nil
	case errors.Is(err, machineupdate.ErrThrottled) && c.is("throttled members not told"):
		return errors.New(err.Error())
	}
	return c.translated(err)
}

func (c *client) removeMember(ctx context.Context, name string, r *driver.Resource, member string) error {
	if c.is("members not removed") {
		return nil
	}
	err := c.RemoveMember(ctx, r.Kind, r.ID, name, member)
	switch {
	case errors.Is(err, drivertest.ErrNoMember) && !c.is("refused for a member that is gone"):
		return nil
	case c.is("failures of sets lost") || c.is("failures lost"):
		return nil
	}
	return c.translated(err)
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (c *client) newDriver(schema *hotupdate.Schema, cloud tags.Cloud) (*wrapped, error) {
	c.rules = cloud.Rules
	taggings := []tagging{c.tagging(tags.Kinds())}
	switch cloud {
	case tags.GCP:
		taggings = []tagging{c.tagging([]tags.Kind{tags.VM, tags.Disk}), c.tagging([]tags.Kind{tags.Network})}
	case tags.OpenStack:
		taggings = []tagging{c.tagging([]tags.Kind{tags.VM}), c.tagging([]tags.Kind{tags.Disk})}
	case tags.AWS, tags.Azure, tags.AliCloud:
	}
	if c.is("cannot be made") {
		taggings = nil
	}
	lanes := []machineupdate.Lane{
		{Name: "volume", Paths: []string{"/iops", "/throughput"}}, {Name: "drain", Paths: []string{"/machineType", "/roles"}},
	}
	if c.is("refusals hold infrastructure tags") {
		lanes = lanes[1:]
	}
	if c.is("marked by the flow") {
		lanes = lanes[:1]
	}
	var sharing driver.Sharing[*client]
	if c.is("calls shared") {
		sharing = driver.Sharing[*client]{
			Key: func(*client) []string { return nil },
			Buckets: []driver.Bucket{
				{Name: "reads", Burst: 40, Refill: 20, Requests: map[string]int{"Resources": 1}},
				{Name: "writes", Burst: 40, Refill: 20, Requests: map[string]int{
					"Set": 1, "Remove": 1, "Replace": 1, "Modify disk": 1, "Modify": 1, "AddMember vm": 1, "RemoveMember": 1,
				}},
			},
			Resources: func(ctx context.Context, clients []*client, answer func(string, []driver.Resource)) error {
				own, err := clients[0].resources(ctx)
				if err == nil {
					answer("test:///i-1", own)
				}
				return err
			},
			MaxMachines: 195,
		}
	}
	kit, err := driver.New(definition{
		Schema: schema, Connect: c.connect,
		Resources: func(ctx context.Context, c *client) ([]driver.Resource, error) { return c.resources(ctx) },
		Tags:      taggings, Groups: c.groups(), Sets: c.sets(), Lanes: lanes, Wait: c.Wait, Sharing: sharing,
	})
	return &wrapped{kit: kit, client: c, done: map[string]machineupdate.HotSpec{}}, err
}
