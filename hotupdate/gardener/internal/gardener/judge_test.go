package gardener_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// written returns a Shoot of testdata.
func written(tb testing.TB, name string) object {
	tb.Helper()
	return toObject(tb, toJSON(tb, readYAML(tb, "shoots/"+name+".yaml")))
}

func with(shoot object, value any, path ...any) object {
	return edit{path: path, value: value}.apply(shoot)
}

func without(shoot object, path ...any) object { return edit{path: path, absent: true}.apply(shoot) }

// ask answers a question about two Shoots, the new one of which kubectl apply applies.
func ask(tb testing.TB, judge *gardener.Judge, old, updated object) gardenerplugin.Answer {
	tb.Helper()
	answer := judge.Judge(gardenerplugin.Question{ID: "q", Old: toJSON(tb, old), New: toJSON(tb, updated), Apply: "client"})
	require.Empty(tb, answer.Error)
	require.Equal(tb, "q", answer.ID)
	require.NotEmpty(tb, answer.Outcomes)
	return answer
}

// changesOf returns the changes of an outcome's pools.
func changesOf(outcome gardenerplugin.Outcome) map[string]gardenerplugin.Change {
	all := map[string]gardenerplugin.Change{}
	for _, pool := range outcome.Pools {
		all[pool.Name] = pool.Change
	}
	return all
}

func bareJudge(tb testing.TB) *gardener.Judge {
	tb.Helper()
	judge, ignored, err := gardener.New(gardenerplugin.Setup{FormatVersion: gardenerplugin.FormatVersion})
	require.NoError(tb, err)
	require.Empty(tb, ignored)
	return judge
}

// TestLandscapes: where the configuration of gardener-apiserver decides, the answer has all outcomes
// and names what decides, Gardener's default first.
func TestLandscapes(t *testing.T) {
	judge := newJudge(t)
	fresh := written(t, "gcp-inplace")
	all := []gardenerplugin.Landscape{
		{}, {UseGKEFormula: true}, {NodeLocalDNSByDefault: true}, {UseGKEFormula: true, NodeLocalDNSByDefault: true},
	}

	same := ask(t, judge, fresh, with(fresh, "x", "metadata", "labels", "a"))
	require.Len(t, same.Outcomes, 1)
	assert.ElementsMatch(t, all, same.Outcomes[0].Landscapes)
	assert.Empty(t, same.DependsOn)

	formula := ask(t, judge, fresh, with(fresh, "200Mi", "spec", "kubernetes", "kubelet", "evictionHard", "memoryAvailable"))
	require.Len(t, formula.Outcomes, 2)
	assert.Contains(t, formula.Outcomes[0].Landscapes, gardenerplugin.Landscape{})
	assert.Equal(t, gardenerplugin.InPlace, changesOf(formula.Outcomes[0])["auto"])
	assert.Equal(t, gardenerplugin.NoChange, changesOf(formula.Outcomes[1])["auto"], "the pool has a kubelet of its own")
	assert.Equal(t, []string{"useGKEFormula of the admission plugin ShootResourceReservation"}, formula.DependsOn)

	old := with(fresh, "1.33.2", "spec", "kubernetes", "version") // below 1.34 the key has it
	dns := ask(t, judge, old, with(old, false, "spec", "systemComponents", "nodeLocalDNS", "enabled"))
	require.Len(t, dns.Outcomes, 2)
	assert.Equal(t, gardenerplugin.NoChange, changesOf(dns.Outcomes[0])["rolling"])
	assert.Equal(t, []string{"the admission plugin ShootNodeLocalDNSEnabledByDefault"}, dns.DependsOn)
}

// TestAssumedWindow: a Shoot without a maintenance window has the assumed one, also if it was read from a cluster.
// Gardener would draw another one for each question, and refuse some changes of a window by chance.
func TestAssumedWindow(t *testing.T) {
	judge := newJudge(t)
	const assumed = "the maintenance window is from 22:00 to 23:00 UTC: Gardener draws one if there is none"
	for _, name := range []string{"gcp-inplace", "openstack-live"} {
		require.NotContains(t, written(t, name)["spec"], "maintenance")
		for i := range 8 {
			old := with(written(t, name), strconv.Itoa(i), "metadata", "labels", "question")
			answer := ask(t, judge, old, with(old, "200000+0000", "spec", "maintenance", "timeWindow", "begin"))
			require.Empty(t, answer.Outcomes[0].Refusals, "%s: from 20:00 to 23:00", name)
			require.Contains(t, answer.Assumed, assumed, name)
		}
	}
}

