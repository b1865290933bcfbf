package extension_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hotupdate/providerconfig/examples/clusterapi/extension"
	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

type keys = map[string]string

// adopted makes a world whose machine was launched with the tags, and which the extension has adopted.
func adopted(t *testing.T, clusterTags, machineTags keys) *world.World {
	t.Helper()
	w := start(t, clusterTags, machineTags)
	require.NoError(t, w.Adopt(t.Context()))
	return w
}

// update sets the desired tags, and calls UpdateMachine until it is done.
func update(t *testing.T, w *world.World, desired keys) (took time.Duration) {
	t.Helper()
	require.NoError(t, w.Desire(t.Context(), desired))
	took, err := w.Finish(t.Context())
	require.NoError(t, err)
	return took
}

// step calls UpdateMachine once.
func step(t *testing.T, w *world.World) *hooksv1.UpdateMachineResponse {
	t.Helper()
	response, err := w.UpdateMachine(t.Context())
	require.NoError(t, err)
	return response
}

// checkTags checks that every resource of the machine has exactly these tags, and the provider's.
func checkTags(t *testing.T, w *world.World, want keys) {
	t.Helper()
	all := keys{"sigs.k8s.io/cluster-api-provider-aws/cluster/c": "owned"}
	maps.Copy(all, want)
	assert.Equal(t, map[string]map[string]string{"i-1": all, "eni-1": all, "vol-1": all}, w.Cloud.Tags())
}

// TestUpdateMachine: tags are added, changed and removed, although the request has only the desired tags.
func TestUpdateMachine(t *testing.T) {
	w := adopted(t, nil, keys{"team": "a", "cost": "1"})
	checkTags(t, w, keys{"team": "a", "cost": "1"})
	took := update(t, w, keys{"team": "b", "new": "1"})
	checkTags(t, w, keys{"team": "b", "new": "1"})
	assert.GreaterOrEqual(t, took, time.Minute, "a later read confirms the update")
	update(t, w, nil)
	checkTags(t, w, nil)
}

// TestProgress: an update is in progress until a later read has confirmed it. A machine with the
// right tags is done at once.
func TestProgress(t *testing.T) {
	w := adopted(t, nil, keys{"team": "a"})
	assert.Zero(t, step(t, w).RetryAfterSeconds)
	require.NoError(t, w.Desire(t.Context(), keys{"team": "b"}))
	first := step(t, w)
	assert.EqualValues(t, 60, first.RetryAfterSeconds)
	assert.Equal(t, "infrastructure tags: SpecChanged", first.Message)
	checkTags(t, w, keys{"team": "b"})
	w.Pass(30 * time.Second)
	assert.EqualValues(t, 30, step(t, w).RetryAfterSeconds)
	w.Pass(30 * time.Second)
	assert.Positive(t, step(t, w).RetryAfterSeconds, "the read that confirms")
	assert.Zero(t, step(t, w).RetryAfterSeconds)
}

// TestWithoutAdoption: a key that is removed before the machine has a record stays on the instance.
// So a controller should adopt machines when it first sees them.
func TestWithoutAdoption(t *testing.T) {
	w := start(t, nil, keys{"team": "a", "cost": "1"})
	update(t, w, keys{"team": "a"})
	checkTags(t, w, keys{"team": "a", "cost": "1"})
}

// TestAdoptionLeavesUpdatesAlone: while Cluster API updates a machine in place, only its hook changes the cloud.
func TestAdoptionLeavesUpdatesAlone(t *testing.T) {
	w := adopted(t, nil, keys{"team": "a"})
	require.NoError(t, w.Desire(t.Context(), keys{"team": "b"}))
	require.NoError(t, w.Adopt(t.Context()))
	checkTags(t, w, keys{"team": "a"})
}

// TestStaleCache: if the cache has an outdated AWSMachine, the desired state of the request counts.
// Writing the outdated object is a conflict.
func TestStaleCache(t *testing.T) {
	w := adopted(t, nil, keys{"team": "a"})
	request := &hooksv1.UpdateMachineRequest{}
	response := &hooksv1.UpdateMachineResponse{}
	request.Desired.InfrastructureMachine = object(infra, "AWSMachine", `{"instanceType":"m5.large","additionalTags":{"team":"b"}}`)
	w.Extension.UpdateMachine(t.Context(), request, response)
	assert.Equal(t, hooksv1.ResponseStatusSuccess, response.Status)
	assert.Positive(t, response.RetryAfterSeconds)
	checkTags(t, w, keys{"team": "b"})
}

// TestClusterTags: a key that is removed from the machine gets the cluster's value, also if both
// values are equal.
func TestClusterTags(t *testing.T) {
	cluster := keys{"env": "prod", "org": "x"}
	w := adopted(t, cluster, keys{"env": "dev", "org": "x"})
	checkTags(t, w, keys{"env": "dev", "org": "x"})
	update(t, w, nil)
	checkTags(t, w, cluster)
}

