package pool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// byUser returns the edits that make of a Shoot in testdata one that a user has written: what the API
// server has stored is known, but it stands in the cluster.
func byUser(file string) []edit {
	if file != "shoot.yaml" {
		return nil
	}
	return []edit{{"status", nil}, {"metadata.managedFields", nil}, {"metadata.resourceVersion", nil}}
}

// A field that one side leaves out is indeterminate if Gardener fills it in and the default is not
// known.
func TestOmittedAgainstExplicit(t *testing.T) {
	t.Parallel()
	own := shootsPool + "kubernetes.kubelet."
	for _, test := range []struct {
		name, file string
		before     []edit
		change     []edit
		want       verdict.Verdict
		reason     string
	}{
		{
			"Kubernetes version", "shoot.yaml", nil,
			[]edit{{"spec.kubernetes.version", nil}},
			verdict.Indeterminate,
			"the newest version of the CloudProfile",
		},
		{
			"kubeReserved", "shoot.yaml",
			[]edit{{own + "kubeReserved", map[string]any{"cpu": "60m"}}},
			[]edit{{own + "kubeReserved", nil}},
			verdict.Indeterminate, "Gardener may fill it in by the machine type",
		},
		{"one field of kubeReserved", "shoot.yaml", nil, []edit{{own + "kubeReserved.cpu", nil}}, verdict.Indeterminate, "the same"},
		{
			"one field of kubeReserved beside systemReserved", "shoot.yaml",
			[]edit{{own + "systemReserved.cpu", "1"}},
			[]edit{{own + "kubeReserved.cpu", nil}},
			verdict.Indeterminate, "the sum depends on it",
		},
		{
			"systemReserved", "shoot.yaml",
			[]edit{{own + "systemReserved.pid", "1"}},
			[]edit{{own + "systemReserved", nil}},
			verdict.Roll,
			"it has no default",
		},
		{
			"systemReserved while kubeReserved is left out on both sides", "shoot.yaml",
			[]edit{{own + "kubeReserved", nil}},
			[]edit{{own + "systemReserved.pid", "1"}},
			verdict.Roll, "whatever the default, the sum differs",
		},
		{"evictionHard", "shoot.yaml", nil, []edit{{own + "evictionHard", nil}}, verdict.Roll, "no default is written into the Shoot"},
		{
			"CPU manager policy", "shoot.yaml", nil,
			[]edit{{own + "cpuManagerPolicy", nil}},
			verdict.Roll,
			"no default is written into the Shoot",
		},
		{"volume type", "shoot.yaml", nil, []edit{{shootsPool + "volume.type", nil}}, verdict.Roll, "no default is written into the Shoot"},
		{"container runtime", "shoot.yaml", nil, []edit{{shootsPool + "cri", nil}}, verdict.None, "the default is known: containerd"},
		{
			"Kubernetes version and machine type", "shoot.yaml", nil,
			[]edit{{"spec.kubernetes.version", nil}, {shootsPool + "machine.type", "x"}},
			verdict.Roll,
			"another change decides",
		},
		{
			"Kubernetes version and a hot field", "shoot.yaml", nil,
			[]edit{{"spec.kubernetes.version", nil}, {shootsPool + "providerConfig.tags.a", "b"}},
			verdict.Indeterminate,
			"the stricter may apply",
		},
		{
			"image of a Worker", "worker.yaml", nil,
			[]edit{{workersPool + "machineImage", nil}},
			verdict.Roll,
			"gardenlet writes all there is into a Worker",
		},
		{
			"kubeReserved of a Worker", "worker.yaml", nil,
			[]edit{{workersPool + "kubeletConfig.kubeReserved", nil}, {workersPool + "nodeAgentSecretName", "another"}},
			verdict.Roll,
			"the same",
		},
		{
			"version of a Worker's pool", "worker.yaml", nil,
			[]edit{{workersPool + "kubernetesVersion", nil}},
			verdict.Indeterminate,
			"the cluster's, which a Worker does not tell",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := append([]edit{}, byUser(test.file)...)
			before = append(before, test.before...)
			with := manifest(t, test.file, before...)
			without := manifest(t, test.file, append(before, test.change...)...)
			assert.Equal(t, test.want, compare(t, with, without, options(t)).Verdict, test.reason)
			assert.Equal(t, test.want, compare(t, without, with, options(t)).Verdict, "the other way round: %s", test.reason)
		})
	}
}

// TestMovedReservation: a reservation that moves to the other member was said to have the same value where it is left out.
func TestMovedReservation(t *testing.T) {
	t.Parallel()
	system := shootsPool + "kubernetes.kubelet.systemReserved"
	own := shootsPool + "kubernetes.kubelet.kubeReserved.memory"
	old := manifest(t, "shoot.yaml", edit{system + ".memory", "1Gi"}, edit{own, "1Gi"})
	updated := manifest(t, "shoot.yaml", edit{system, nil}, edit{own, "2Gi"})
	got := compare(t, old, updated, options(t))
	rules := map[string]verdict.Rule{}
	for _, change := range got.Changes {
		rules[change.Path] = change.Rule
	}
	assert.Equal(t, verdict.None, got.Verdict)
	assert.Equal(t, map[string]verdict.Rule{
		"kubernetes.kubelet.systemReserved.memory": verdict.ReservationsStay,
		"kubernetes.kubelet.kubeReserved.memory":   verdict.ReservationsStay,
	}, rules)
}

