package pool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// An indeterminate verdict asks for each fact that it lacks: who has it, how to state it, and what each value
// gives. What it can become are the verdicts that the values give.
func TestQuestionsOfPools(t *testing.T) {
	t.Parallel()
	own := shootsPool + "kubernetes.kubelet."
	const (
		before1 = 0
		after1  = 1
	)
	for _, test := range []struct {
		name   string
		edits  [2][]edit
		may    []verdict.Verdict
		want   []string
		reason string
	}{
		{
			"the Kubernetes version is left out",
			[2][]edit{after1: {{"spec.kubernetes.version", nil}}},
			[]verdict.Verdict{verdict.None, verdict.Roll},
			[]string{"the newest Kubernetes version (the same as on the other side gives none, another one gives roll), in the CloudProfile; name it with --cloudprofile"},
			"Gardener takes the newest version",
		},
		{
			"the Kubernetes version is left out, and a tag is added",
			[2][]edit{after1: {{"spec.kubernetes.version", nil}, {shootsPool + "providerConfig.tags.a", "b"}}},
			[]verdict.Verdict{verdict.HotUpdate, verdict.Roll},
			[]string{"the newest Kubernetes version (the same as on the other side gives hot-update, another one gives roll), in the CloudProfile; name it with --cloudprofile"},
			"the tag is there whatever the version",
		},
		{
			"the Kubernetes version is left out, and the machine type changes",
			[2][]edit{after1: {{"spec.kubernetes.version", nil}, {shootsPool + "machine.type", "x"}}},
			[]verdict.Verdict{verdict.Roll},
			nil,
			"the pool rolls, whatever the version",
		},
		{
			"a reservation is removed",
			[2][]edit{before1: {{own + "kubeReserved", map[string]any{"cpu": "60m"}}}, after1: {{own + "kubeReserved", nil}}},
			[]verdict.Verdict{verdict.None, verdict.Roll},
			[]string{
				"useGKEFormula (false gives roll, true gives roll or none), in the configuration of Gardener's admission plugin ShootResourceReservation; state landscape.useGKEFormula in .hotupdate.yaml",
				"the reservation for the machine type (the one of a manifest gives roll or none, another one gives roll), in the CloudProfile; name it with --cloudprofile",
			},
			"only the formula can reserve the same, for some machine types",
		},
		{
			"a field that nobody judges",
			[2][]edit{after1: {{shootsPool + "somethingNew", "x"}}},
			verdict.Any().Verdicts(),
			nil,
			"it is listed as not judged",
		},
	} {
		user := byUser("shoot.yaml")
		old := append(append([]edit{}, user...), test.edits[before1]...)
		updated := append(append([]edit{}, old...), test.edits[after1]...)
		got := compare(t, manifest(t, "shoot.yaml", old...), manifest(t, "shoot.yaml", updated...), options(t))
		var asked []string
		for _, question := range got.Questions {
			asked = append(asked, question.String())
		}
		assert.Equal(t, test.want, asked, "%s: %s", test.name, test.reason)
		assert.ElementsMatch(t, test.may, got.Possible().Verdicts(), test.name)
	}
}

// Every indeterminate verdict of verdicts.txt asks something or names what was not judged, can become another
// one, and every certain one can only become itself.
func TestIndeterminateVerdictsAsk(t *testing.T) {
	t.Parallel()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	open := 0
	for _, one := range allWritten(t) {
		o.CloudProfile = one.profile
		o.Landscape = one.landscape
		plan, err := pool.NewPlan(read(t, one.old), read(t, one.updated), o)
		require.NoError(t, err, one.line)
		for i := range plan.Pools {
			planned := &plan.Pools[i]
			checkAsks(t, one.line, planned.Effect(), planned.Possible(), planned.Questions, planned.Unjudged)
			open += len(planned.Questions)
		}
		checkAsks(t, one.line, plan.AbovePools.Verdict(), plan.AbovePools.Possible(), plan.Questions(), plan.AbovePools.Unjudged)
		open += len(plan.Questions())
	}
	assert.Greater(t, open, 20, "the lines have indeterminate verdicts")
}