// TestMissingObjects: what an object decides that was not given is not decided, and the object is
// named.
func TestMissingObjects(t *testing.T) {
	gcp := written(t, "gcp")
	image := []any{"spec", "provider", "workers", 2, "machine", "image"}
	tests := []struct {
		name    string
		updated object
		want    gardenerplugin.Change
	}{
		{"a label", with(gcp, "b", "metadata", "labels", "a"), gardenerplugin.NoChange},
		{"another machine type", with(gcp, "n2-standard-8", "spec", "provider", "workers", 2, "machine", "type"), gardenerplugin.Roll},
		{"another image", with(gcp, object{"name": "other", "version": "1.2.3"}, image...), gardenerplugin.Roll},
		{"the same image by default", without(gcp, image...), gardenerplugin.NoChange},
		{"the default image", with(gcp, object{}, image...), gardenerplugin.Undecided},
		{"a part of a version", with(gcp, "1443", append(image, "version")...), gardenerplugin.Undecided},
		{
			"the default image and another type",
			with(with(gcp, object{}, image...), "n2-standard-8", "spec", "provider", "workers", 2, "machine", "type"),
			gardenerplugin.Roll,
		},
	}
	judge := bareJudge(t)
	for _, test := range tests {
		answer := ask(t, judge, gcp, test.updated)
		require.Len(t, answer.Outcomes, 1, test.name)
		require.Empty(t, answer.Outcomes[0].Refusals, test.name)
		pool := answer.Outcomes[0].Pools[2]
		assert.Equal(t, test.want, pool.Change, test.name)
		assert.Equal(t, test.want == gardenerplugin.Undecided, pool.Because != "", test.name)
		assert.ElementsMatch(t, []gardenerplugin.Reference{
			{Kind: "CloudProfile", Name: "gcp"},
			{Kind: "CredentialsBinding", Namespace: "garden-dev", Name: "account-gcp"},
		}, answer.Missing, test.name)
	}
	assert.Empty(t, ask(t, newJudge(t), gcp, gcp).Missing)
}

// TestAssumedMachineType: without the CloudProfile, it is not known what useGKEFormula reserves by the machine type. So
// it is not decided whether the pool rolls that states what was filled in, or no longer does. What both sides state, or
// leave out, is decided.
func TestAssumedMachineType(t *testing.T) {
	judge := bareJudge(t)
	shoot := without(written(t, "gcp"), "spec", "kubernetes", "kubelet")
	path := func(names ...any) []any {
		return append([]any{"spec", "provider", "workers", 2, "kubernetes"}, names...)
	}
	reserving := func(cpu string) object {
		reserved := object{"cpu": cpu, "memory": "2Gi"}
		return with(shoot, object{"kubelet": object{"maxPods": 100, "kubeReserved": reserved}}, path()...)
	}
	bare := with(shoot, object{"kubelet": object{"maxPods": 100}}, path()...)
	for text, test := range map[string]struct {
		old, updated object
		want         gardenerplugin.Change
	}{
		"stated":                    {bare, reserving("100m"), gardenerplugin.Undecided},
		"left out":                  {reserving("100m"), bare, gardenerplugin.Undecided},
		"stated otherwise":          {reserving("100m"), reserving("200m"), gardenerplugin.Roll},
		"left out in both":          {bare, with(bare, 5, path("kubelet", "containerLogMaxFiles")...), gardenerplugin.NoChange},
		"more than any machine has": {reserving("200k"), reserving("400k"), gardenerplugin.Roll},
		"one member stated":         {bare, with(bare, "1Gi", path("kubelet", "kubeReserved", "memory")...), gardenerplugin.Undecided},
		"beside a change": {
			bare, with(reserving("100m"), "n1-standard-8", "spec", "provider", "workers", 2, "machine", "type"), gardenerplugin.Roll,
		},
	} {
		for _, outcome := range ask(t, judge, test.old, test.updated).Outcomes {
			isByFormula := slices.Contains(outcome.Landscapes, gardenerplugin.Landscape{UseGKEFormula: true})
			if isByFormula {
				require.Empty(t, outcome.Refusals, text)
				assert.Equal(t, test.want, changesOf(outcome)["rolling"], text)
			}
		}
	}
}