// Admission keeps the image of a pool that leaves it out. The image for a new pool is not known.
func TestOmittedImages(t *testing.T) {
	t.Parallel()
	image := shootsPool + "machine.image"
	for _, test := range []struct {
		without edit
		kept    bool
		reason  string
	}{
		{edit{image, nil}, true, "absent"},
		{edit{image + ".version", nil}, true, "without a version, under the same name"},
		{edit{image, map[string]any{"name": "ubuntu"}}, false, "another image: every machine is replaced, whatever its version"},
	} {
		user := byUser("shoot.yaml")
		with := manifest(t, "shoot.yaml", user...)
		without := manifest(t, "shoot.yaml", append(user, test.without)...)
		left := compare(t, with, without, options(t))
		filled := compare(t, without, with, options(t))
		if test.kept {
			assert.Equal(t, verdict.None, left.Verdict, test.reason)
			assert.Equal(t, verdict.AsLeftOut, left.Changes[0].Rule, test.reason)
			assert.Equal(t, verdict.Indeterminate, filled.Verdict, "the image that the pool had is not known")
		} else {
			assert.Equal(t, verdict.Roll, left.Verdict, test.reason)
			assert.Equal(t, verdict.Roll, filled.Verdict, test.reason)
		}
	}
}

// Nothing writes defaults into a provider config before it is hashed, so an added field is a
// change. It is indeterminate if the caller says that a defaulter may have run.
func TestOmittedFieldsOfTheProviderConfig(t *testing.T) {
	t.Parallel()
	old := manifest(t, "shoot.yaml")
	updated := manifest(t, "shoot.yaml", edit{shootsPool + "providerConfig.preference", "open"})
	o := options(t)
	got := compare(t, old, updated, o)
	assert.Equal(t, verdict.Roll, got.Verdict)
	assert.False(t, got.Changes[0].Omitted)
	o.Defaulted = true
	got = compare(t, old, updated, o)
	assert.Equal(t, verdict.Indeterminate, got.Verdict)
	assert.True(t, got.Changes[0].Omitted)
	rolled := manifest(
		t, "shoot.yaml", edit{shootsPool + "providerConfig.preference", "open"}, edit{shootsPool + "providerConfig.volume.iops", 1},
	)
	assert.Equal(t, verdict.Roll, compare(t, old, rolled, o).Verdict, "another field decides")
}

func TestUpdateStrategies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		old, updated string
		edits        []edit
		want         verdict.Verdict
		decides      hotupdate.Strategy
		notes        []verdict.Rule
		reason       string
	}{
		{"", "AutoRollingUpdate", nil, verdict.None, hotupdate.AutoRollingUpdate, nil, "the default"},
		{
			"AutoRollingUpdate", "AutoInPlaceUpdate", nil, verdict.Forbidden, hotupdate.AutoInPlaceUpdate,
			[]verdict.Rule{verdict.StrategySwitched},
			"a non-goal",
		},
		{
			"ManualInPlaceUpdate", "", nil, verdict.Forbidden, hotupdate.ManualInPlaceUpdate,
			[]verdict.Rule{verdict.StrategySwitched},
			"a non-goal, in either direction",
		},
		{"AutoInPlaceUpdate", "ManualInPlaceUpdate", nil, verdict.None, hotupdate.ManualInPlaceUpdate, nil, "a goal"},
		{
			"AutoInPlaceUpdate", "ManualInPlaceUpdate",
			[]edit{{"spec.kubernetes.version", "1.34.0"}},
			verdict.InPlaceUpdate, hotupdate.ManualInPlaceUpdate,
			nil,
			"the rest counts as ever",
		},
		{
			"AutoInPlaceUpdate", "AutoInPlaceUpdate",
			[]edit{{"spec.kubernetes.version", "1.34.0"}},
			verdict.InPlaceUpdate, hotupdate.AutoInPlaceUpdate,
			nil,
			"the next minor",
		},
		{
			"AutoInPlaceUpdate", "AutoInPlaceUpdate",
			[]edit{{"spec.kubernetes.version", "1.35.0"}},
			verdict.InPlaceUpdate, hotupdate.AutoInPlaceUpdate,
			nil,
			"whether a minor may be skipped is Gardener's answer",
		},
		{
			"ManualInPlaceUpdate", "ManualInPlaceUpdate",
			[]edit{{"spec.kubernetes.version", "1.32.0"}},
			verdict.InPlaceUpdate, hotupdate.ManualInPlaceUpdate,
			nil,
			"whether a version may be lowered is Gardener's answer",
		},
		{
			"", "",
			[]edit{{"spec.kubernetes.version", "1.35.0"}},
			verdict.Roll, hotupdate.AutoRollingUpdate, nil,
			"new machines can skip a minor",
		},
	} {
		strategy := func(name string) edit {
			if name == "" {
				return edit{shootsPool + "updateStrategy", nil}
			}
			return edit{shootsPool + "updateStrategy", name}
		}
		got := compare(
			t, manifest(t, "shoot.yaml", strategy(test.old)), manifest(t, "shoot.yaml", append(test.edits, strategy(test.updated))...),
			options(t),
		)
		name := test.old + " to " + test.updated + ": " + test.reason
		assert.Equal(t, test.want, got.Verdict, name)
		assert.Equal(t, test.decides, got.Strategy, name)
		assert.Equal(t, test.notes, got.Rules, name)
		assert.Equal(t, test.old != test.updated, slices.Contains(paths(got.Changes), "updateStrategy"), name)
	}
}