func checkAsks(
	t *testing.T, line string, judged verdict.Verdict, may verdict.Set, asked []verdict.Question, unjudged []string,
) {
	t.Helper()
	assert.False(t, may.Has(verdict.Indeterminate), line)
	if judged != verdict.Indeterminate {
		assert.True(t, may.Has(judged), "%s: %s is among %s", line, judged, may)
		return
	}
	assert.False(t, may.IsOne(), line)
	assert.NotEmpty(t, len(asked)+len(unjudged), "%s asks nothing", line)
	for _, question := range asked {
		assert.NotEmpty(t, question.Fact, line)
		assert.NotEqual(t, verdict.NoRule, question.Rule, line)
		for _, v := range question.Becomes().Verdicts() {
			assert.True(t, may.Has(v), "%s: %s", line, question)
		}
	}
}

// How a manifest is applied decides what becomes of reservations that Gardener has filled in, if a label changes
// that the selector of useGKEFormula reads.
func TestReservationsOfALabel(t *testing.T) {
	t.Parallel()
	old := edited(t, nil)
	updated := edited(t, []edit{{"metadata.labels.team", "a"}})
	profile := profileOfType(t, "2", "8Gi")
	for _, test := range []struct {
		ways   []apply.Way
		want   verdict.Verdict
		reason string
	}{
		{[]apply.Way{{By: apply.Client}}, verdict.None, "the reservations of the Shoot stay, and win"},
		{[]apply.Way{{By: apply.Server}}, verdict.None, "the same"},
		{[]apply.Way{{By: apply.Replace}}, verdict.Roll, "the pool gets reservations by its machine type"},
		{[]apply.Way{{By: apply.Replace}}, verdict.Indeterminate, "without a CloudProfile, the type may give what the Shoot reserves"},
		{nil, verdict.Indeterminate, "the way is not known"},
	} {
		o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Ways: test.ways}
		o.Landscape.GKEFormula = formulaOf(t, "team=a")
		if !strings.HasPrefix(test.reason, "without a CloudProfile") {
			o.CloudProfile = profile
		}
		plan, err := pool.NewPlan(read(t, old), read(t, updated), o)
		require.NoError(t, err)
		assert.Equal(t, test.want.String(), plan.Verdict().String(), test.reason)
		if test.ways == nil {
			require.Len(t, plan.Pools[0].Questions, 1)
			assert.Equal(t, "state it by --apply", plan.Pools[0].Questions[0].Answer)
		}
	}
}

// Where the label comes, the fixed reservations of the Shoot stay unless applying removes the object in which they
// stand. Null does that for client-side apply alone: for server-side apply it is an empty object. A reservation that
// the user removes is filled in again.
func TestReservationsOfNull(t *testing.T) {
	t.Parallel()
	const kubelet = "spec.kubernetes.kubelet"
	label := edit{"metadata.labels.team", "a"}
	cpu := edit{kubelet + ".kubeReserved.cpu", "80m"}
	for name, test := range map[string]struct {
		old, updated []edit
		want         [4]verdict.Verdict // for client, server and replace, and if the way is not known
		asks         []verdict.Rule
	}{
		"null": {
			nil, []edit{label, {kubelet, null{}}}, [4]verdict.Verdict{rolls, none, rolls, unknown}, []verdict.Rule{verdict.KeptReservation},
		},
		"the object is left out": {[]edit{cpu}, []edit{label}, [4]verdict.Verdict{rolls, rolls, rolls, rolls}, nil},
		"spec.kubernetes has no kubelet": {
			nil, []edit{label}, [4]verdict.Verdict{none, none, rolls, unknown}, []verdict.Rule{verdict.KeptReservation},
		},
		"spec.kubernetes is left out": {nil, []edit{label, {"spec.kubernetes", nil}}, [4]verdict.Verdict{rolls, rolls, rolls, rolls}, nil},
		"one member is left out": {
			[]edit{cpu}, []edit{label, {kubelet + ".kubeReserved", object{}}}, [4]verdict.Verdict{none, none, none, none}, nil,
		},
		"another one is left out": {
			[]edit{{kubelet + ".kubeReserved.cpu", "100m"}},
			[]edit{label, {kubelet + ".kubeReserved", object{}}},
			[4]verdict.Verdict{rolls, rolls, rolls, rolls},
			nil,
		},
		"a pool's member is left out, and the label goes": {
			[]edit{label, at("kubernetes.kubelet.kubeReserved.cpu", "70m")},
			[]edit{at("kubernetes.kubelet.kubeReserved", object{})},
			[4]verdict.Verdict{rolls, rolls, rolls, rolls},
			nil,
		},
	} {
		ways := [4][]apply.Way{{{By: apply.Client}}, {{By: apply.Server}}, {{By: apply.Replace}}, nil}
		for i, want := range test.want {
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Ways: ways[i], CloudProfile: profileOfModel(t)}
			o.Landscape.GKEFormula = formulaOf(t, "team=a")
			version := edit{"spec.kubernetes.version", "1.33.2"}
			old := edited(t, append([]edit{version}, test.old...))
			plan, err := pool.NewPlan(read(t, old), read(t, edited(t, append([]edit{version}, test.updated...))), o)
			require.NoError(t, err)
			assert.Equal(t, want.String(), plan.Pools[0].Verdict.String(), "%s, %v", name, ways[i])
			var asked []verdict.Rule
			for _, question := range plan.Pools[0].Questions {
				asked = append(asked, question.Rule)
			}
			if ways[i] == nil {
				assert.Equal(t, test.asks, asked, name)
			}
		}
	}
}

