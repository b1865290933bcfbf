package beside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// Spec is the provider spec of the tests' driver.
type Spec struct {
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	Kernel string            `json:"kernel,omitempty" hotupdatable:"inplace"`
}

// ClusterKey is the mandatory key, by which the driver finds its VMs.
const ClusterKey = "kubernetes.io/cluster/shoot"

// VM is a VM of the cloud.
type VM struct {
	fakecloud.Resource

	Machine, Kernel string
	initialized     bool
}

// Cloud is a cloud in memory that counts its calls.
type Cloud struct {
	Kernels     int
	Credentials map[string]int // calls by the token of the secret
	Latency     time.Duration  // of writes

	held                 sync.RWMutex // by Hold
	mutex                sync.Mutex
	vms                  map[string]*VM // by provider ID
	made                 int
	sets, removes, reads int
}

// NewCloud returns an empty cloud.
func NewCloud() *Cloud { return &Cloud{vms: map[string]*VM{}, Credentials: map[string]int{}} }

// Of returns the VMs of a machine, by provider ID.
func (c *Cloud) Of(machine string) map[string]VM {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := map[string]VM{}
	for id, v := range c.vms {
		if v.Machine == machine {
			copied := *v
			copied.Tags = maps.Clone(v.Tags)
			found[id] = copied
		}
	}
	return found
}

// TagsOf returns the tags of a machine's only VM, without the mandatory one.
func (c *Cloud) TagsOf(machine string) map[string]string {
	for _, v := range c.Of(machine) {
		delete(v.Tags, ClusterKey)
		return v.Tags
	}
	return nil
}

// Hold lets writes wait, in the middle of their update, until release is called. Reads go on.
func (c *Cloud) Hold() (release func()) {
	c.held.Lock()
	return c.held.Unlock
}

// Len returns the number of VMs.
func (c *Cloud) Len() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.vms)
}

// Calls returns the numbers of calls so far.
func (c *Cloud) Calls() (sets, removes, reads int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.sets, c.removes, c.reads
}

// Provider is the tests' driver: MCM's methods, and the kit.
type Provider struct {
	*driver.Kit[Spec, *session]

	cloud *Cloud
	rules tags.Rules
	// Creating is called before a VM is created or initialized, as drivers call Updater.Creating.
	Creating func(ctx context.Context, machine, class metav1.Object, providerSpec []byte)
	// Between is called after that, and before the VM exists. It may be nil.
	Between func(machine string, used *Spec)
	// Blind says that GetMachineStatus is not implemented.
	Blind bool
	// Unable is returned by updates, unless it is nil.
	Unable error
}

// session is the access to the cloud for one update.
type session struct {
	cloud *Cloud
	id    string
}

