package managers_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	runtimev1 "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pool is a MachineDeployment, or the control plane.
type pool struct {
	*testing.T
	*fixture

	name     string // the name of the MachineDeployment; empty for the control plane
	replicas int
	template infrav1.AWSMachineSpec
	changes  int
	before   map[string]types.UID // the machines before the last change
}

// deployment is a MachineDeployment with its templates.
const deployment = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: AWSMachineTemplate
metadata: {name: NAME-0}
spec: {template: {spec: {instanceType: m5.large, additionalTags: {team: a, cost: "1"}}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfigTemplate
metadata: {name: NAME-0}
spec: {template: {spec: {verbosity: 1}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: NAME}
spec:
  clusterName: c
  replicas: REPLICAS
  rollout: {strategy: {type: RollingUpdate, rollingUpdate: ROLLINGUPDATE}}
  template:
    spec:
      clusterName: c
      version: VERSION
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AWSMachineTemplate, name: NAME-0}
      bootstrap: BOOTSTRAP
`

// The parts in which MachineDeployments differ. With inPlaceStrategy, Cluster API updates every
// machine in place. With defaultStrategy, its default, it adds a machine first.
const (
	inPlaceStrategy = `{maxSurge: 0, maxUnavailable: 1}`
	defaultStrategy = `{}`
	ownBootstrap    = `{configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: NAME-0}}`
	userBootstrap   = `{dataSecretName: user-data}`
)

// deploy creates a MachineDeployment, unless it is the pool without a name.
func (f *fixture) deploy(t *testing.T, name string, replicas int, strategy, bootstrap string) *pool {
	t.Helper()
	p := &pool{T: t, fixture: f, name: name, replicas: replicas}
	p.template.InstanceType = "m5.large"
	p.template.AdditionalTags = infrav1.Tags{"team": "a", "cost": "1"}
	if name != "" {
		f.apply(t, strings.NewReplacer("NAME", name, "REPLICAS", strconv.Itoa(replicas), "VERSION", kubernetesVersion,
			"ROLLINGUPDATE", strategy, "BOOTSTRAP", strings.ReplaceAll(bootstrap, "NAME", name)).Replace(deployment))
	}
	return p
}

// settle waits until all machines are available, have the state of the template, and are known to
// the extension.
func (p *pool) settle() {
	p.Helper()
	require.NoError(p, attempt(p.unfinished), "pool %q", p.name)
	p.before = p.ids()
}

// machines returns the machines of the pool.
func (p *pool) machines() ([]clusterv1.Machine, error) {
	list := &clusterv1.MachineList{}
	selector := client.MatchingLabels{clusterv1.MachineDeploymentNameLabel: p.name}
	if p.name == "" {
		selector = client.MatchingLabels{clusterv1.MachineControlPlaneLabel: ""}
	}
	err := p.List(p.Context(), list, selector)
	return list.Items, err
}

// ids returns the UIDs of the machines, by name.
func (p *pool) ids() map[string]types.UID {
	p.Helper()
	all, err := p.machines()
	require.NoError(p, err)
	ids := map[string]types.UID{}
	for _, m := range all {
		ids[m.Name] = m.UID
	}
	return ids
}

// unfinished returns an error until all machines have the state of the template.
func (p *pool) unfinished() error {
	machines, err := p.machines()
	if err != nil || len(machines) != p.replicas {
		return fmt.Errorf("%d machines: %w", len(machines), err)
	}
	live := p.extensions.of(machines[0].Labels).cloud.Tags()
	for i := range machines {
		if err := p.differs(&machines[i], live); err != nil {
			return fmt.Errorf("%s: %w", machines[i].Name, err)
		}
	}
	return nil
}

// differs returns an error if a machine, its AWSMachine, its KubeadmConfig or its resources in EC2
// differ from the template, or while an update is in progress.
func (p *pool) differs(m *clusterv1.Machine, live map[string]map[string]string) error {
	aws := &infrav1.AWSMachine{}
	config := &bootstrapv1.KubeadmConfig{}
	err := p.Get(p.Context(), client.ObjectKeyFromObject(m), aws)
	if err == nil && m.Spec.Bootstrap.ConfigRef.IsDefined() {
		err = p.Get(p.Context(), client.ObjectKeyFromObject(m), config)
	}
	if err != nil {
		return err
	}
	for _, object := range []client.Object{m, aws, config} {
		for _, annotation := range []string{clusterv1.UpdateInProgressAnnotation, runtimev1.PendingHooksAnnotation} {
			if _, isUpdated := object.GetAnnotations()[annotation]; isUpdated {
				return fmt.Errorf("%T has the annotation %s", object, annotation)
			}
		}
	}
	want := map[string]string{"sigs.k8s.io/cluster-api-provider-aws/cluster/c": "owned"}
	maps.Copy(want, p.template.AdditionalTags)
	for _, prefix := range []string{"i-", "eni-", "vol-"} {
		if have := live[prefix+m.Name]; !maps.Equal(have, want) {
			return fmt.Errorf("%s%s has the tags %v, not %v", prefix, m.Name, have, want)
		}
	}
	switch {
	case !m.DeletionTimestamp.IsZero():
		return errors.New("is deleted")
	case !conditions.IsTrue(m, clusterv1.MachineAvailableCondition),
		!conditions.IsTrue(m, clusterv1.MachineUpToDateCondition):
		return fmt.Errorf("is not available and up to date: %+v", m.Status.Conditions)
	case aws.Spec.InstanceType != p.template.InstanceType,
		!maps.Equal(aws.Spec.AdditionalTags, p.template.AdditionalTags):
		return fmt.Errorf("AWSMachine has %s %v", aws.Spec.InstanceType, aws.Spec.AdditionalTags)
	case aws.Annotations["machine.sapcloud.io/hot-update"] == "":
		return errors.New("the extension does not know it")
	}
	return nil
}

// change changes the template.
func (p *pool) change(change func(*infrav1.AWSMachineSpec)) {
	p.Helper()
	change(&p.template)
	p.changes++
	template := &infrav1.AWSMachineTemplate{}
	template.Namespace = namespace
	template.Name = fmt.Sprintf("%s-%d", cmp.Or(p.name, "cp"), p.changes)
	template.Spec.Template.Spec = *p.template.DeepCopy()
	require.NoError(p, p.Create(p.Context(), template))
	if p.name != "" {
		p.patchDeployment(func(spec *clusterv1.MachineSpec) { spec.InfrastructureRef.Name = template.Name })
		return
	}
	controlPlane := &controlplanev1.KubeadmControlPlane{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: namespace, Name: "cp"}, controlPlane))
	before := client.MergeFrom(controlPlane.DeepCopy())
	controlPlane.Spec.MachineTemplate.Spec.InfrastructureRef.Name = template.Name
	require.NoError(p, p.Patch(p.Context(), controlPlane, before))
}

// patchDeployment changes the MachineDeployment.
func (p *pool) patchDeployment(change func(*clusterv1.MachineSpec)) {
	p.Helper()
	d := &clusterv1.MachineDeployment{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: namespace, Name: p.name}, d))
	before := client.MergeFrom(d.DeepCopy())
	change(&d.Spec.Template.Spec)
	require.NoError(p, p.Patch(p.Context(), d, before))
}

// expectInPlace expects that the machines are the same as before, have the state of the template,
// and had one finished update each.
func (p *pool) expectInPlace() {
	p.Helper()
	require.NoError(p, attempt(func() error {
		for machine := range p.before {
			unfinished := func(c call) bool { return c.machine != machine || !c.isDone }
			if done := slices.DeleteFunc(p.extensions.called(p.name, updateMachine), unfinished); len(done) != 1 {
				return fmt.Errorf("%s had %d updates", machine, len(done))
			}
		}
		return p.unfinished()
	}))
	require.Equal(p, p.before, p.ids())
}

// replaced returns an error unless all machines are replaced by others and none of them is updated
// in place.
func (p *pool) replaced() error {
	updates := len(p.extensions.called(p.name, updateMachine))
	var inPlace error
	last := attempt(func() error {
		machines, err := p.machines()
		for _, m := range machines {
			if _, isUpdated := m.Annotations[clusterv1.UpdateInProgressAnnotation]; isUpdated {
				inPlace = fmt.Errorf("%s is updated in place", m.Name)
				return nil
			}
			if p.before[m.Name] == m.UID {
				err = errors.Join(err, fmt.Errorf("%s was not replaced", m.Name))
			}
		}
		return errors.Join(err, p.unfinished())
	})
	if calls := p.extensions.called(p.name, updateMachine); len(calls) > updates {
		last = fmt.Errorf("UpdateMachine was called: %v", calls[updates:])
	}
	return errors.Join(inPlace, last)
}

// verdicts returns the messages of the extension about changes of the pool.
func (p *pool) verdicts(hook hook) (messages []string) {
	for _, c := range p.extensions.called(p.name, hook) {
		messages = append(messages, c.message)
	}
	slices.Sort(messages)
	return slices.Compact(messages)
}

// logged returns the first entry in a manager's log that contains the texts.
func (p *pool) logged(manager string, texts ...string) string {
	p.Helper()
	log, err := os.ReadFile(p.logs[manager])
	require.NoError(p, err)
	missing := func(entry string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(entry, text) })
	}
	entries := slices.DeleteFunc(regexp.MustCompile(`(?m)^[IWE]\d{4} `).Split(string(log), -1), missing)
	require.NotEmpty(p, entries, "%s has not logged %q", manager, texts)
	return entries[0]
}