// TestCausesOfAForbiddenUpdate: the causes are the changes to revert: the machine type, but no change
// that is applied in place.
func TestCausesOfAForbiddenUpdate(t *testing.T) {
	t.Parallel()
	inPlace := edit{shootsPool + "updateStrategy", "AutoInPlaceUpdate"}
	image := edit{shootsPool + "machine.image.version", "1443.9.0"}
	volume := edit{shootsPool + "volume.size", "51Gi"}
	machine := edit{shootsPool + "machine.type", "x"}
	for _, test := range []struct {
		edits  []edit
		want   []string
		reason string
	}{
		{[]edit{image}, []string{"machine.image.version"}, "an in-place update has its cause, too"},
		{[]edit{image, machine}, []string{"machine.type"}, "the image alone is updated in place"},
		{[]edit{image, volume, machine}, []string{"machine.type", "volume.size"}, "both are forbidden"},
	} {
		got := compare(t, manifest(t, "shoot.yaml", inPlace), manifest(t, "shoot.yaml", append(test.edits, inPlace)...), options(t))
		assert.Equal(t, test.want, paths(causes(got)), test.reason)
	}
}

// TestConsequenceOfAForbiddenUpdate: the text has the rule that forbids, and says that machines
// must be replaced only if they must.
func TestConsequenceOfAForbiddenUpdate(t *testing.T) {
	t.Parallel()
	const (
		replaces = "AutoInPlaceUpdate does not replace machines, which this change needs"
		lowered  = "the version of a machine image cannot be lowered in place"
		switched = "a pool cannot change between rolling and in-place updates"
	)
	strategy := func(name string) edit { return edit{shootsPool + "updateStrategy", name} }
	version := edit{"spec.kubernetes.version", "1.34.0"}
	image := edit{shootsPool + "machine.image.version", "1.0.0"}
	machine := edit{shootsPool + "machine.type", "x"}
	for _, test := range []struct {
		old    string
		edits  []edit
		want   string
		reason string
	}{
		{
			"AutoInPlaceUpdate",
			[]edit{version},
			"every node is drained and updated in place, no machine is replaced",
			"nothing is forbidden",
		},
		{"AutoInPlaceUpdate", []edit{machine}, replaces, "a class forbids it, no rule"},
		{"AutoInPlaceUpdate", []edit{image}, lowered, "the image alone needs no new machine"},
		{"AutoInPlaceUpdate", []edit{image, machine}, lowered + "; " + replaces, "two reasons"},
		{"AutoRollingUpdate", nil, switched, "the strategy is no property of a machine"},
		{"AutoRollingUpdate", []edit{image}, switched + "; " + lowered, "two rules"},
		{"AutoRollingUpdate", []edit{machine}, switched + "; " + replaces, "a rule and a class"},
	} {
		got := compare(
			t, manifest(t, "shoot.yaml", strategy(test.old)),
			manifest(t, "shoot.yaml", append(test.edits, strategy("AutoInPlaceUpdate"))...), options(t),
		)
		assert.Equal(t, test.want, got.Consequence(), test.reason)
	}
}

// TestCausesBesideDefaults: a change that a default may undo is not a cause of a certain verdict,
// but it is a cause if nothing is certain.
func TestCausesBesideDefaults(t *testing.T) {
	t.Parallel()
	user := byUser("shoot.yaml")
	noImage := edit{shootsPool + "machine.image", nil}
	machine := edit{shootsPool + "machine.type", "x"}
	certain := compare(
		t, manifest(t, "shoot.yaml", append(user, noImage)...), manifest(t, "shoot.yaml", append(user, machine)...), options(t),
	)
	assert.Equal(t, verdict.Roll, certain.Verdict)
	assert.Equal(t, []string{"machine.type"}, paths(causes(certain)))
	uncertain := compare(t, manifest(t, "shoot.yaml", append(user, noImage)...), manifest(t, "shoot.yaml", user...), options(t))
	assert.Equal(t, verdict.Indeterminate, uncertain.Verdict)
	assert.Equal(t, []string{"machine.image.name", "machine.image.version"}, paths(causes(uncertain)))
}