// Reservations of the Shoot replace none that Gardener has filled into the pools, which stay unless the manifest
// replaces the Shoot or removes the part of the pool in which they stand.
func TestReservationsOfTheShoot(t *testing.T) {
	t.Parallel()
	client := []apply.Way{{By: apply.Client}}
	replaced := []apply.Way{{By: apply.Replace}}
	shoot := edit{"spec.kubernetes.kubelet.kubeReserved.cpu", "100m"}
	maxPods := at("kubernetes.kubelet.maxPods", 50)
	cpu := at("kubernetes.kubelet.kubeReserved.cpu", "100m")
	for name, test := range map[string]struct {
		old, updated []edit
		formula      string
		ways         []apply.Way
		want         verdict.Verdict // for m5.large
		asks         []verdict.Rule
		ofType       bool // the verdict depends on the machine type
	}{
		"merged":                 {nil, []edit{shoot}, "true", client, verdict.None, nil, false},
		"server-side":            {nil, []edit{shoot}, "true", []apply.Way{{By: apply.Server}}, verdict.None, nil, false},
		"replaced":               {nil, []edit{shoot}, "true", replaced, verdict.Roll, nil, true},
		"way unknown":            {nil, []edit{shoot}, "true", nil, verdict.Indeterminate, []verdict.Rule{verdict.KeptReservation}, true},
		"without useGKEFormula":  {nil, []edit{shoot}, "false", client, verdict.Roll, nil, false},
		"mode unknown":           {nil, []edit{shoot}, "", client, verdict.Indeterminate, []verdict.Rule{verdict.ReservationMode}, false},
		"replaced, mode unknown": {nil, []edit{shoot}, "", replaced, verdict.Roll, nil, true},
		"both unknown": {
			nil, []edit{shoot}, "", nil, verdict.Indeterminate, []verdict.Rule{verdict.KeptReservation, verdict.ReservationMode}, true,
		},
		"another member stays":     {[]edit{maxPods}, []edit{maxPods, shoot}, "true", client, verdict.None, nil, false},
		"the user's own stays":     {[]edit{cpu}, []edit{cpu, shoot}, "true", client, verdict.None, nil, false},
		"the user's own goes":      {[]edit{cpu}, []edit{shoot}, "true", client, verdict.Roll, nil, true},
		"the pool's kubelet goes":  {[]edit{maxPods}, []edit{shoot}, "true", client, verdict.Roll, nil, true},
		"the pool's kubelet comes": {nil, []edit{maxPods, shoot}, "true", client, verdict.None, nil, false},
	} {
		o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Ways: test.ways}
		if test.formula != "" {
			o.Landscape.GKEFormula = formulaOf(t, test.formula)
		}
		check := func(name string, o judge.Options, want verdict.Verdict, asks []verdict.Rule) {
			plan, err := pool.NewPlan(read(t, edited(t, test.old)), read(t, edited(t, test.updated)), o)
			require.NoError(t, err)
			assert.Equal(t, want.String(), plan.Pools[0].Verdict.String(), name)
			var asked []verdict.Rule
			for _, question := range plan.Pools[0].Questions {
				asked = append(asked, question.Rule)
			}
			assert.ElementsMatch(t, asks, asked, name)
		}
		o.CloudProfile = profileOfType(t, "2", "8Gi")
		check(name, o, test.want, test.asks)
		if !test.ofType {
			o.CloudProfile = nil
			check(name+", no CloudProfile", o, test.want, test.asks)
			continue
		}
		asks := append([]verdict.Rule{verdict.GKEReservation}, test.asks...)
		if test.formula == "" && len(test.asks) == 0 {
			asks = append(asks, verdict.ReservationMode)
		}
		o.CloudProfile = nil
		check(name+", no CloudProfile", o, verdict.Indeterminate, asks)
		if test.formula == "true" && test.ways != nil { // the formula gives what the Shoot reserves
			o.CloudProfile = profileOfType(t, "12", "4Gi")
			check(name+", the same reservations", o, verdict.None, nil)
		}
	}
}

