package extension_test

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
)

// The specs of templates before each change.
const (
	awsSpec = `{"instanceType":"m5.large","additionalTags":{"team":"a","cost":"1"},"instanceMetadataOptions":{"httpTokens":"required"},
		"additionalSecurityGroups":[{"id":"sg-1"},{"id":"sg-2"}],"nonRootVolumes":[{"deviceName":"/dev/sdb","size":8},{"deviceName":"/dev/sdc","size":8}]}`
	kubeadmSpec = `{"files":[{"path":"/etc/motd","content":"hello"}],"clusterConfiguration":{"apiServer":{"certSANs":["a","b"]}},
		"joinConfiguration":{"discovery":{"bootstrapToken":{"token":"old"}},"nodeRegistration":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoSchedule"}]}}}`
	machineSpec = `{"clusterName":"c","version":"v1.34.2","bootstrap":{"configRef":{"name":"old"}}}`
	// The members that the API server and the provider add to the spec of an AWSMachine.
	awsDefaults = `{"hostAffinity":"default","cloudInit":{"secureSecretsBackend":"secrets-manager"},"providerID":"aws:///eu-west-1a/i-1","instanceID":"i-1"}`
)

// changes are merge patches of the specs, with the decision of Cluster API after the extension's
// answer.
var changes = []struct {
	name           string
	aws            string
	kubeadm        string
	machine        string
	left, notLeft  string // texts in the reasons to replace the machines, and texts that are not there; without left there is no reason
	message, cause string // a part of the extension's message; why
}{
	{name: "nothing", cause: "there is nothing to do"},
	{name: "tag added", aws: `{"additionalTags":{"new":"1"}}`, cause: "UpdateMachine sets it"},
	{name: "tag changed", aws: `{"additionalTags":{"team":"b"}}`, cause: "UpdateMachine sets it"},
	{name: "tag removed", aws: `{"additionalTags":{"cost":null}}`, cause: "UpdateMachine removes it"},
	{name: "all tags removed", aws: `{"additionalTags":null}`, cause: "UpdateMachine removes them"},
	{name: "order of a set", aws: `{"additionalSecurityGroups":[{"id":"sg-2"},{"id":"sg-1"}]}`, cause: "security groups have no order"},
	{
		name:  "default spelled out",
		aws:   `{"hostAffinity":"default","instanceMetadataOptions":{"httpEndpoint":"enabled","httpPutResponseHopLimit":1}}`,
		cause: "machines have it",
	},
	{name: "empty object", aws: `{"ami":{},"cloudInit":{}}`, cause: "the type writes it itself"},
	{name: "place of the secret", aws: `{"cloudInit":{"secretPrefix":"p","secretCount":1}}`, cause: "the provider writes it"},
	{
		name:    "many at once",
		aws:     `{"additionalTags":{"new":"1","cost":null},"additionalSecurityGroups":[{"id":"sg-2"},{"id":"sg-1"}],"hostAffinity":"default"}`,
		kubeadm: `{"verbosity":5}`, cause: "each is covered",
	},

	{
		name: "instance type", aws: `{"instanceType":"m5.xlarge"}`, left: "m5.xlarge", message: "instanceType is immutable",
		cause: "another instance",
	},
	{
		name: "instance type and tags", aws: `{"instanceType":"m5.xlarge","additionalTags":{"new":"1","cost":null}}`, left: "m5.xlarge",
		notLeft: "cost", message: "instanceType is immutable", cause: "the tags are covered",
	},
	{
		name: "order of volumes", aws: `{"nonRootVolumes":[{"deviceName":"/dev/sdc","size":8},{"deviceName":"/dev/sdb","size":8}]}`,
		left: "/dev/sdc", message: "nonRootVolumes[0].deviceName is immutable", cause: "the webhook admits no other order",
	},
	{
		name: "metadata options", aws: `{"instanceMetadataOptions":{"httpTokens":"optional"}}`, left: "httpTokens",
		message: "httpTokens is immutable", cause: "the webhook admits no change",
	},
	{
		name: "security group", aws: `{"additionalSecurityGroups":[{"id":"sg-1"}]}`, left: "sg-2", message: "additionalSecurityGroups",
		cause: "nobody tells when it is attached",
	},
	{
		name: "empty spot options", aws: `{"spotMarketOptions":{}}`, left: "spotMarketOptions", message: "spotMarketOptions is immutable",
		cause: "it asks for a spot instance",
	},
	{
		name: "reserved tag", aws: `{"additionalTags":{"sigs.k8s.io/cluster-api-provider-aws/role":"node"}}`, left: "role",
		message: "additionalTags[sigs.k8s.io/cluster-api-provider-aws/role]", cause: "UpdateMachine would refuse it",
	},
	{
		name: "field of a newer version", aws: `{"newField":1,"additionalTags":{"new":"1"}}`, left: "newField", notLeft: "additionalTags",
		message: "newField is immutable", cause: "nobody has judged it",
	},
	{
		name: "unreadable", aws: `{"instanceType":5}`, left: "instanceType", message: "instanceType",
		cause: "it is not judged, and nothing fails",
	},

	{name: "log level of kubeadm", kubeadm: `{"verbosity":5}`, cause: "a machine that has joined does not run kubeadm"},
	{
		name: "discovery", kubeadm: `{"joinConfiguration":{"discovery":{"bootstrapToken":{"token":"new"}}}}`,
		cause: "it has found the cluster",
	},
	{
		name: "order of names", kubeadm: `{"clusterConfiguration":{"apiServer":{"certSANs":["b","a"]}}}`,
		cause: "a certificate has no order of names",
	},
	{
		name:    "order of taints",
		kubeadm: `{"joinConfiguration":{"nodeRegistration":{"taints":[{"key":"b","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"}]}}}`,
		cause:   "taints have no order",
	},
	{
		name: "no taints", kubeadm: `{"initConfiguration":{"nodeRegistration":{"taints":[]}}}`, left: "taints",
		message: "taints is immutable", cause: "kubeadm taints a control plane unless it is told not to",
	},
	{
		name: "secret file", kubeadm: `{"files":[{"path":"/etc/motd","content":"s3cr3t"}]}`, left: "s3cr3t",
		message: "files[0].content is immutable", cause: "cloud-init has run",
	},

	{name: "version", machine: `{"version":"v1.34.3"}`, left: "v1.34.3", cause: "another kubelet"},
	{name: "failure domain", machine: `{"failureDomain":"eu-west-1b"}`, left: "eu-west-1b", cause: "another place"},
	{
		name: "what Cluster API writes itself",
		machine: `{"minReadySeconds":5,"deletion":{"nodeDrainTimeoutSeconds":5},
			"bootstrap":{"configRef":{"name":"new"}}}`,
		cause: "it does not compare it",
	},
}