// cloudProfile lets gardenlinux be updated in place to 1443.9.0 from 1443.5.0 on, and to nothing
// else. It has the image of shoot.yaml, of which there is another one with the same version.
const cloudProfile = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile","spec":{"machineImages":[{"name":"gardenlinux","versions":[
	{"version":"1443.8.0"},
	{"version":"1443.9.0","inPlaceUpdates":{"supported":true,"minVersionForUpdate":"1443.5.0"}},
	{"version":"1500.0.0","inPlaceUpdates":{"supported":true,"minVersionForUpdate":"1443.9.0"}},
	{"version":"1501.0.0","inPlaceUpdates":{"supported":true}},
	{"version":"1502.0.0","inPlaceUpdates":{"supported":false,"minVersionForUpdate":"1.0.0"}},
	{"version":"1503.0.0"}]},{"name":"ubuntu","versions":[{"version":"1443.8.0"}]}]}}`

// TestInPlaceImages: the CloudProfile says which versions an image can be updated to in place.
func TestInPlaceImages(t *testing.T) {
	t.Parallel()
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(cloudProfile)), today)
	require.NoError(t, err)
	for _, test := range []struct {
		strategy, version string
		profile           *facts.CloudProfile
		want              verdict.Verdict
		rule              verdict.Rule
		reason            string
	}{
		{"AutoInPlaceUpdate", "1443.9.0", profile, verdict.InPlaceUpdate, verdict.NoRule, "supported, and the old version is high enough"},
		{"ManualInPlaceUpdate", "1443.9.0", profile, verdict.InPlaceUpdate, verdict.NoRule, "the same"},
		{"AutoInPlaceUpdate", "1500.0.0", profile, verdict.Forbidden, verdict.ImageNotInPlace, "the old version is too low"},
		{"AutoInPlaceUpdate", "1501.0.0", profile, verdict.Forbidden, verdict.ImageNotInPlace, "absent means refused"},
		{"AutoInPlaceUpdate", "1502.0.0", profile, verdict.Forbidden, verdict.ImageNotInPlace, "not supported"},
		{"AutoInPlaceUpdate", "1503.0.0", profile, verdict.Forbidden, verdict.ImageNotInPlace, "nothing is said"},
		{"AutoInPlaceUpdate", "1600.0.0", profile, verdict.Forbidden, verdict.ImageUnknown, "not in the CloudProfile"},
		{"AutoInPlaceUpdate", "1443.7.0", profile, verdict.Forbidden, verdict.ImageLowered, "lower than before"},
		{"AutoInPlaceUpdate", "1443.7.0", nil, verdict.Forbidden, verdict.ImageLowered, "the same, whatever the CloudProfile"},
		{"AutoInPlaceUpdate", "1443.9.0", nil, verdict.Indeterminate, verdict.NoCloudProfile, "nobody knows"},
		{"AutoRollingUpdate", "1443.7.0", nil, verdict.Roll, verdict.NoRule, "new machines take any version"},
		{"AutoRollingUpdate", "1600.0.0", nil, verdict.Roll, verdict.NoRule, "the same"},
		{
			"AutoRollingUpdate", "1443", nil, verdict.Indeterminate, verdict.NoRule,
			"admission completes it, perhaps to the version that there is",
		},
	} {
		strategy := edit{shootsPool + "updateStrategy", test.strategy}
		o := options(t)
		o.CloudProfile = test.profile
		got := compare(
			t, manifest(t, "shoot.yaml", strategy),
			manifest(t, "shoot.yaml", strategy, edit{shootsPool + "machine.image.version", test.version}), o,
		)
		assert.Equal(t, test.want, got.Verdict, "%s to %s: %s", test.strategy, test.version, test.reason)
		require.Len(t, causes(got), 1)
		assert.Equal(t, test.rule, causes(got)[0].Rule, "%s to %s: %s", test.strategy, test.version, test.reason)
	}
}

// TestProxyModeDecidesAboutNodeLocalDNS: after a change of the proxy mode, a note explains why
// node-local DNS is a cause.
func TestProxyModeDecidesAboutNodeLocalDNS(t *testing.T) {
	t.Parallel()
	enabled := edit{"spec.systemComponents.nodeLocalDNS.enabled", true}
	version := edit{"spec.kubernetes.version", "1.34.0"}
	mode := func(name string) edit { return edit{"spec.kubernetes.kubeProxy.mode", name} }
	before := manifest(t, "shoot.yaml", version, enabled)
	got := compare(t, before, manifest(t, "shoot.yaml", version, enabled, mode("IPVS")), options(t))
	assert.Equal(t, []string{"spec.systemComponents.nodeLocalDNS.enabled"}, paths(causes(got)))
	assert.Equal(t, []verdict.Rule{verdict.ProxyModeChanged}, got.Rules)

	disabled := manifest(t, "shoot.yaml", version, mode("IPVS"))
	got = compare(t, disabled, manifest(t, "shoot.yaml", version, enabled, mode("IPVS")), options(t))
	assert.Equal(t, verdict.Roll, got.Verdict)
	assert.Empty(t, got.Rules, "it is the user's own change")
}

// TestRespelledQuantities: another spelling is a change if Gardener hashes the text. Reservations
// are hashed as quantities.
func TestRespelledQuantities(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, old, updated string
		want               verdict.Verdict
		reason             string
	}{
		{workersPool + "volume.size", "50Gi", "51200Mi", verdict.Roll, "the size is hashed as it is written"},
		{workersPool + "volume.size", "50Gi", "50Gb", verdict.Roll, "no quantity"},
		{
			workersPool + "volume.size", "1e-100000000", "1e-100000001", verdict.Roll,
			"nothing that is compared as a quantity within minutes",
		},
		{workersPool + "volume.size", "50Gi", "50G", verdict.Roll, "another quantity"},
		{shootsPool + "kubernetes.kubelet.evictionHard.memoryAvailable", "1Gi", "1024Mi", verdict.Roll, "so is the threshold"},
		{shootsPool + "kubernetes.kubelet.evictionHard.memoryAvailable", "5%", "6%", verdict.Roll, "a percentage is no quantity"},
		{shootsPool + "kubernetes.kubelet.kubeReserved.memory", "1Gi", "1024Mi", verdict.None, "reservations are hashed as quantities"},
	} {
		file := "shoot.yaml"
		if strings.HasPrefix(test.path, workersPool) { // of a Shoot, only sizes in Gi are admitted
			file = "worker.yaml"
		}
		got := compare(t, manifest(t, file, edit{test.path, test.old}), manifest(t, file, edit{test.path, test.updated}), options(t))
		assert.Equal(t, test.want, got.Verdict, test.reason)
		assert.Empty(t, got.Rules, test.reason)
	}
}

// From Kubernetes 1.34 on node-local DNS does not count. The upgrade to 1.34 is still an in-place
// update.
func TestUpgradeThatMakesNodeLocalDNSIrrelevant(t *testing.T) {
	t.Parallel()
	enabled := edit{"spec.systemComponents.nodeLocalDNS.enabled", true}
	for _, strategy := range strategies[1:] {
		pick := edit{shootsPool + "updateStrategy", strategy.String()}
		got := compare(
			t, manifest(t, "shoot.yaml", enabled, pick),
			manifest(t, "shoot.yaml", enabled, pick, edit{"spec.kubernetes.version", "1.34.0"}), options(t),
		)
		assert.Equal(t, verdict.InPlaceUpdate, got.Verdict)
		assert.Equal(t, []string{"spec.kubernetes.version"}, paths(got.Changes))
	}
	ipvs := edit{"spec.kubernetes.kubeProxy.mode", "IPVS"}
	on134 := edit{"spec.kubernetes.version", "1.34.0"}
	got := compare(t, manifest(t, "shoot.yaml", enabled, on134), manifest(t, "shoot.yaml", enabled, on134, ipvs), options(t))
	assert.Equal(t, []string{"spec.systemComponents.nodeLocalDNS.enabled"}, paths(got.Changes), "it counts again with IPVS")
}

func TestNodeAgentSecretNames(t *testing.T) {
	t.Parallel()
	const other = "gardener-node-agent-cpu-worker-fedcba9876543210"
	secret := edit{workersPool + "nodeAgentSecretName", other}
	inPlace := edit{workersPool + "updateStrategy", "AutoInPlaceUpdate"}
	unknown := []facts.Unknown{facts.ContainerRuntime, facts.NodeLocalDNS, facts.Credentials}
	for _, test := range []struct {
		name     string
		old, new []edit
		want     verdict.Verdict
		paths    []string
		assumed  []facts.Unknown
		reason   string
	}{
		{"same", nil, nil, verdict.None, nil, nil, "it covers what a Worker does not hold"},
		{"alone", nil, []edit{secret}, verdict.Roll, []string{"nodeAgentSecretName"}, nil, "a rotation, for example"},
		{
			"with its cause", nil,
			[]edit{secret, {workersPool + "machineType", "x"}},
			verdict.Roll,
			[]string{"machineType"},
			nil,
			"the cause is told, not the effect",
		},
		{
			"with what it does not cover", nil,
			[]edit{secret, {workersPool + "volume.encrypted", false}},
			verdict.Roll,
			[]string{"nodeAgentSecretName", "volume.encrypted"},
			nil, "there must be another cause",
		},
		{
			"with a data volume, which it does not cover", nil,
			[]edit{secret, {workersPool + "dataVolumes.0.size", "1Gi"}},
			verdict.Roll,
			[]string{"dataVolumes[0].size", "nodeAgentSecretName"},
			nil, "there must be another cause",
		},
		{
			"with what may be a default", nil,
			[]edit{secret, {workersPool + "kubernetesVersion", nil}},
			verdict.Roll,
			[]string{"kubernetesVersion", "nodeAgentSecretName"},
			nil, "the name says that something did change",
		},
		{
			"not set yet",
			[]edit{{workersPool + "nodeAgentSecretName", nil}},
			nil, verdict.Indeterminate,
			[]string{"nodeAgentSecretName"},
			unknown, "what named the pool before is not known",
		},
		{
			"lost", nil,
			[]edit{{workersPool + "nodeAgentSecretName", nil}},
			verdict.Forbidden,
			[]string{"nodeAgentSecretName"},
			unknown,
			"an error of the extension",
		},
		{"updated in place", []edit{inPlace}, []edit{inPlace, secret}, verdict.None, nil, unknown, "the name never changes there"},
	} {
		got := compare(t, manifest(t, "worker.yaml", test.old...), manifest(t, "worker.yaml", test.new...), options(t))
		assert.Equal(t, test.want, got.Verdict, "%s: %s", test.name, test.reason)
		assert.Equal(t, test.paths, paths(got.Changes), "%s: %s", test.name, test.reason)
		assert.ElementsMatch(t, test.assumed, got.Unknown, "%s: %s", test.name, test.reason)
	}
}

func TestWhatManifestsDoNotTell(t *testing.T) {
	t.Parallel()
	noStatus := edit{"status", nil}
	onAzure := edit{"spec.provider.type", "azure"}
	rotated := edit{"status.credentials.rotation.certificateAuthorities.lastInitiationTime", "2027-01-01T00:00:00Z"}
	for _, test := range []struct {
		name     string
		old, new []edit
		want     []facts.Unknown
		notes    []verdict.Rule
	}{
		{"all is told", nil, nil, nil, nil},
		{"a user's Shoot", []edit{noStatus}, []edit{noStatus}, []facts.Unknown{facts.Credentials}, nil},
		{"a user's Shoot against the cluster's", []edit{noStatus}, []edit{rotated}, []facts.Unknown{facts.Credentials}, nil},
		{"infrastructure that is hashed", []edit{onAzure}, []edit{onAzure}, []facts.Unknown{facts.ProviderState}, nil},
		{
			"no versions",
			[]edit{{"spec.kubernetes.version", nil}, {shootsPool + "machine.image", nil}},
			[]edit{{"spec.kubernetes.version", nil}, {shootsPool + "machine.image", nil}},
			[]facts.Unknown{facts.KubernetesVersion, facts.MachineImageVersion},
			nil,
		},
		{
			"systemReserved",
			[]edit{{shootsPool + "kubernetes.kubelet.systemReserved.cpu", 1}},
			[]edit{{shootsPool + "kubernetes.kubelet.systemReserved.cpu", 1}},
			nil,
			[]verdict.Rule{verdict.ReservationsBySum},
		},
		{
			"systemReserved of the new one",
			[]edit{{shootsPool + "kubernetes.kubelet.kubeReserved.pid", "2"}},
			[]edit{{shootsPool + "kubernetes.kubelet.kubeReserved.pid", "1"}, {shootsPool + "kubernetes.kubelet.systemReserved.pid", "1"}},
			nil,
			[]verdict.Rule{verdict.ReservationsBySum},
		},
	} {
		got := compare(t, manifest(t, "shoot.yaml", test.old...), manifest(t, "shoot.yaml", test.new...), options(t))
		assert.Equal(t, verdict.None, got.Verdict, test.name)
		assert.Equal(t, test.want, got.Unknown, test.name)
		assert.Equal(t, test.notes, got.Rules, test.name)
	}
}

func TestProviderConfigsWithoutSchema(t *testing.T) {
	t.Parallel()
	config := shootsPool + "providerConfig."
	foreign := []edit{{config + "apiVersion", "metal.example/v1"}, {config + "secret", "hunter2"}}
	with := func(more ...edit) []byte { return manifest(t, "shoot.yaml", append(foreign, more...)...) }
	for _, test := range []struct {
		name     string
		old, new []byte
		want     verdict.Verdict
		notes    []verdict.Rule
		reason   string
	}{
		{"same", with(), with(), verdict.None, []verdict.Rule{verdict.ConfigAsWhole}, "as JSON"},
		{
			"a change", with(), with(edit{config + "secret", "hunter3"}), verdict.Indeterminate,
			[]verdict.Rule{verdict.EraUnknown, verdict.ConfigAsWhole},
			"nobody knows what names the pool",
		},
		{
			"a tag", with(), with(edit{config + "tags.a", "b"}), verdict.Indeterminate,
			[]verdict.Rule{verdict.EraUnknown, verdict.ConfigAsWhole},
			"nobody knows that it is hot",
		},
		{
			"removed", with(), manifest(t, "shoot.yaml", edit{shootsPool + "providerConfig", nil}), verdict.Indeterminate,
			[]verdict.Rule{verdict.EraUnknown, verdict.ConfigAsWhole},
			"nor of its removal",
		},
		{
			"another kind", manifest(t, "shoot.yaml"), with(), verdict.Indeterminate,
			[]verdict.Rule{verdict.EraUnknown, verdict.ConfigAsWhole},
			"no Schema knows both",
		},
		{
			"null", manifest(t, "shoot.yaml", edit{shootsPool + "providerConfig", nil}),
			[]byte(strings.Replace(string(manifest(t, "shoot.yaml", edit{shootsPool + "providerConfig", "NULL"})), `"NULL"`, "null", 1)),
			verdict.None, nil, "null is none",
		},
	} {
		o := options(t)
		o.Naming = nil
		metal := func(raw []byte) []byte {
			return bytes.Replace(raw, []byte(`"type":"aws"`), []byte(`"type":"metal"`), 1)
		}
		got := compare(t, metal(test.old), metal(test.new), o)
		assert.Equal(t, test.want, got.Verdict, "%s: %s", test.name, test.reason)
		assert.Equal(t, test.notes, got.Rules, test.name)
		for _, c := range got.Changes {
			assert.Regexp(t, `^providerConfig\.\w+$`, c.Path, "a member is compared as a whole")
			assert.Regexp(t, `^/providerConfig/\w+$`, c.Pointer)
			isType := c.Path == "providerConfig.apiVersion" || c.Path == "providerConfig.kind"
			assert.Equal(t, !isType, c.Sensitive, "what is confidential beside the type is not known")
			assert.NotContains(t, c.Old+c.New, "hunter")
		}
	}
}

// Another apiVersion alone is no change, as long as both versions have one Schema.
func TestProviderConfigsOfTwoVersions(t *testing.T) {
	t.Parallel()
	old := manifest(t, "shoot.yaml")
	updated := manifest(t, "shoot.yaml", edit{shootsPool + "providerConfig.apiVersion", "aws.provider.extensions.gardener.cloud/v1"})
	same, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	other, err := hotupdate.SchemaOf[workerConfig](hotupdate.WithTag("volume", "true"))
	require.NoError(t, err)
	for _, test := range []struct {
		name   string
		newer  *hotupdate.Schema
		want   verdict.Verdict
		reason string
	}{
		{"one Schema", same, verdict.None, "TypeMeta is left out"},
		{"two Schemas", other, verdict.Indeterminate, "what one of them hashes is nothing to the other"},
		{"unknown", nil, verdict.Indeterminate, "every member is immutable, apiVersion and all"},
	} {
		o := options(t)
		o.Schema = func(meta facts.TypeMeta) *hotupdate.Schema {
			if meta.APIVersion == configVersion {
				return same
			}
			return test.newer
		}
		assert.Equal(t, test.want, compare(t, old, updated, o).Verdict, "%s: %s", test.name, test.reason)
	}
}

// The changes of pool and provider config are in one list, ordered by member, with pointers into
// the pool.
func TestChangesOfPoolAndConfigAreOneList(t *testing.T) {
	t.Parallel()
	config := shootsPool + "providerConfig."
	updated := manifest(t, "shoot.yaml",
		edit{shootsPool + "volume.size", "1Gi"}, edit{shootsPool + "machine.type", "x"}, edit{"spec.kubernetes.version", "1.32.0"},
		edit{"spec.systemComponents.nodeLocalDNS.enabled", true}, edit{shootsPool + "cri.name", "x"},
		edit{config + "dataVolumes", []any{map[string]any{"name": "a/b", "iops": 1}}}, edit{config + "ODD", "x"},
	)
	got := compare(t, manifest(t, "shoot.yaml"), []byte(strings.Replace(string(updated), "ODD", "odd.name", 1)), options(t))
	assert.Equal(t, []string{
		"cri.name", "spec.kubernetes.version", "machine.type", "providerConfig.dataVolumes[name=a/b].iops", `providerConfig["odd.name"]`,
		"spec.systemComponents.nodeLocalDNS.enabled", "volume.size",
	}, paths(got.Changes))
	pointers := map[string]string{}
	for _, c := range got.Changes {
		pointers[c.Path] = c.Pointer
	}
	assert.Equal(t, "/providerConfig/dataVolumes/0/iops", pointers["providerConfig.dataVolumes[name=a/b].iops"])
	assert.Equal(t, "/providerConfig/odd.name", pointers[`providerConfig["odd.name"]`])
	assert.Equal(t, "/spec/kubernetes/version", pointers["spec.kubernetes.version"])
}

// TestAnElementInPlaceOfAnother: the pointer of an element that is removed from a keyed list leads into the old list, and
// may be that of the element which is added. Both are changes, also where several readings of the manifests are judged.
func TestAnElementInPlaceOfAnother(t *testing.T) {
	t.Parallel()
	const reserved = "kubernetes.kubelet.kubeReserved"
	named := func(name string) edit { return config("dataVolumes", list{object{"name": name, "iops": 1}}) }
	for name, reservations := range map[string][2]any{
		"one reading": {nil, nil},
		"one reading for each reservation that may be filled in": {object{"cpu": "60m"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			side := func(i int, volume string) []byte {
				return manifest(t, "shoot.yaml", append(byUser("shoot.yaml"), at(reserved, reservations[i]), named(volume))...)
			}
			var got []string
			for _, change := range compare(t, side(0, "a"), side(1, "b"), options(t)).Changes {
				if strings.Contains(change.Path, "dataVolumes") {
					got = append(got, fmt.Sprint(change.Op, " ", change.Path, " ", change.Verdict))
				}
			}
			assert.Equal(t, []string{
				"remove providerConfig.dataVolumes[name=a].iops roll", "add providerConfig.dataVolumes[name=b].iops roll",
			}, got)
		})
	}
}

// TestEveryChangeOfAConfigIsTold: what a Schema finds in two configs is in the comparison of their pools, with its class.
func TestEveryChangeOfAConfigIsTold(t *testing.T) {
	schema, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		reserved := rapid.SampledFrom([]any{nil, object{"cpu": "60m"}}) // with another one, there are several readings
		var sides, configs [2][]byte
		for i := range sides {
			drawn := drawVolumes(rt)
			configs[i], err = json.Marshal(drawn)
			require.NoError(rt, err)
			sides[i] = manifest(
				t, "shoot.yaml",
				append(byUser("shoot.yaml"), at("kubernetes.kubelet.kubeReserved", reserved.Draw(rt, "reserved")), at("providerConfig", drawn))...,
			)
		}
		found, err := schema.DiffRaw(configs[0], configs[1])
		require.NoError(rt, err)
		var told []string
		for _, change := range compare(t, sides[0], sides[1], options(t)).Changes {
			told = append(told, fmt.Sprint(change.Op, " ", change.Path, " ", change.Class))
		}
		for _, change := range found {
			require.Contains(rt, told, fmt.Sprint(change.Op, " providerConfig.", change.Path, " ", change.Class))
		}
	})
}

// drawVolumes draws a provider config with fields of each class and data volumes. These have any order.
func drawVolumes(t *rapid.T) object {
	config := object{"apiVersion": configVersion, "kind": configKind}
	values := map[string][]any{
		"preference": {"a", "b"}, "agent": {"a", "b"}, "hint": {"a", "b"}, "volume": {object{"name": "", "iops": 1}, object{"name": ""}},
		"tags": {object{"a": "b"}, object{"a": "c", "d": "e"}},
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if rapid.Bool().Draw(t, name) {
			config[name] = rapid.SampledFrom(values[name]).Draw(t, "value")
		}
	}
	var volumes list
	names := rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "names")
	for _, name := range names[:rapid.IntRange(0, 3).Draw(t, "volumes")] {
		volumes = append(volumes, object{"name": name, "iops": rapid.IntRange(1, 2).Draw(t, "iops")})
	}
	config["dataVolumes"] = volumes
	return config
}

func TestProviderConfigErrorsNameThePool(t *testing.T) {
	t.Parallel()
	broken := manifest(t, "shoot.yaml", edit{shootsPool + "providerConfig.volume.iopz", 1}, edit{shootsPool + "providerConfig.agent", 1})
	_, err := pool.NewPlan(read(t, manifest(t, "shoot.yaml")), read(t, broken), options(t))
	problems := fault.All(err)
	require.Len(t, problems, 2)
	for _, p := range problems {
		assert.Equal(
			t, map[string]string{"providerConfig.agent": "wrong-json-type", "providerConfig.volume.iopz": "unknown-member"}[p.Path], p.Code,
		)
		assert.Equal(t, `pool "cpu-worker"`, p.Where)
	}
	require.Error(t, pool.Check(read(t, broken).Pools, options(t)))
	require.NoError(t, pool.Check(read(t, manifest(t, "shoot.yaml")).Pools, options(t)))
}

func TestPoolsThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	aws := read(t, manifest(t, "shoot.yaml"))
	gcp := read(t, manifest(t, "shoot.yaml", edit{"spec.provider.type", "gcp"}))
	_, err := pool.NewPlan(aws, gcp, options(t))
	codes(t, err, "other-provider")
	version := manifest(t, "shoot.yaml", edit{"spec.kubernetes.version", "one"})
	_, err = pool.NewPlan(aws, read(t, version), options(t))
	codes(t, err, "malformed-version")
	nameless := aws.Pools[0]
	nameless.Worker.Name = ""
	_, err = comparePools(nameless, nameless, options(t))
	codes(t, err, "no-pool-name", "no-pool-name")
}

// codes expects the codes of all problems.
func codes(tb testing.TB, err error, want ...string) {
	tb.Helper()
	var got []string
	for _, p := range fault.All(err) {
		got = append(got, p.Code)
		assert.NotEmpty(tb, p.Error())
	}
	assert.Equal(tb, want, got, "%v", err)
}

func TestConfigsOnTheirOwn(t *testing.T) {
	t.Parallel()
	head := `"apiVersion":"` + configVersion + `","kind":"` + configKind + `"`
	old := []byte("{" + head + "}")
	updated := []byte("{" + head + `,"agent":"2"}`)
	got, err := comparePools(facts.Bare(old), facts.Bare(updated), options(t))
	require.NoError(t, err)
	assert.Equal(t, verdict.Roll, got.Verdict)
	assert.Equal(t, []string{"agent"}, paths(got.Changes))
	assert.Equal(t, "/agent", got.Changes[0].Pointer)
	assert.Equal(t, []facts.Unknown{facts.RestOfPool}, got.Unknown)
	assert.Equal(t, []verdict.Rule{verdict.StrategyIsRollingUpdate}, got.Rules)

	o := options(t)
	o.Strategy = &strategies[1]
	got, err = comparePools(facts.Bare(nil), facts.Bare(updated), o)
	require.NoError(t, err)
	assert.Equal(t, verdict.InPlaceUpdate, got.Verdict)
	assert.Equal(t, []facts.Unknown{facts.RestOfPool}, got.Unknown)
	assert.Equal(t, []verdict.Rule{verdict.DriverAppliesInPlace}, got.Rules)

	got, err = comparePools(facts.Bare(nil), facts.Bare([]byte("null")), judge.Options{Providers: extensions.All()})
	require.NoError(t, err)
	assert.Equal(t, verdict.None, got.Verdict)

	got, err = comparePools(facts.Bare(old), facts.Bare(updated), judge.Options{Providers: extensions.All()})
	require.NoError(t, err)
	assert.Equal(t, verdict.Indeterminate, got.Verdict)
	assert.Equal(t, []string{"agent"}, paths(got.Changes))
	_, err = comparePools(facts.Bare(old), facts.Bare([]byte("{"+head+`,"agent":2}`)), options(t))
	require.Error(t, err)
}

// TestIndeterminateOutweighsNone: one leaf has two differences. It is not known whether the name
// depends on the first, because the eras disagree. It does not depend on the second. Once the leaf
// had the verdict on the second.
func TestIndeterminateOutweighsNone(t *testing.T) {
	t.Parallel()
	type config struct {
		metav1.TypeMeta `json:",inline"`

		Free any `json:"free,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	naming := &judge.Naming{Versions: []string{"1.33", "1.34"}, Additional: func(p *facts.Pool) (judge.Additional, error) {
		var read struct{ Free struct{ A string } }
		err := json.Unmarshal(p.Config.Raw(), &read)
		if p.Worker.KubernetesVersion == "1.34" {
			read.Free.A = ""
		}
		return judge.Additional{Data: []string{read.Free.A}}, err
	}}
	of := func(free string) facts.Pool {
		p := examplePool("aws", "")
		p.Config = facts.ConfigOf([]byte(`{"apiVersion":"v1","kind":"Config","free":` + free + `}`))
		return p
	}
	o := judge.Options{Providers: extensions.All(), Naming: naming, Schema: func(facts.TypeMeta) *hotupdate.Schema { return schema }}
	for updated, want := range map[string]verdict.Verdict{
		`{"a":"1","b":"2"}`: verdict.None, `{"a":"2","b":"1"}`: verdict.Indeterminate, `{"a":"2","b":"2"}`: verdict.Indeterminate,
	} {
		got, err := comparePools(of(`{"a":"1","b":"1"}`), of(updated), o)
		require.NoError(t, err)
		assert.Equal(t, want.String(), got.Verdict.String(), updated)
	}
}