// NewProvider returns a driver of a cloud.
func NewProvider(schema *hotupdate.Schema, c *Cloud) (*Provider, error) {
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	p := &Provider{cloud: c, rules: rules, Creating: func(context.Context, metav1.Object, metav1.Object, []byte) {}}
	p.Kit, err = driver.New(driver.Definition[Spec, *session]{
		Schema: schema,
		Connect: func(_ context.Context, r *machineupdate.UpdateMachineRequest, _ *Spec) (*session, error) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.Credentials[string(r.Secret["token"])]++
			return &session{c, r.ProviderID}, nil
		},
		Resources: resources,
		Tags: []driver.Tagging[Spec, *session]{{
			Kinds: []tags.Kind{tags.VM}, Rules: rules,
			Set: func(_ context.Context, s *session, _ []string, set []tags.Tag) error {
				return s.change(&c.sets, fakecloud.Call{Set: set})
			},
			Remove: func(_ context.Context, s *session, _ []string, remove []tags.Tag) error {
				return s.change(&c.removes, fakecloud.Call{Remove: remove})
			},
			Project:   func(s *Spec, _ tags.Kind) map[string]string { return rules.Effective(s.Tags, nil, nil) },
			Mandatory: func(*Spec, string) map[string]string { return map[string]string{ClusterKey: "1"} },
		}},
		Groups: []driver.AttributeGroup[Spec, *session]{{
			Attributes: driver.Attributes{Defaults: map[string]string{"kernel": ""}}, Kind: tags.VM, Lane: "kernel",
			Modify: modifyKernel,
			Project: func(s *Spec, _ *driver.Resource) map[string]string {
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
		Kind: tags.VM, ID: s.id, Tags: maps.Clone(v.Tags),
		Attributes: map[string]driver.Reading{"kernel": driver.Settled(v.Kernel)},
	}}, nil
}

func (s *session) write(do func(c *Cloud, v *VM) error) error {
	time.Sleep(s.cloud.Latency)
	s.cloud.held.RLock()
	defer s.cloud.held.RUnlock()
	s.cloud.mutex.Lock()
	defer s.cloud.mutex.Unlock()
	if v := s.cloud.vms[s.id]; v != nil {
		return do(s.cloud, v)
	}
	return machineupdate.ErrNotFound
}

// change is a call that changes infrastructure tags, and counts.
func (s *session) change(calls *int, call fakecloud.Call) error {
	return s.write(func(_ *Cloud, v *VM) error {
		*calls++
		return fakecloud.Change(call, &v.Resource)
	})
}

func modifyKernel(_ context.Context, s *session, _ *driver.Resource, values map[string]string) error {
	return s.write(func(c *Cloud, v *VM) error {
		c.Kernels++
		v.Kernel = values["kernel"]
		return nil
	})
}

// UpdateMachine calls the kit, unless the driver is unable.
func (p *Provider) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if p.Unable != nil {
		return p.Unable
	}
	return p.Kit.UpdateMachine(ctx, request)
}

// Errors of GetMachineStatus.
var (
	ErrNotFound      = errors.New("no such VM")
	ErrUninitialized = errors.New("the VM is not initialized")
	ErrUnimplemented = errors.New("not implemented")
)

// GetMachineStatus finds a VM by the name of its machine.
func (p *Provider) GetMachineStatus(machine string) (providerID string, err error) {
	if p.Blind {
		return "", ErrUnimplemented
	}
	for id, v := range p.cloud.Of(machine) {
		if !v.initialized {
			return id, ErrUninitialized
		}
		return id, nil
	}
	return "", ErrNotFound
}

// CreateMachine makes a VM, also if there is one.
func (p *Provider) CreateMachine(
	ctx context.Context, machine, class metav1.Object, providerSpec []byte,
) (string, error) {
	p.Creating(ctx, machine, class, providerSpec)
	var s Spec
	if err := json.Unmarshal(providerSpec, &s); err != nil {
		return "", err
	}
	if p.Between != nil {
		p.Between(machine.GetName(), &s)
	}
	p.cloud.mutex.Lock()
	defer p.cloud.mutex.Unlock()
	id := fmt.Sprintf("test:///%s/%d", machine.GetName(), p.cloud.made)
	p.cloud.made++
	made := &VM{Machine: machine.GetName(), Kernel: s.Kernel}
	made.Rules = p.rules
	made.Tags = map[string]string{ClusterKey: "1"}
	maps.Copy(made.Tags, s.Tags)
	p.cloud.vms[id] = made
	return id, nil
}

// InitializeMachine initializes the VMs of a machine.
func (p *Provider) InitializeMachine(ctx context.Context, machine, class metav1.Object, providerSpec []byte) {
	p.Creating(ctx, machine, class, providerSpec)
	p.cloud.mutex.Lock()
	defer p.cloud.mutex.Unlock()
	for _, v := range p.cloud.vms {
		v.initialized = v.initialized || v.Machine == machine.GetName()
	}
}

// DeleteMachine deletes the VMs of a machine.
func (p *Provider) DeleteMachine(machine string) {
	p.cloud.mutex.Lock()
	defer p.cloud.mutex.Unlock()
	maps.DeleteFunc(p.cloud.vms, func(_ string, v *VM) bool { return v.Machine == machine })
}