// merged returns a spec after merge patches.
func merged(t *testing.T, spec string, patches ...string) string {
	t.Helper()
	for _, patch := range patches {
		if patch == "" {
			continue
		}
		patched, err := jsonpatch.MergePatch([]byte(spec), []byte(patch))
		require.NoError(t, err)
		spec = string(patched)
	}
	return spec
}

func object(apiVersion, kind, spec string) runtime.RawExtension {
	return runtime.RawExtension{Raw: []byte(
		`{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","metadata":{"name":"m","namespace":"ns"},"spec":` + spec + `}`,
	)}
}

func template(spec string) string { return `{"template":{"spec":` + spec + `}}` }

const (
	infra   = "infrastructure.cluster.x-k8s.io/v1beta2"
	kubeadm = "bootstrap.cluster.x-k8s.io/v1beta2"
	core    = "cluster.x-k8s.io/v1beta2"
)

// machines returns the objects of a machine with these specs.
func machines(t *testing.T, aws, config, machine string) (o hooksv1.CanUpdateMachineRequestObjects) {
	t.Helper()
	require.NoError(t, json.Unmarshal(object(core, "Machine", machine).Raw, &o.Machine))
	o.InfrastructureMachine = object(infra, "AWSMachine", merged(t, awsDefaults, aws))
	o.BootstrapConfig = object(kubeadm, "KubeadmConfig", config)
	return o
}

// templates returns the objects of a machine set with these specs.
func templates(t *testing.T, aws, config, machine string) (o hooksv1.CanUpdateMachineSetRequestObjects) {
	t.Helper()
	require.NoError(t, json.Unmarshal(object(core, "MachineSet", template(machine)).Raw, &o.MachineSet))
	o.InfrastructureMachineTemplate = object(infra, "AWSMachineTemplate", template(aws))
	o.BootstrapConfigTemplate = object(kubeadm, "KubeadmConfigTemplate", template(config))
	return o
}

// TestCanUpdate: with both hooks, Cluster API updates in place exactly the changes that running
// machines can take. The message names the other fields.
func TestCanUpdate(t *testing.T) {
	w := start(t, nil, nil)
	for _, c := range changes {
		aws := merged(t, awsSpec, c.aws)
		config := merged(t, kubeadmSpec, c.kubeadm)
		machine := merged(t, machineSpec, c.machine)
		hooks := map[string]func() (world.Verdict, error){
			"machine": func() (world.Verdict, error) {
				return w.CanUpdateMachine(t.Context(), machines(t, awsSpec, kubeadmSpec, machineSpec), machines(t, aws, config, machine))
			},
			"machine set": func() (world.Verdict, error) {
				return w.CanUpdateMachineSet(
					t.Context(), templates(t, awsSpec, kubeadmSpec, machineSpec), templates(t, aws, config, machine),
				)
			},
		}
		for hook, ask := range hooks {
			t.Run(c.name+"/"+hook, func(t *testing.T) {
				v, err := ask()
				require.NoError(t, err)
				if c.left == "" {
					assert.Empty(t, v.Left, c.cause)
					assert.Empty(t, v.Message, c.cause)
					return
				}
				assert.Contains(t, v.Left, c.left, c.cause)
				if c.notLeft != "" {
					assert.NotContains(t, v.Left, c.notLeft, c.cause)
				}
				assert.Contains(t, v.Message, c.message, c.cause)
				assert.NotContains(t, v.Message, "s3cr3t")
			})
		}
	}
}

