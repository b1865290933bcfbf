package gcp_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

type object = metav1.PartialObjectMetadata

// vm is a VM of Compute Engine, whose service account changes while it is stopped.
type vm struct {
	account string
	labels  map[string]string
	calls   []string
}

// newKit makes a driver for labels, and with a lane also for service accounts.
func newKit(t *testing.T, v *vm, lanes ...machineupdate.Lane) *driver.Kit[gcp.ProviderSpec, *vm] {
	t.Helper()
	schema, err := gcp.ProviderSpecSchema()
	require.NoError(t, err)
	rules, err := tags.GCP.Rules(tags.VM)
	require.NoError(t, err)
	d := driver.Definition[gcp.ProviderSpec, *vm]{
		Schema: schema, Lanes: lanes,
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *gcp.ProviderSpec) (*vm, error) {
			return v, nil
		},
		Resources: func(_ context.Context, v *vm) ([]driver.Resource, error) {
			return []driver.Resource{{Kind: tags.VM, ID: "m", Tags: v.labels, Attributes: map[string]driver.Reading{"serviceAccount": driver.Done(v.account)}}}, nil
		},
		Tags: []driver.Tagging[gcp.ProviderSpec, *vm]{{
			Kinds: []tags.Kind{tags.VM}, Rules: rules,
			Project: func(spec *gcp.ProviderSpec, kind tags.Kind) map[string]string {
				labels, _ := spec.TagsOf(kind)
				return labels
			},
			Replace: func(_ context.Context, v *vm, _ *driver.Resource, all map[string]string) error {
				v.labels, v.calls = all, append(v.calls, "setLabels")
				return nil
			},
		}},
	}
	for _, lane := range lanes {
		d.Groups = append(d.Groups, driver.Group[gcp.ProviderSpec, *vm]{
			Attributes: driver.Attributes{Defaults: map[string]string{"serviceAccount": ""}}, Kind: tags.VM, Lane: lane.Name,
			Project: func(spec *gcp.ProviderSpec, _ *driver.Resource) map[string]string {
				if len(spec.ServiceAccounts) == 0 {
					return nil
				}
				return map[string]string{"serviceAccount": accountOf(spec)}
			},
			Modify: func(_ context.Context, v *vm, _ *driver.Resource, values map[string]string) error {
				v.account, v.calls = values["serviceAccount"], append(v.calls, "stop, setServiceAccount, start")
				return nil
			},
		})
	}
	kit, err := driver.New(d)
	require.NoError(t, err)
	return kit
}

func accountOf(spec *gcp.ProviderSpec) string {
	return spec.ServiceAccounts[0].Email + " " + strings.Join(spec.ServiceAccounts[0].Scopes, " ")
}

// story is an in-place update of one machine from one WorkerConfig to another.
type story struct {
	*testing.T

	vm       vm
	classes  [2]*machineupdate.Prepared // before and after
	executor machineupdate.Executor[*object]
	machine  *object
	phase    string
	now      time.Time
	pool     inplace.MachineDeployment
}

