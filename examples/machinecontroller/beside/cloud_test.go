package beside_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// spec is the provider spec of the tests' driver.
type spec struct {
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	Kernel string            `json:"kernel,omitempty" hotupdatable:"inplace"`
}

// clusterKey is the mandatory key, by which the driver finds its VMs.
const clusterKey = "kubernetes.io/cluster/shoot"

// vm is a VM of the cloud.
type vm struct {
	machine, kernel string
	tags            map[string]string
	initialized     bool
}

// cloud is a cloud in memory that counts its calls.
type cloud struct {
	mutex                sync.Mutex
	vms                  map[string]*vm // by provider ID
	sets, removes, reads int
	kernels              int
	credentials          map[string]int // calls by the token of the secret
	latency              time.Duration
}

func newCloud() *cloud { return &cloud{vms: map[string]*vm{}, credentials: map[string]int{}} }

// of returns the VMs of a machine, by provider ID.
func (c *cloud) of(machine string) map[string]vm {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := map[string]vm{}
	for id, v := range c.vms {
		if v.machine == machine {
			copied := *v
			copied.tags = maps.Clone(v.tags)
			found[id] = copied
		}
	}
	return found
}

// tagsOf returns the tags of a machine's only VM, without the mandatory one.
func (c *cloud) tagsOf(machine string) map[string]string {
	for _, v := range c.of(machine) {
		delete(v.tags, clusterKey)
		return v.tags
	}
	return nil
}

// calls returns the numbers of calls so far.
func (c *cloud) calls() (sets, removes, reads int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.sets, c.removes, c.reads
}

// provider is the tests' driver: MCM's methods, and the kit.
type provider struct {
	*driver.Kit[spec, *session]

	cloud *cloud
	// creating is called before a VM is created or initialized, as drivers call Updater.Creating.
	creating func(ctx context.Context, machine, class metav1.Object, providerSpec []byte)
	// between is called after that, and before the VM exists. It may be nil.
	between func(machine string)
	// blind says that GetMachineStatus is not implemented.
	blind bool
	// unable is returned by updates, unless it is nil.
	unable error
}

// session is the access to the cloud for one update.
type session struct {
	cloud *cloud
	id    string
}

func newProvider(schema *hotupdate.Schema, c *cloud) (*provider, error) {
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	p := &provider{cloud: c, creating: func(context.Context, metav1.Object, metav1.Object, []byte) {}}
	p.Kit, err = driver.New(driver.Definition[spec, *session]{
		Schema: schema,
		Connect: func(_ context.Context, r *machineupdate.UpdateMachineRequest, _ *spec) (*session, error) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.credentials[string(r.Secret["token"])]++
			return &session{c, r.ProviderID}, nil
		},
		Resources: resources,
		Tags: []driver.Tagging[spec, *session]{{
			Kinds: []tags.Kind{tags.VM}, Rules: rules, Set: setTags, Remove: removeTags,
			Project:   func(s *spec, _ tags.Kind) map[string]string { return rules.Effective(s.Tags, nil, nil) },
			Mandatory: func(*spec, string) map[string]string { return map[string]string{clusterKey: "1"} },
		}},
		Groups: []driver.Group[spec, *session]{{
			Attributes: driver.Attributes{Defaults: map[string]string{"kernel": ""}}, Kind: tags.VM, Lane: "kernel",
			Modify: modifyKernel,
			Project: func(s *spec, _ *driver.Resource) map[string]string {
				return map[string]string{"kernel": s.Kernel}
			},
		}},
		Lanes: []machineupdate.Lane{{Name: "kernel", Paths: []string{"/kernel"}}},
	})
	return p, err
}

func resources(_ context.Context, s *session) ([]driver.Resource, error) {
	s.cloud.mutex.Lock()
	defer s.cloud.mutex.Unlock()
	s.cloud.reads++
	v := s.cloud.vms[s.id]
	if v == nil {
		return nil, nil
	}
	return []driver.Resource{{
		Kind: tags.VM, ID: s.id, Tags: maps.Clone(v.tags),
		Attributes: map[string]driver.Reading{"kernel": driver.Done(v.kernel)},
	}}, nil
}

func (s *session) write(do func(c *cloud, v *vm)) error {
	time.Sleep(s.cloud.latency)
	s.cloud.mutex.Lock()
	defer s.cloud.mutex.Unlock()
	if v := s.cloud.vms[s.id]; v != nil {
		do(s.cloud, v)
		return nil
	}
	return machineupdate.ErrNotFound
}

func setTags(_ context.Context, s *session, _ []string, set []tags.Tag) error {
	return s.write(func(c *cloud, v *vm) {
		c.sets++
		for _, tag := range set {
			v.tags[tag.Key] = tag.Value
		}
	})
}

func removeTags(_ context.Context, s *session, _ []string, remove []tags.Tag) error {
	return s.write(func(c *cloud, v *vm) {
		c.removes++
		for _, tag := range remove {
			if v.tags[tag.Key] == tag.Value {
				delete(v.tags, tag.Key)
			}
		}
	})
}

func modifyKernel(_ context.Context, s *session, _ *driver.Resource, values map[string]string) error {
	return s.write(func(c *cloud, v *vm) {
		c.kernels++
		v.kernel = values["kernel"]
	})
}

// UpdateMachine is that of the kit, unless the driver is unable.
func (p *provider) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if p.unable != nil {
		return p.unable
	}
	return p.Kit.UpdateMachine(ctx, request)
}

var (
	errNotFound      = errors.New("no such VM")
	errUninitialized = errors.New("the VM is not initialized")
	errUnimplemented = errors.New("not implemented")
)

// getMachineStatus finds a VM by the name of its machine.
func (p *provider) getMachineStatus(machine string) (providerID string, err error) {
	if p.blind {
		return "", errUnimplemented
	}
	for id, v := range p.cloud.of(machine) {
		if !v.initialized {
			return id, errUninitialized
		}
		return id, nil
	}
	return "", errNotFound
}

// createMachine makes a VM, also if there is one.
func (p *provider) createMachine(ctx context.Context, machine *api.Machine, class *api.MachineClass) (string, error) {
	p.creating(ctx, machine, class, class.ProviderSpec.Raw)
	if p.between != nil {
		p.between(machine.Name)
	}
	var s spec
	if err := json.Unmarshal(class.ProviderSpec.Raw, &s); err != nil {
		return "", err
	}
	p.cloud.mutex.Lock()
	defer p.cloud.mutex.Unlock()
	id := fmt.Sprintf("test:///%s/%d", machine.Name, len(p.cloud.vms))
	made := &vm{machine: machine.Name, kernel: s.Kernel, tags: map[string]string{clusterKey: "1"}}
	maps.Copy(made.tags, s.Tags)
	p.cloud.vms[id] = made
	return id, nil
}

func (p *provider) initializeMachine(ctx context.Context, machine *api.Machine, class *api.MachineClass) {
	p.creating(ctx, machine, class, class.ProviderSpec.Raw)
	p.cloud.mutex.Lock()
	defer p.cloud.mutex.Unlock()
	for _, v := range p.cloud.vms {
		v.initialized = v.initialized || v.machine == machine.Name
	}
}

func (p *provider) deleteMachine(machine string) {
	p.cloud.mutex.Lock()
	defer p.cloud.mutex.Unlock()
	maps.DeleteFunc(p.cloud.vms, func(_ string, v *vm) bool { return v.machine == machine })
}