// TestMissingObjectsDoNotRefuse: nothing is refused for want of an object, over all Shoots.
func TestMissingObjectsDoNotRefuse(t *testing.T) {
	bare := bareJudge(t)
	judge := newJudge(t)
	for _, b := range bases(t, judge) {
		answer := ask(t, bare, b.old(), b.shoot)
		assert.Empty(t, answer.OldRefusals, b.name)
		assert.Empty(t, answer.Outcomes[0].Refusals, b.name)
	}
}

// TestMissingObjectsAgree: what was not given does not stand against what was, nor against a change that
// the landscape may admit.
func TestMissingObjectsAgree(t *testing.T) {
	openstack := written(t, "openstack")
	credentials := with(without(openstack, "spec", "secretBindingName"), "account", "spec", "credentialsBindingName")
	aws := written(t, "aws")
	profile := object{"kind": "NamespacedCloudProfile", "name": "own"}
	managed := with(aws, "managed", "metadata", "annotations", "authentication.gardener.cloud/issuer")
	managed = without(managed, "spec", "kubernetes", "kubeAPIServer", "serviceAccountConfig", "issuer")
	plugin := []any{object{"name": "ValidatingAdmissionWebhook", "kubeconfigSecretName": "kubeconfig"}}
	secret := []any{object{"name": "k", "resourceRef": object{"apiVersion": "v1", "kind": "Secret", "name": "kubeconfig"}}}
	named := with(aws, "a-name-of-20-letters", "metadata", "name")
	tests := []struct {
		name         string
		old, updated object
	}{
		{"another kind of binding", openstack, credentials},
		{"a profile of the own below the same one", aws, with(aws, profile, "spec", "cloudProfile")},
		{"a managed issuer", aws, managed},
		{
			"the kubeconfig of a plugin", aws,
			with(with(aws, plugin, "spec", "kubernetes", "kubeAPIServer", "admissionPlugins"), secret, "spec", "resources"),
		},
		{"no namespace", without(aws, "metadata", "namespace"), without(aws, "metadata", "namespace")},
		{"a long name", named, named},
		{"another zone", aws, with(aws, []any{"eu-central-1a", "new"}, "spec", "provider", "workers", 0, "zones")},
		{"a lower image", aws, with(aws, "1.2.3", "spec", "provider", "workers", 0, "machine", "image", "version")},
		{"another minor", aws, with(aws, "1.34.7", "spec", "kubernetes", "version")},
	}
	bare := bareJudge(t)
	for _, test := range tests {
		answer := ask(t, bare, test.old, test.updated)
		assert.Empty(t, answer.OldRefusals, test.name)
		assert.Empty(t, answer.Outcomes[0].Refusals, test.name)
	}
	judge := newJudge(t) // with the SecretBinding
	assert.Empty(t, ask(t, judge, openstack, credentials).Outcomes[0].Refusals)
}

// TestMissingObjectsOfOneQuestion: what a question permits is not there for the next one.
func TestMissingObjectsOfOneQuestion(t *testing.T) {
	judge := bareJudge(t)
	gcp := written(t, "gcp")
	first := ask(t, judge, gcp, gcp)
	ask(t, judge, gcp, with(gcp, "n2-standard-8", "spec", "provider", "workers", 2, "machine", "type"))
	assert.Equal(t, first, ask(t, judge, gcp, gcp))
}