// newStory creates the machine before the change.
func newStory(t *testing.T, pools [2]*gardener.WorkerPool, lanes ...machineupdate.Lane) *story {
	t.Helper()
	s := &story{T: t, phase: "Running", now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	s.machine = &object{ObjectMeta: metav1.ObjectMeta{Name: "m", ResourceVersion: "1"}}
	kit := newKit(t, &s.vm, lanes...)
	s.executor = machineupdate.Executor[*object]{Patch: s.patch, UpdateMachine: kit.UpdateMachine, Now: func() time.Time { return s.now }}
	for i, pool := range pools {
		s.classes[i] = s.prepare(pool, kit.Driver())
	}
	creation, result := s.executor.BeginCreation(
		t.Context(), machineupdate.Observation[*object]{Machine: s.machine, Class: s.classes[0]}, s.class(pools[0]))
	require.NoError(t, result.Err)
	before := s.spec(pools[0])
	s.vm.account = accountOf(before)
	labels, err := before.TagsOf(tags.VM)
	require.NoError(t, err)
	s.vm.labels = labels
	require.NoError(t, s.executor.FinishCreation(t.Context(), creation, s.machine, "gce:///p/z/m").Err)
	s.pool = inplace.MachineDeployment{
		Target: "after", Revision: 2, Strategy: pools[1].UpdateStrategy, Replicas: 1, MaxUnavailable: intstr.FromInt(1),
		Machines: []inplace.Machine{{Name: "m", Owner: "before", Phase: s.phase, Available: true, Node: &inplace.Node{}}},
	}
	return s
}

func (s *story) spec(pool *gardener.WorkerPool) *gcp.ProviderSpec {
	s.Helper()
	p, err := gcp.NewPool(pool)
	require.NoError(s, err)
	spec, err := gcp.NewProviderSpec(p, infrastructure())
	require.NoError(s, err)
	return spec
}

// prepare reads the MachineClass of a pool.
func (s *story) prepare(pool *gardener.WorkerPool, d machineupdate.Driver) *machineupdate.Prepared {
	s.Helper()
	schema, err := gcp.ProviderSpecSchema()
	require.NoError(s, err)
	class, _, err := new(machineupdate.Classes).Prepare(s.class(pool), schema, d)
	require.NoError(s, err)
	return class
}

// class makes the MachineClass of a pool.
func (s *story) class(pool *gardener.WorkerPool) machineupdate.MachineClass {
	s.Helper()
	name, err := gcp.GenerateWorkerPoolHash(pool)
	require.NoError(s, err)
	raw, err := json.Marshal(s.spec(pool))
	require.NoError(s, err)
	return machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "md-" + name.Text}, ProviderSpec: raw}
}

// patch is an API server with one machine.
func (s *story) patch(_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*object, error) {
	s.machine = s.machine.DeepCopy()
	err := json.Unmarshal(data, s.machine) // a merge patch of annotations that removes none
	s.machine.ResourceVersion += "1"
	return s.machine, err
}

func (s *story) observation() machineupdate.Observation[*object] {
	return machineupdate.Observation[*object]{Machine: s.machine, ProviderID: "gce:///p/z/m", Phase: s.phase, Class: s.classes[1], Former: s.classes[0]}
}

// reconcile lets time pass and reconciles the machine.
func (s *story) reconcile(after time.Duration) {
	s.Helper()
	s.now = s.now.Add(after)
	require.NoError(s, s.executor.Reconcile(s.Context(), s.observation()).Err)
}

// node returns the machine's node for the gate.
func (s *story) node(context.Context) (machineupdate.DrainedNode, error) {
	return machineupdate.DrainedNode{UID: "node", Drained: s.now, Unschedulable: s.pool.Machines[0].Node.Unschedulable}, nil
}

// next takes and returns one step of the rollout.
func (s *story) next() inplace.Action {
	s.Helper()
	m := &s.pool.Machines[0]
	observed := s.observation()
	m.InPlace, m.Phase = observed.InPlace(), s.phase
	selection, err := inplace.Select(s.pool)
	require.NoError(s, err)
	s.pool.Record = selection.Record
	if len(selection.Select) > 0 {
		m.Node.Labels[inplace.SelectedLabel] = "true"
	}
	step, err := inplace.Next(s.pool, *m)
	require.NoError(s, err)
	switch step.Do {
	case inplace.WriteNode, inplace.SetCondition:
		m.Node = step.Node
	case inplace.Drain:
		m.Node, s.phase, m.Available = step.Node, "InPlaceUpdating", false
	case inplace.Apply:
		result, _ := s.executor.ApplyInPlace(s.Context(), observed, s.node)
		require.NoError(s, result.Err)
	case inplace.Transfer:
		m.Owner = s.pool.Target
	case inplace.Wait:
		if s.now = s.now.Add(time.Hour); m.Node.IsReadyForUpdate() {
			m.Node, s.phase = m.Node.WithSuccess(), "InPlaceUpdateSuccessful" // by the node agent
		}
	case inplace.Done, inplace.Blocked:
	}
	return step.Do
}