// profileOfType returns a CloudProfile with the machine type of the pool.
func profileOfType(t *testing.T, cpu, memory string) *facts.CloudProfile {
	t.Helper()
	text, err := json.Marshal(object{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "CloudProfile",
		"spec": object{"machineTypes": list{object{"name": "m5.large", "cpu": cpu, "memory": memory}}},
	})
	require.NoError(t, err)
	profile, err := facts.ReadCloudProfile(tree.Of(text), today)
	require.NoError(t, err)
	return profile
}

// The feature gate of a landscape decides whether a new pool can be updated in place.
func TestFeatureGateOfInPlaceUpdates(t *testing.T) {
	t.Parallel()
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(profileOfPairs)), today)
	require.NoError(t, err)
	added := read(t, manifest(t, "pairs/"+onAWS, inPlaceAuto, at("machine.image.version", "1592.2.0")))
	for name, test := range map[string]struct {
		gate verdict.Fact[bool]
		want verdict.Verdict
		rule verdict.Rule
	}{
		"unknown": {verdict.Fact[bool]{}, verdict.Added, verdict.GateIsOn},
		"on":      {verdict.Known(true, "a.yaml:1"), verdict.Added, verdict.NoRule},
		"off":     {verdict.Known(false, "a.yaml:1"), verdict.Forbidden, verdict.GateIsOff},
	} {
		o := judge.Options{Providers: extensions.All(), CloudProfile: profile}
		o.Landscape.FeatureGates = map[string]verdict.Fact[bool]{"InPlaceNodeUpdates": test.gate}
		got, err := o.ReceiverOf(added).Added(&added.Pools[0])
		require.NoError(t, err, name)
		assert.Equal(t, test.want, got.Verdict, name)
		if test.rule != verdict.NoRule {
			assert.Contains(t, got.Rules, test.rule, name)
		} else {
			assert.Empty(t, got.Rules, name)
		}
	}
}