// TestAssumedImage: an image that a Shoot got when it was created is not known, since the CloudProfile
// has others since.
func TestAssumedImage(t *testing.T) {
	judge := newJudge(t)
	openstack := written(t, "openstack")
	second := []any{"spec", "provider", "workers", 1}
	image := slices.Concat(second, []any{"machine", "image"})
	full := object{"name": "gardenlinux", "version": "1500.0.0"}
	tests := []struct {
		name    string
		updated object
		want    gardenerplugin.Change
	}{
		{"nothing", openstack, gardenerplugin.NoChange},
		{"an image", with(openstack, full, image...), gardenerplugin.Undecided},
		{
			"an image and another type", with(with(openstack, full, image...), "m5.large", append(second, "machine", "type")...),
			gardenerplugin.Roll,
		},
		{"another type", with(openstack, "m5.large", append(second, "machine", "type")...), gardenerplugin.Roll},
	}
	for _, test := range tests {
		answer := ask(t, judge, openstack, test.updated)
		require.Empty(t, answer.Outcomes[0].Refusals, test.name)
		assert.Equal(t, test.want, changesOf(answer.Outcomes[0])["two"], test.name)
	}
}

// askBy answers a question about two Shoots, of which the new one is applied in a way.
func askBy(tb testing.TB, judge *gardener.Judge, way string, old, updated object) gardenerplugin.Answer {
	tb.Helper()
	answer := judge.Judge(gardenerplugin.Question{Old: toJSON(tb, old), New: toJSON(tb, updated), Apply: way})
	require.Empty(tb, answer.Error)
	require.NotEmpty(tb, answer.Outcomes)
	return answer
}