// TestThrottled: an update that is throttled, or gets no answer, is in progress, and continues later.
func TestThrottled(t *testing.T) {
	for _, kind := range []machineupdate.DriverError{machineupdate.ErrThrottled, machineupdate.ErrUnavailable} {
		w := adopted(t, nil, keys{"team": "a"})
		failing := 2
		w.Cloud.Fault = func(call string) error {
			if failing--; call == "CreateTags" && failing >= 0 {
				return kind
			}
			return nil
		}
		require.NoError(t, w.Desire(t.Context(), keys{"team": "b"}))
		assert.Positive(t, step(t, w).RetryAfterSeconds)
		_, err := w.Finish(t.Context())
		require.NoError(t, err)
		checkTags(t, w, keys{"team": "b"})
	}
}

// TestConflict: if another client writes the machine, the update is repeated. Nothing is sent to
// the cloud before.
func TestConflict(t *testing.T) {
	w := adopted(t, nil, keys{"team": "a"})
	require.NoError(t, w.Desire(t.Context(), keys{"team": "b"}))
	w.OnPatch = func(patch func() error) error {
		w.OnPatch = nil
		machine := &infrav1.AWSMachine{}
		require.NoError(t, w.Client.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "m"}, machine))
		machine.Annotations["others"] = "1"
		require.NoError(t, w.Client.Update(t.Context(), machine))
		return patch()
	}
	assert.Positive(t, step(t, w).RetryAfterSeconds)
	checkTags(t, w, keys{"team": "a"})
	_, err := w.Finish(t.Context())
	require.NoError(t, err)
	checkTags(t, w, keys{"team": "b"})
}

// TestFailure: a problem that does not pass by itself is a failure. The message does not show the
// cloud's text. The update succeeds after the problem is solved.
func TestFailure(t *testing.T) {
	w := adopted(t, nil, keys{"team": "a"})
	w.Cloud.Fault = func(call string) error {
		if call == "CreateTags" {
			return errors.New("AccessDenied for s3cr3t-value")
		}
		return nil
	}
	require.NoError(t, w.Desire(t.Context(), keys{"team": "s3cr3t-value"}))
	_, err := w.UpdateMachine(t.Context())
	require.ErrorContains(t, err, "AccessDenied")
	assert.NotContains(t, err.Error(), "s3cr3t")
	w.Cloud.Fault = nil
	w.Pass(time.Minute)
	_, err = w.Finish(t.Context())
	require.NoError(t, err)
	checkTags(t, w, keys{"team": "s3cr3t-value"})
}

// cloud is EC2 on the fake cloud of drivertest.
type cloud struct{ *drivertest.FakeCloud }

func (c cloud) Resources(ctx context.Context, _ string) ([]driver.Resource, error) {
	all, err := c.FakeCloud.Resources(ctx)
	return slices.DeleteFunc(all, func(r driver.Resource) bool { return r.ID == "pv" }), err
}

func (c cloud) CreateTags(ctx context.Context, resources []string, set []tags.Tag) error {
	return c.Change(ctx, resources, set, nil)
}

func (c cloud) DeleteTags(ctx context.Context, resources []string, remove []tags.Tag) error {
	return c.Change(ctx, resources, nil, remove)
}

// TestDriver runs the checks of drivertest. The volume pv belongs to a CSI driver.
func TestDriver(t *testing.T) {
	schema, err := extension.MachineSchema()
	require.NoError(t, err)
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	state := func(spec string, own keys) drivertest.State {
		return drivertest.State{Spec: spec, Resources: []driver.Resource{
			{Kind: tags.VM, ID: "i-1", Tags: own},
			{Kind: tags.Network, ID: "eni-1", Tags: own},
			{Kind: tags.Disk, ID: "vol-1", Tags: own},
			{Kind: tags.Disk, ID: "pv", Tags: keys{"team": "a"}},
		}}
	}
	drivertest.Check(t, drivertest.Setup{
		Rules: tags.AWS.Rules, Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "aws:///eu-west-1a/i-1"},
	},
		func(c *drivertest.FakeCloud) (*extension.Kit, error) {
			return extension.NewKit(cloud{c}, schema, rules, c.Wait)
		},
		state(`{"instanceType":"m5.large","additionalTags":{"team":"a"},"clusterTags":{"org":"x"}}`, keys{"org": "x", "team": "a"}),
		state(
			`{"instanceType":"m5.large","additionalTags":{"team":"b","cost":"1"},"clusterTags":{"org":"x"}}`,
			keys{"org": "x", "team": "b", "cost": "1"},
		),
		state(`{"instanceType":"m5.large","clusterTags":{"org":"x"}}`, keys{"org": "x"}),
	)
}