// Without a Kubernetes version on either side, node-local DNS and the mode of kube-proxy may decide at some versions:
// below 1.34 node-local DNS always counts, and from 1.34 on only with IPVS.
func TestNodeLocalDNSWithoutVersion(t *testing.T) {
	t.Parallel()
	dns := func(enabled bool) edit { return edit{"spec.systemComponents.nodeLocalDNS.enabled", enabled} }
	mode := func(mode string) edit { return edit{"spec.kubernetes.kubeProxy.mode", mode} }
	version := func(version any) edit { return edit{"spec.kubernetes.version", version} }
	for name, test := range map[string]struct {
		old, updated []edit
		want         [3]verdict.Verdict // without a version, with 1.33 and with 1.34
	}{
		"switched off": {
			[]edit{dns(true), mode("IPTables")}, []edit{dns(false), mode("IPTables")}, [3]verdict.Verdict{unknown, rolls, none},
		},
		"switched off with IPVS": {
			[]edit{dns(true), mode("IPVS")}, []edit{dns(false), mode("IPVS")}, [3]verdict.Verdict{rolls, rolls, rolls},
		},
		"another mode": {
			[]edit{dns(true), mode("IPTables")}, []edit{dns(true), mode("IPVS")}, [3]verdict.Verdict{unknown, none, rolls},
		},
		"another mode, without DNS": {
			[]edit{dns(false), mode("IPTables")}, []edit{dns(false), mode("IPVS")}, [3]verdict.Verdict{none, none, none},
		},
		"both": {[]edit{dns(false), mode("IPTables")}, []edit{dns(true), mode("IPVS")}, [3]verdict.Verdict{rolls, rolls, rolls}},
	} {
		for i, at := range []any{nil, "1.33.2", "1.34.2"} {
			old := read(t, edited(t, append(test.old, version(at))))
			updated := read(t, edited(t, append(test.updated, version(at))))
			plan, err := pool.NewPlan(old, updated, judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
			require.NoError(t, err)
			planned := plan.Pools[0]
			assert.Equal(t, test.want[i].String(), planned.Verdict.String(), "%s at %v", name, at)
			asks := len(planned.Questions) == 1 && planned.Questions[0].Rule == verdict.DNSByVersion
			assert.Equal(t, test.want[i] == unknown, asks, "%s at %v", name, at)
		}
	}
}

// An extension that ignores configs today, and has adopted the library, refuses one below the minor from which it reads
// it. Without a version, it is not known whether it does.
func TestNewPoolsOfIgnoredConfigs(t *testing.T) {
	t.Parallel()
	configured := at("providerConfig", object{
		"apiVersion": "alicloud.provider.extensions.gardener.cloud/v1alpha1", "kind": "WorkerConfig",
		"nodeTemplate": object{"capacity": object{"cpu": 1}},
	})
	for name, test := range map[string]struct {
		edits     []edit
		extension judge.Extension
		want      verdict.Verdict
		adopted   *verdict.Verdict
	}{
		"a version that reads it":   {[]edit{configured, minor(extensions.CanonicalFrom)}, judge.Adopted, verdict.Added, nil},
		"an older one":              {[]edit{configured, minor("1.33")}, judge.Adopted, verdict.Forbidden, nil},
		"none":                      {[]edit{configured, {"spec.kubernetes", nil}}, judge.Adopted, verdict.Indeterminate, nil},
		"none, without a config":    {[]edit{at("providerConfig", nil), {"spec.kubernetes", nil}}, judge.Adopted, verdict.Added, nil},
		"none, for today's release": {[]edit{configured, {"spec.kubernetes", nil}}, judge.Released, verdict.Added, nil},
		"none, for both":            {[]edit{configured, {"spec.kubernetes", nil}}, judge.Both, verdict.Added, new(verdict.Indeterminate)},
	} {
		added := read(t, manifest(t, "pairs/alicloud.yaml", test.edits...))
		o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: test.extension}
		got, err := o.ReceiverOf(added).Added(&added.Pools[0])
		require.NoError(t, err, name)
		assert.Equal(t, test.want.String(), got.Verdict.String(), name)
		assert.Equal(t, test.adopted, got.Adopted, name)
		if test.want != verdict.Indeterminate {
			assert.Empty(t, got.Questions, name)
			continue
		}
		require.Len(t, got.Questions, 1, name)
		assert.Equal(t,
			"the Kubernetes version of the new pool ("+extensions.CanonicalFrom+" or newer gives added, an older one gives forbidden), "+
				"in the Shoot of the cluster; write the version", got.Questions[0].String(), name)
		assert.ElementsMatch(t, []verdict.Verdict{verdict.Added, verdict.Forbidden}, got.Possible().Verdicts(), name)
	}
}