// TestMerge: a manifest is applied as kubectl apply does; two objects of a cluster are compared as
// they are.
func TestMerge(t *testing.T) {
	judge := newJudge(t)
	manifest := written(t, "aws")
	stored, refusals, err := judge.Stored(toJSON(t, manifest))
	require.NoError(t, err)
	require.Empty(t, refusals)
	live := toObject(t, stored)
	bare := without(without(manifest, "spec", "kubernetes", "kubeProxy"), "spec", "purpose")

	answer := askBy(t, judge, "client", manifest, bare)
	assert.Empty(t, answer.Outcomes[0].Refusals)

	answer = ask(t, judge, live, with(live, "x", "metadata", "labels", "a"))
	assert.Empty(t, answer.Outcomes[0].Refusals)

	// As they are, the Shoot loses a field that must not change.
	answer = ask(t, judge, live, without(live, "spec", "networking", "pods"))
	assert.Equal(t, "spec.networking.pods", answer.Outcomes[0].Refusals[0].Field)

	// A live Shoot without the annotation of kubectl apply loses nothing, and one with it what the
	// annotation has.
	noMask := without(manifest, "spec", "kubernetes", "kubelet", "cpuManagerPolicy")
	answer = askBy(t, judge, "client", live, noMask)
	assert.Contains(t, answer.Assumed[len(answer.Assumed)-1], "kubectl apply removes nothing")
	assert.Equal(t, gardenerplugin.NoChange, changesOf(answer.Outcomes[0])["plain"])
	last := with(live, string(toJSON(t, manifest)), "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	assert.Equal(t, gardenerplugin.Roll, changesOf(askBy(t, judge, "client", last, noMask).Outcomes[0])["plain"])
}

// TestWays: pools are merged by name by kubectl apply and by server-side apply, and replaced by replace. Without a
// way, all are answered, and the answer says that the way decides.
func TestWays(t *testing.T) {
	judge := newJudge(t)
	manifest := written(t, "aws")
	stored, _, err := judge.Stored(toJSON(t, manifest))
	require.NoError(t, err)
	live := toObject(t, stored)
	noMask := without(manifest, "spec", "kubernetes", "kubelet", "cpuManagerPolicy")
	for way, want := range map[string]gardenerplugin.Change{
		"client": gardenerplugin.NoChange, "server": gardenerplugin.NoChange, "server=flux": gardenerplugin.NoChange,
		"replace": gardenerplugin.Roll,
	} {
		answer := askBy(t, judge, way, live, noMask)
		assert.Equal(t, want, changesOf(answer.Outcomes[0])["plain"], way)
		assert.Empty(t, answer.DependsOn, way)
		// what the old manifest has and the new one has not goes in every way
		assert.Equal(t, gardenerplugin.Roll, changesOf(askBy(t, judge, way, manifest, noMask).Outcomes[0])["plain"], way)
		assert.Empty(t, askBy(t, judge, way, manifest, manifest).Outcomes[0].Refusals, way)
	}
	answer := askBy(t, judge, "", live, noMask)
	require.Len(t, answer.Outcomes, 2)
	require.Len(t, answer.DependsOn, 1)
	assert.Contains(t, answer.DependsOn[0], "the way in which the manifest is applied")
	assert.Empty(t, askBy(t, judge, "", manifest, noMask).DependsOn)
	answer = judge.Judge(gardenerplugin.Question{Old: toJSON(t, manifest), New: toJSON(t, noMask), Apply: "patch"})
	assert.Contains(t, answer.Error, "must be client, server")
}

// TestUndeclaredMembers: a member of the old manifest that Gardener's types do not have, such as a member of an older
// release, was dropped when the manifest was stored. It does not refuse the next server-side apply.
func TestUndeclaredMembers(t *testing.T) {
	judge := newJudge(t)
	updated := written(t, "gcp")
	old := with(with(updated, object{"a": 1}, "spec", "noSuchMember"), "x", "spec", "provider", "workers", 0, "machine", "noSuchMember")
	for _, way := range []string{"client", "server"} {
		answer := judge.Judge(gardenerplugin.Question{ID: "q", Old: toJSON(t, old), New: toJSON(t, updated), Apply: way})
		require.Empty(t, answer.Error, way)
		require.Len(t, answer.Outcomes, 1, way)
		assert.Empty(t, answer.Outcomes[0].Refusals, way)
		assert.Equal(t, gardenerplugin.NoChange, changesOf(answer.Outcomes[0])["rolling"], way)
	}
}

// TestCreate: without an old Shoot the new one is created.
func TestCreate(t *testing.T) {
	judge := newJudge(t)
	aws := written(t, "aws")
	answer := judge.Judge(gardenerplugin.Question{New: toJSON(t, aws)})
	require.Len(t, answer.Outcomes, 1)
	for _, pool := range answer.Outcomes[0].Pools {
		assert.Equal(t, gardenerplugin.Added, pool.State)
		assert.Equal(t, gardenerplugin.NoChange, pool.Change)
		assert.NotEmpty(t, pool.NewKey)
	}
	answer = judge.Judge(gardenerplugin.Question{New: toJSON(t, with(aws, json.Number("-1"), "spec", "provider", "workers", 0, "minimum"))})
	assert.Equal(t, "spec.provider.workers[0].minimum", answer.Outcomes[0].Refusals[0].Field)
}

// TestPoolsComeAndGo: added and removed pools are told, in the order of the new Shoot.
func TestPoolsComeAndGo(t *testing.T) {
	judge := newJudge(t)
	aws := written(t, "aws")
	workers, _ := aws["spec"].(object)["provider"].(object)["workers"].([]any)
	renamed := with(aws, "other", "spec", "provider", "workers", 1, "name")
	answer := ask(t, judge, aws, renamed)
	var states []gardenerplugin.State
	for _, pool := range answer.Outcomes[0].Pools {
		states = append(states, pool.State)
	}
	assert.Len(t, workers, 2)
	assert.Equal(t, []gardenerplugin.State{gardenerplugin.Kept, gardenerplugin.Added, gardenerplugin.Removed}, states)
}

// TestBadInput: what cannot be judged is an error of this question, or a refusal of the new Shoot.
func TestBadInput(t *testing.T) {
	judge := newJudge(t)
	aws := written(t, "aws")
	text := toJSON(t, aws)
	for name, q := range map[string]gardenerplugin.Question{
		"nothing":             {},
		"no new Shoot":        {Old: text},
		"old is no JSON":      {Old: []byte("{"), New: text},
		"old is another kind": {Old: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed"}`), New: text},
		"old is unknown":      {Old: []byte(`{"apiVersion":"a/v1","kind":"B"}`), New: text},
		"old is a list":       {Old: []byte(`[]`), New: text},
		"old has a number":    {Old: toJSON(t, with(aws, "x", "spec", "provider", "workers", 0, "minimum")), New: text},
	} {
		answer := judge.Judge(q)
		assert.NotEmpty(t, answer.Error, name)
		assert.Empty(t, answer.Outcomes, name)
	}
	for name, updated := range map[string]json.RawMessage{
		"null": []byte("null"), "no JSON": []byte("{"), "a list": []byte("[]"), "empty": []byte("{}"),
		"another kind":     []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed"}`),
		"an unknown field": toJSON(t, with(aws, "x", "spec", "noSuchField")),
		"another type":     toJSON(t, with(aws, "x", "spec", "provider", "workers", 0, "minimum")),
		"a field twice":    []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"region":"a","region":"b"}}`),
	} {
		answer := judge.Judge(gardenerplugin.Question{Old: text, New: updated})
		require.Empty(t, answer.Error, name)
		require.NotEmpty(t, answer.Outcomes[0].Refusals, name)
		assert.Equal(t, "decoding", answer.Outcomes[0].Refusals[0].By, name)
	}
	answer := judge.Judge(gardenerplugin.Question{Old: text, New: toJSON(t, with(aws, "x", "spec", "noSuchField"))})
	assert.Equal(t, "spec.noSuchField", answer.Outcomes[0].Refusals[0].Field)
}

// TestPanics: where Gardener's code panics, the question has an error that names the function, and the
// next question is answered.
func TestPanics(t *testing.T) {
	judge := newJudge(t)
	live := bases(t, judge)[len(bases(t, judge))-1].shoot
	answer := judge.Judge(gardenerplugin.Question{ID: "p", Old: toJSON(t, live), New: toJSON(t, without(live, "spec", "provider"))})
	assert.Equal(t, "p", answer.ID)
	assert.Contains(t, answer.Error, "plugin/pkg/shoot/mutator")
	assert.Empty(t, answer.Outcomes)
	assert.Empty(t, ask(t, judge, live, live).Outcomes[0].Refusals)
}

// TestSetup: objects that admission does not read are told, and feature gates are checked.
func TestSetup(t *testing.T) {
	s := gardenerplugin.Setup{FormatVersion: gardenerplugin.FormatVersion, Objects: []json.RawMessage{
		[]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Quota","metadata":{"namespace":"n","name":"q"}}`),
		[]byte(`{"apiVersion":"a/v1","kind":"B"}`),
		[]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"NamespacedCloudProfile","metadata":{"name":"p"}}`),
		[]byte(`nothing`),
	}}
	_, ignored, err := gardener.New(s)
	require.NoError(t, err)
	require.Len(t, ignored, 4)
	assert.Contains(t, ignored[0], "Quota n/q")
	assert.Contains(t, ignored[2], "status.cloudProfileSpec")

	_, _, err = gardener.New(gardenerplugin.Setup{FormatVersion: 99})
	require.ErrorContains(t, err, "99")
	_, _, err = gardener.New(gardenerplugin.Setup{
		FormatVersion: gardenerplugin.FormatVersion, FeatureGates: map[string]bool{"NoSuchGate": true},
	})
	require.ErrorContains(t, err, "NoSuchGate")
}

// TestFeatureGates: the gate for in-place updates decides whether a new pool can have them.
func TestFeatureGates(t *testing.T) {
	s := setup(t)
	s.FeatureGates = map[string]bool{"InPlaceNodeUpdates": false}
	judge, _, err := gardener.New(s)
	require.NoError(t, err)
	aws := written(t, "aws")
	inPlace := with(aws, "AutoInPlaceUpdate", "spec", "provider", "workers", 1, "updateStrategy")
	inPlace = with(inPlace, "other", "spec", "provider", "workers", 1, "name")
	answer := ask(t, judge, aws, inPlace)
	assert.Equal(t, "spec.provider.workers[1].updateStrategy", answer.Outcomes[0].Refusals[0].Field)
	assert.Empty(t, ask(t, newJudge(t), aws, inPlace).Outcomes[0].Refusals)
}
