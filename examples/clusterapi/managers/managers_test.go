// Package managers_test runs the extension of the example with Cluster API's own managers, on a
// kube-apiserver. It is a module of its own, because it takes minutes to compile.
package managers_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hotupdate/providerconfig/examples/clusterapi/extension"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// fast is the speed of the clock of most extensions: a minute takes three seconds.
const fast = 20

// retag changes a tag, adds one and removes one.
func retag(spec *infrav1.AWSMachineSpec) {
	spec.AdditionalTags = infrav1.Tags{"team": "b", "new": "1"}
}

func resize(spec *infrav1.AWSMachineSpec) { spec.InstanceType = "m5.xlarge" }

func retagAndResize(spec *infrav1.AWSMachineSpec) {
	retag(spec)
	resize(spec)
}

// scenarios are pools, each with a change and a check of what follows. The pool without a name is
// the control plane.
var scenarios = []struct {
	name      string
	replicas  int
	strategy  string
	bootstrap string
	change    func(*infrav1.AWSMachineSpec) // of the template; nil is none
	check     func(*pool)
}{
	{"real", 1, inPlaceStrategy, ownBootstrap, retag, (*pool).expectInPlace}, // on the real clock
	{"tags", 2, inPlaceStrategy, ownBootstrap, retag, checkTags},
	{"type", 2, inPlaceStrategy, ownBootstrap, resize, checkReplaced},
	{"mixed", 2, inPlaceStrategy, ownBootstrap, retagAndResize, checkMixed},
	{"mutant", 1, inPlaceStrategy, ownBootstrap, resize, checkMutant},
	{"default", 3, defaultStrategy, ownBootstrap, retag, checkDefaultStrategy},
	{"crash", 1, inPlaceStrategy, ownBootstrap, retag, checkCrash},
	{"throttled", 1, inPlaceStrategy, ownBootstrap, retag, checkThrottled},
	{"ignored", 2, inPlaceStrategy, ownBootstrap, nil, checkIgnored},
	{"user", 1, inPlaceStrategy, userBootstrap, retag, checkUserBootstrap},
	{"", 3, "", "", retag, checkControlPlane},
}

// TestManagers changes all pools at the same time. They share a cluster and the managers.
func TestManagers(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	mutant, err := extension.MachineSchema(hotupdate.WithTag("instanceType", "true"))
	require.NoError(t, err)
	f := start(t, map[string]*replica{
		"":          {speed: fast},
		"real":      {speed: 1},
		"mutant":    {speed: fast, machines: mutant},
		"throttled": {speed: fast, refusals: 5},
		"crash":     {speed: fast, crashes: []string{"CreateTags", "DeleteTags"}},
	})
	pools := map[string]*pool{}
	for _, s := range scenarios {
		pools[s.name] = f.deploy(t, s.name, s.replicas, s.strategy, s.bootstrap)
	}
	for _, s := range scenarios {
		pools[s.name].settle()
		if s.change != nil {
			pools[s.name].change(s.change)
		}
	}
	for _, s := range slices.Backward(scenarios) {
		t.Run(cmp.Or(s.name, "control plane"), func(t *testing.T) {
			pools[s.name].T = t
			s.check(pools[s.name])
		})
	}
}

// checkTags: tags change on running machines.
func checkTags(p *pool) {
	p.expectInPlace()
	assert.Equal(p, []string{""}, p.verdicts(canUpdateMachineSet))
}

// checkReplaced: all machines are replaced.
func checkReplaced(p *pool) { require.NoError(p, p.replaced()) }

// checkMixed: the machines are replaced because of the instance type alone.
func checkMixed(p *pool) {
	checkReplaced(p)
	verdict := "replaces machines: AWSMachineTemplate: instanceType is immutable"
	assert.Equal(p, []string{verdict}, p.verdicts(canUpdateMachineSet))
	logged := p.logged("core", "mixed-", "cannot be updated in-place by extensions")
	assert.Regexp(p, `[-+]\s+"instanceType"`, logged)
	assert.NotRegexp(p, `[-+]\s+"additionalTags"`, logged)
}

// checkMutant: an extension that declares the instance type hot does not pass checkReplaced.
func checkMutant(p *pool) { assert.ErrorContains(p, p.replaced(), "is updated in place") }

// checkUserBootstrap: Cluster API would never call UpdateMachine for these machines. They are
// replaced, also if only the name of their secret changes.
func checkUserBootstrap(p *pool) {
	const reason = "bootstrap.configRef is not set"
	checkReplaced(p)
	assert.Equal(p, []string{"replaces machines: MachineSet: " + reason}, p.verdicts(canUpdateMachineSet))
	assert.Contains(p, p.logged("core", "user-", "cannot be updated in-place by extensions"), reason)
	p.settle()
	p.patchDeployment(func(spec *clusterv1.MachineSpec) { spec.Bootstrap.DataSecretName = new("user-data-2") })
	checkReplaced(p)
}

// checkDefaultStrategy: Cluster API first adds a machine, then updates the others in place, and
// finally removes one of them.
func checkDefaultStrategy(p *pool) {
	require.NoError(p, attempt(p.unfinished))
	same := 0
	for name, id := range p.ids() {
		if p.before[name] == id {
			same++
		}
	}
	assert.Equal(p, p.replicas-1, same)
}

// checkCrash: the extension crashes after it has set tags, and again after it has removed one.
// Neither is recorded at that time.
func checkCrash(p *pool) {
	p.expectInPlace()
	assert.Empty(p, p.extensions.byPool["crash"].crashes)
}

// checkThrottled: EC2 has refused the first calls.
func checkThrottled(p *pool) {
	p.expectInPlace()
	assert.Zero(p, p.extensions.byPool["throttled"].refusals)
}

// checkIgnored: a field that matters only before a machine joins is written into the
// KubeadmConfigs.
func checkIgnored(p *pool) {
	config := &bootstrapv1.KubeadmConfigTemplate{}
	config.Namespace = namespace
	config.Name = "ignored-1"
	config.Spec.Template.Spec.Verbosity = new(int32(5))
	require.NoError(p, p.Create(p.Context(), config))
	p.patchDeployment(func(spec *clusterv1.MachineSpec) { spec.Bootstrap.ConfigRef.Name = config.Name })
	p.expectInPlace()
	for name := range p.before {
		config := &bootstrapv1.KubeadmConfig{}
		require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: namespace, Name: name}, config))
		assert.Equal(p, new(int32(5)), config.Spec.Verbosity)
	}
}

// checkControlPlane: tags change on running machines. With another instance type, the provider's
// webhook refuses the AWSMachine before Cluster API asks the extension, and the machines are
// replaced.
func checkControlPlane(p *pool) {
	p.expectInPlace()
	asked := p.extensions.called("", canUpdateMachine)
	assert.Len(p, asked, p.replicas)
	assert.Equal(p, []string{""}, p.verdicts(canUpdateMachine))
	p.settle()
	p.change(func(spec *infrav1.AWSMachineSpec) { resize(spec); spec.AdditionalTags = infrav1.Tags{"team": "c"} })
	checkReplaced(p)
	assert.Equal(p, asked, p.extensions.called("", canUpdateMachine))
	assert.Contains(p, p.logged("controlplane", "cannot be updated in-place by extensions"), "cannot be modified")
}