// TestCausesTogether: the name depends on two fields only together. Both are causes, and the field beside them is none.
func TestCausesTogether(t *testing.T) {
	t.Parallel()
	type config struct {
		metav1.TypeMeta `json:",inline"`

		A string `json:"a,omitempty"`
		B string `json:"b,omitempty"`
		C string `json:"c,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	naming := &judge.Naming{Versions: []string{""}, Additional: func(p *facts.Pool) (judge.Additional, error) {
		read := config{}
		err := json.Unmarshal(p.Config.Raw(), &read)
		if read.A == "" || read.B == "" {
			return judge.Additional{}, err
		}
		return judge.Additional{Data: []string{"both"}}, err
	}}
	of := func(config string) facts.Pool {
		p := examplePool("aws", "1.34.1")
		p.Config = facts.ConfigOf([]byte(config))
		return p
	}
	o := judge.Options{Providers: extensions.All(), Naming: naming, Schema: func(facts.TypeMeta) *hotupdate.Schema { return schema }}
	const typed = `{"apiVersion":"v1","kind":"Config"`
	for old, want := range map[string]map[string]verdict.Verdict{
		typed + `}`:         {"a": verdict.Roll, "b": verdict.Roll, "c": verdict.None},
		typed + `,"b":"1"}`: {"a": verdict.Roll, "c": verdict.None},
		`null`:              {"a": verdict.Roll, "b": verdict.Roll, "c": verdict.None},
	} {
		got, err := comparePools(of(old), of(typed+`,"a":"1","b":"1","c":"1"}`), o)
		require.NoError(t, err)
		assert.Equal(t, verdict.Roll.String(), got.Verdict.String())
		for field, v := range want {
			i := slices.IndexFunc(got.Changes, func(f judge.Finding) bool { return f.Path == "providerConfig."+field })
			require.GreaterOrEqual(t, i, 0, field)
			assert.Equal(t, v.String(), got.Changes[i].Verdict.String(), "%s: %s", old, field)
		}
	}
}