// TestOtherKinds: an object of another kind or version is not covered, and an absent object needs
// no cover.
func TestOtherKinds(t *testing.T) {
	w := start(t, nil, nil)
	ask := func(current, desired runtime.RawExtension) world.Verdict {
		before := templates(t, awsSpec, kubeadmSpec, machineSpec)
		after := templates(t, awsSpec, kubeadmSpec, machineSpec)
		before.BootstrapConfigTemplate = current
		after.BootstrapConfigTemplate = desired
		v, err := w.CanUpdateMachineSet(t.Context(), before, after)
		require.NoError(t, err)
		return v
	}
	assert.Equal(t, world.Verdict{}, ask(runtime.RawExtension{}, runtime.RawExtension{}))
	v := ask(object(infra, "EKSConfigTemplate", template(`{"a":1}`)), object(infra, "EKSConfigTemplate", template(`{"a":2}`)))
	assert.NotEmpty(t, v.Left)
	assert.Contains(t, v.Message, "EKSConfigTemplate")
	v = ask(
		object("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate", template(`{"verbosity":1}`)),
		object(kubeadm, "KubeadmConfigTemplate", template(`{"verbosity":2}`)),
	)
	assert.NotEmpty(t, v.Left)
	assert.Contains(t, v.Message, "is not judged")
}

// TestWithoutBootstrapConfig: the bootstrap data of the machines comes from a secret of the user.
// Cluster API then never calls UpdateMachine, and an update in place would never end. So the
// machines are replaced, even if only the name of the secret changes.
func TestWithoutBootstrapConfig(t *testing.T) {
	w := start(t, nil, nil)
	const (
		before = `{"bootstrap":{"dataSecretName":"old"}}`
		after  = `{"bootstrap":{"dataSecretName":"new"}}`
	)
	ask := func(aws, machine string) world.Verdict {
		current := templates(t, awsSpec, kubeadmSpec, before)
		desired := templates(t, aws, kubeadmSpec, machine)
		current.BootstrapConfigTemplate = runtime.RawExtension{}
		desired.BootstrapConfigTemplate = runtime.RawExtension{}
		v, err := w.CanUpdateMachineSet(t.Context(), current, desired)
		require.NoError(t, err)
		return v
	}
	retagged := merged(t, awsSpec, `{"additionalTags":{"team":"b"}}`)
	for _, v := range []world.Verdict{ask(retagged, before), ask(awsSpec, after)} {
		assert.Contains(t, v.Left, "bootstrap.configRef is not set")
		assert.Equal(t, "replaces machines: MachineSet: bootstrap.configRef is not set", v.Message)
	}
}

// TestVerdictIsLogged: the log has the reasons to replace machines, and whether the update affects
// availability, for which the hooks have no field.
func TestVerdictIsLogged(t *testing.T) {
	var logged string
	ctx := ctrl.LoggerInto(t.Context(), funcr.New(func(_, line string) { logged += line }, funcr.Options{}))
	request := &hooksv1.CanUpdateMachineRequest{
		Current: machines(t, awsSpec, kubeadmSpec, machineSpec),
		Desired: machines(t, merged(t, awsSpec, `{"instanceType":"m5.xlarge","additionalTags":{"new":"1"}}`), kubeadmSpec, machineSpec),
	}
	start(t, nil, nil).Extension.CanUpdateMachine(ctx, request, &hooksv1.CanUpdateMachineResponse{})
	assert.Contains(t, logged, `"replaces"=["AWSMachine: instanceType is immutable"] "affectsAvailability"=false`)
}

// TestDiscovery: the extension offers each hook once, as Cluster API requires.
func TestDiscovery(t *testing.T) {
	handlers, err := start(t, nil, nil).Discover(t.Context())
	require.NoError(t, err)
	var hooks []string
	for _, handler := range handlers {
		hooks = append(hooks, handler.RequestHook.APIVersion+" "+handler.RequestHook.Hook)
	}
	assert.Equal(t, []string{
		"hooks.runtime.cluster.x-k8s.io/v1alpha1 CanUpdateMachine", "hooks.runtime.cluster.x-k8s.io/v1alpha1 CanUpdateMachineSet",
		"hooks.runtime.cluster.x-k8s.io/v1alpha1 UpdateMachine",
	}, hooks)
}