// accounts returns a pool before and after a change of its service account and of an infrastructure tag.
func accounts(t *testing.T) (pools [2]*gardener.WorkerPool) {
	t.Helper()
	minor, secret := "1.37.0", "gardener-node-agent-pool-1"
	for i, name := range []string{"before", "after"} {
		text, err := os.ReadFile("testdata/inplace/" + name + ".yaml")
		require.NoError(t, err)
		raw, err := yaml.YAMLToJSON(text)
		require.NoError(t, err)
		pools[i] = &gardener.WorkerPool{
			Name: "pool", NodeAgentSecretName: &secret, KubernetesVersion: &minor, UpdateStrategy: hotupdate.AutoInPlaceUpdate, MachineType: "n1",
			Volume: &gardener.Volume{Size: "20Gi"}, ProviderConfig: &runtime.RawExtension{Raw: raw},
		}
	}
	return pools
}

// TestServiceAccountIsUpdatedInPlace: Schema, hash, decision, drain, call and record of one change agree.
func TestServiceAccountIsUpdatedInPlace(t *testing.T) {
	pools := accounts(t)
	schema, err := gcp.Schema()
	require.NoError(t, err)
	changes, err := schema.DiffRaw(pools[0].RawConfig(), pools[1].RawConfig())
	require.NoError(t, err)
	assert.Equal(t, hotupdate.InPlaceUpdate, changes.Outcome(hotupdate.AutoInPlaceUpdate))

	s := newStory(t, pools, machineupdate.Lane{Name: "in-place", Paths: []string{"/serviceAccounts"}})
	before, err := gcp.GenerateWorkerPoolHash(pools[0])
	require.NoError(t, err)
	after, err := gcp.GenerateWorkerPoolHash(pools[1])
	require.NoError(t, err)
	assert.NotEqual(t, before, after, "another class, and so another MachineSet")

	s.reconcile(time.Minute)
	s.reconcile(time.Hour)
	assert.Equal(t, []string{"setLabels"}, s.vm.calls, "outside of the drain the hot part alone is updated")
	assert.Equal(t, "2000", s.vm.labels["cost-center"])
	observed := s.observation()
	require.Equal(t, machineupdate.InPlacePending, observed.InPlace())

	var steps []inplace.Action
	for step := s.next(); step != inplace.Done; step = s.next() {
		if s.reconcile(time.Minute); step != inplace.WriteNode {
			steps = append(steps, step)
		}
		require.Less(t, len(steps), 20, "%v", steps)
		observed = s.observation()
		if step == inplace.Transfer {
			require.Equal(t, machineupdate.InPlaceApplied, observed.InPlace(), "a machine changes its owner with what it should be")
			require.Equal(t, accountOf(s.spec(pools[1])), s.vm.account)
		}
	}
	assert.Equal(t, []string{"setLabels", "stop, setServiceAccount, start"}, s.vm.calls)
	assert.Equal(t, []inplace.Action{
		inplace.SetCondition, // a candidate
		inplace.SetCondition, // selected
		inplace.Drain,
		inplace.Apply,
		inplace.SetCondition, // ready for the node agent
		inplace.Wait,
		inplace.SetCondition, // successful
		inplace.Transfer,
	}, steps)
	assert.Equal(t, "after", s.pool.Machines[0].Owner)
}

// TestDriverWithoutServiceAccounts: a driver that cannot apply the change is found before nodes are selected.
func TestDriverWithoutServiceAccounts(t *testing.T) {
	s := newStory(t, accounts(t))
	s.reconcile(time.Minute)
	observed := s.observation()
	require.Equal(t, machineupdate.InPlaceUnable, observed.InPlace())
	var last inplace.Action
	for range 10 {
		last = s.next()
	}
	assert.Equal(t, inplace.Blocked, last)
	assert.False(t, s.pool.Machines[0].Node.Unschedulable)
	assert.Empty(t, s.pool.Machines[0].Node.Labels[inplace.SelectedLabel])
	selection, err := inplace.Select(s.pool)
	require.NoError(t, err)
	assert.Contains(t, selection.Progress[inplace.Failed], "m")
}
