package extension

import (
	"context"
	"maps"
	"path"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// EC2 has the calls of Amazon EC2 for updates. The driver in examples/drivers/awsdriver makes these
// calls with Amazon's SDK. The error of a throttled call wraps [machineupdate.ErrThrottled].
type EC2 interface {
	// Resources returns the instance, and the interfaces and volumes that are deleted with it, with
	// their tags. It leaves out resources of CNI and CSI drivers. It returns nothing if the
	// instance is gone.
	Resources(ctx context.Context, instanceID string) ([]driver.Resource, error)
	CreateTags(ctx context.Context, resources []string, set []tags.Tag) error
	// DeleteTags removes tags that still have this value.
	DeleteTags(ctx context.Context, resources []string, remove []tags.Tag) error
}

// Kit updates the tags of an instance and of the resources that are deleted with it.
type Kit = driver.Kit[MachineSpec, *session]

// session is one update of one machine.
type session struct {
	EC2

	instanceID string
}

// NewKit makes the driver. Wait is nil except in tests.
func NewKit(
	ec2 EC2, schema *hotupdate.Schema, rules tags.Rules, wait func(ctx context.Context, d time.Duration) error,
) (*Kit, error) {
	return driver.New(driver.Definition[MachineSpec, *session]{
		Schema: schema, Wait: wait,
		Connect: func(
			_ context.Context, request *machineupdate.UpdateMachineRequest, _ *MachineSpec,
		) (*session, error) {
			return &session{ec2, path.Base(request.ProviderID)}, nil // aws:///eu-west-1a/i-1
		},
		Resources: func(ctx context.Context, s *session) ([]driver.Resource, error) {
			return s.Resources(ctx, s.instanceID)
		},
		Tags: []driver.Tagging[MachineSpec, *session]{{
			Kinds: tags.Kinds(), Rules: rules,
			Project:   func(spec *MachineSpec, _ tags.Kind) map[string]string { return spec.AdditionalTags },
			Mandatory: func(class *MachineSpec, _ string) map[string]string { return class.inherited() },
			Set: func(ctx context.Context, s *session, resources []string, set []tags.Tag) error {
				return s.CreateTags(ctx, resources, set)
			},
			Remove: func(ctx context.Context, s *session, resources []string, remove []tags.Tag) error {
				return s.DeleteTags(ctx, resources, remove)
			},
		}},
	})
}

// inherited returns the tags that a machine gets from its cluster.
func (s *MachineSpec) inherited() map[string]string {
	all := maps.Clone(s.ClusterTags)
	maps.DeleteFunc(all, func(key, _ string) bool { _, own := s.AdditionalTags[key]; return own })
	return all
}
