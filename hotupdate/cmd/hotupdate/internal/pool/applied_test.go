package pool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// written makes the Shoot for GCP one that a user wrote, which says nothing about hibernation and system
// components.
func written(more ...edit) []edit {
	return append(edits{
		{"metadata.uid", nil},
		{"metadata.resourceVersion", nil},
		{"status", nil},
		{"spec.hibernation", nil},
		{"spec.systemComponents", nil},
		minor("1.32"),
	}, more...)
}

// inCluster makes it one that was read from a cluster, and that kubectl apply wrote last with edits.
func inCluster(t *testing.T, applied ...edit) []edit {
	t.Helper()
	last := string(manifest(t, "pairs/"+onGCP, written(applied...)...))
	return append(written(applied...), edits{
		{"metadata.uid", "u-1"}, {"metadata.annotations", object{"kubectl.kubernetes.io/last-applied-configuration": last}},
	}...)
}

// planned plans a change in the ways of applying, all if there are none.
func planned(t *testing.T, old, updated []byte, ways ...apply.Way) *pool.Plan {
	t.Helper()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Ways: ways}
	plan, err := planPair(read(t, old), read(t, updated), o)
	require.NoError(t, err)
	return plan
}

// TestAppliedManifests: what applying a manifest to the Shoot of a cluster does in each way, and if the way
// is not known. The cluster has what was applied, and edits of others.
func TestAppliedManifests(t *testing.T) {
	t.Parallel()
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	enabled := edit{"spec.systemComponents.nodeLocalDNS", object{"enabled": true}}
	other := edit{"spec.systemComponents.nodeLocalDNS", object{"forceTCPToClusterDNS": true}}
	policy := at("kubernetes", object{"kubelet": object{"cpuManagerPolicy": "static"}})
	const (
		none    = verdict.None
		deleted = verdict.AllMachinesMayBeDeleted
		added   = verdict.MachinesAdded
		roll    = verdict.Roll
		open    = verdict.Indeterminate
	)
	for name, test := range map[string]struct {
		applied, others, updated []edit
		client, replace, unknown verdict.Verdict
	}{
		"the same":                          {nil, nil, nil, none, none, none},
		"another client hibernates":         {nil, edits{hibernated}, nil, none, added, open},
		"the user's hibernation ends":       {edits{hibernated}, nil, nil, added, added, added},
		"null wakes up":                     {nil, edits{hibernated}, edits{{"spec.hibernation", null{}}}, added, added, added},
		"node-local DNS by default":         {nil, edits{enabled}, nil, none, roll, open},
		"it stays beside other settings":    {nil, edits{enabled}, edits{other}, none, roll, open},
		"null disables node-local DNS":      {nil, edits{enabled}, edits{{"spec.systemComponents", null{}}}, roll, roll, roll},
		"the user's node-local DNS ends":    {edits{enabled}, nil, nil, roll, roll, roll},
		"a change beside what is filled in": {nil, edits{enabled}, edits{at("machine.type", "n2")}, roll, roll, roll},
		"a change of a hibernated cluster":  {nil, edits{hibernated}, edits{at("machine.type", "n2")}, none, added, open},
		"the pool's kubelet of another":     {nil, edits{policy}, nil, none, roll, open},
		"the user's kubelet of the pool":    {edits{policy}, nil, nil, roll, roll, roll},
		"an image that Gardener has updated": {
			edits{at("machine.image", nil)},
			edits{at("machine.image", object{"name": "gardenlinux", "version": "1592.9.0"})},
			edits{at("machine.image", nil)},
			none, none, none,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := manifest(t, "pairs/"+onGCP, append(inCluster(t, test.applied...), test.others...)...)
			updated := manifest(t, "pairs/"+onGCP, written(test.updated...)...)
			for want, ways := range map[*verdict.Verdict][]apply.Way{
				&test.client: {{By: apply.Client}}, &test.replace: {{By: apply.Replace}}, &test.unknown: nil,
			} {
				plan := planned(t, cluster, updated, ways...)
				assert.Equal(t, want.String(), plan.Verdict().String(), "%v", ways)
				isAsked := slices.ContainsFunc(
					plan.Pools, func(p pool.Planned) bool { return slices.Contains(p.Rules, verdict.HowApplied) },
				)
				assert.Equal(t, *want == open && len(ways) == 0, isAsked, "%v", ways)
			}
		})
	}
}

// TestManifestsOwnAll: between two manifests, what the new one leaves out is removed. The rows are edits that
// the old one has, with the verdict on leaving them out: for two manifests, and for the Shoot of a cluster
// to which the old one was applied, in every way of applying.
func TestManifestsOwnAll(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit edit
		want verdict.Verdict
	}{
		"CPU manager policy":      {at("kubernetes", object{"kubelet": object{"cpuManagerPolicy": "static"}}), verdict.Roll},
		"hibernation":             {edit{"spec.hibernation", object{"enabled": true}}, verdict.MachinesAdded},
		"node-local DNS":          {edit{"spec.systemComponents", object{"nodeLocalDNS": object{"enabled": true}}}, verdict.Roll},
		"IPVS":                    {edit{"spec.kubernetes.kubeProxy", object{"mode": "IPVS"}}, verdict.None},
		"labels of the pool":      {at("labels", object{"a": "b"}), verdict.None},
		"a field of the provider": {at("providerConfig.gpu", object{"acceleratorType": "t4", "count": 1}), verdict.Roll},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := manifest(t, "pairs/"+onGCP, written(test.edit)...)
			cluster := manifest(t, "pairs/"+onGCP, inCluster(t, test.edit)...)
			without := test.edit
			without.value = nil
			updated := manifest(t, "pairs/"+onGCP, written(test.edit, without)...)
			assert.Equal(t, test.want.String(), planned(t, old, updated).Verdict().String(), "manifest to manifest")
			for _, way := range []apply.Way{{By: apply.Client}, {By: apply.Replace}} {
				assert.Equal(t, test.want.String(), planned(t, cluster, updated, way).Verdict().String(), way)
			}
		})
	}
}

// TestPoolsOfOthers: a pool that neither the manifest nor what was applied last has stays under kubectl apply,
// and is removed by replace.
func TestPoolsOfOthers(t *testing.T) {
	t.Parallel()
	cluster := shootWith(t, inCluster(t), "dashboard")
	updated := manifest(t, "pairs/"+onGCP, written()...)
	assert.Equal(t, verdict.None, planned(t, cluster, updated, apply.Way{By: apply.Client}).Verdict())
	replaced := planned(t, cluster, updated, apply.Way{By: apply.Replace})
	assert.Equal(t, verdict.Removed, replaced.Verdict())
	plan := planned(t, cluster, updated)
	assert.Equal(t, verdict.Indeterminate, plan.Verdict())
	require.Len(t, plan.Pools, 2)
	dashboard := plan.Pools[1]
	assert.Equal(t, "dashboard", dashboard.Name)
	assert.Equal(t, pool.Kept, dashboard.State, "it is not called removed")
	assert.Equal(t, verdict.Only(verdict.None, verdict.Removed), dashboard.Possible())
	require.Len(t, dashboard.Questions, 1)
	assert.Contains(
		t, dashboard.Questions[0].String(),
		"how is the manifest applied? (client gives none, server gives removed or none, replace gives removed)",
	)

	old := shootWith(t, written(), "dashboard")
	assert.Equal(t, verdict.Removed, planned(t, old, updated).Verdict(), "between two manifests it is removed")
}

// TestAppliedLast: what a Shoot tells of the way in which it was applied last makes a verdict graver, never better.
func TestAppliedLast(t *testing.T) {
	t.Parallel()
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	owned := edit{"metadata.managedFields", []any{object{
		"manager": "flux", "operation": "Apply", "apiVersion": "core.gardener.cloud/v1beta1", "fieldsType": "FieldsV1",
		"fieldsV1": object{"f:spec": object{"f:hibernation": object{"f:enabled": object{}}}},
	}}}
	stored := edit{"metadata.uid", "u-1"}
	updated := manifest(t, "pairs/"+onGCP, written()...)

	byFlux := manifest(t, "pairs/"+onGCP, written(stored, hibernated, owned)...)
	plan := planned(t, byFlux, updated)
	assert.Equal(t, verdict.MachinesAdded, plan.Verdict(), "flux no longer sends it; by kubectl apply it would stay")
	assert.Contains(t, plan.Rules, verdict.AppliedAsLast("server=flux", []string{"client"}), "by replace it wakes up too")
	assert.Equal(t, verdict.None, planned(t, byFlux, updated, apply.Way{By: apply.Client}).Verdict())

	owned.value = []any{object{
		"manager": "flux", "operation": "Apply", "apiVersion": "core.gardener.cloud/v1beta1", "fieldsType": "FieldsV1",
		"fieldsV1": object{"f:spec": object{"f:purpose": object{}}},
	}}
	byOther := manifest(t, "pairs/"+onGCP, written(stored, hibernated, owned)...)
	assert.Equal(t, verdict.Indeterminate, planned(t, byOther, updated).Verdict(), "flux leaves it, and replace removes it")
	assert.Equal(t, verdict.None, planned(t, byOther, updated, apply.Way{By: apply.Server}).Verdict())
}

// TestHiddenOwners: without managedFields, server-side apply may remove all or nothing.
func TestHiddenOwners(t *testing.T) {
	t.Parallel()
	cluster := manifest(t, "pairs/"+onGCP, append(inCluster(t), edit{"spec.hibernation", object{"enabled": true}})...)
	updated := manifest(t, "pairs/"+onGCP, written()...)
	plan := planned(t, cluster, updated, apply.Way{By: apply.Server})
	assert.Equal(t, verdict.Indeterminate, plan.Verdict())
	assert.Contains(
		t, plan.Pools[0].Questions[0].String(),
		"which fields does the manager own? (none that the manifest leaves out gives none, all gives machines-added)",
	)
}

// TestReservationsOfOnePool: reservations that only the cluster's pool has may be those that Gardener filled in by the
// machine type, and fills in again, or those of a user.
func TestReservationsOfOnePool(t *testing.T) {
	t.Parallel()
	none := edit{"spec.kubernetes.kubelet", nil}
	reserved := at("kubernetes", object{"kubelet": object{"kubeReserved": object{"cpu": "500m", "memory": "2Gi", "pid": "20k"}}})
	cluster := manifest(t, "pairs/"+onGCP, append(inCluster(t, none), none, reserved)...)
	updated := manifest(t, "pairs/"+onGCP, written(none)...)
	assert.Equal(t, verdict.None, planned(t, cluster, updated, apply.Way{By: apply.Client}).Verdict(), "they stay")
	plan := planned(t, cluster, updated, apply.Way{By: apply.Replace})
	assert.Equal(t, verdict.Indeterminate.String(), plan.Verdict().String())
	assert.Contains(t, plan.Pools[0].Rules, verdict.GKEReservation)
}

// shootWith returns the Shoot of a file with another pool beside the first one.
func shootWith(t *testing.T, edits []edit, name string) []byte {
	t.Helper()
	root := map[string]any{}
	require.NoError(t, json.Unmarshal(manifest(t, "pairs/"+onGCP, edits...), &root))
	provider := root["spec"].(map[string]any)["provider"].(map[string]any)
	workers := provider["workers"].([]any)
	another := maps.Clone(workers[0].(map[string]any))
	another["name"] = name
	another["machine"] = map[string]any{"type": "n2-highmem-8"}
	provider["workers"] = append(workers, another)
	raw, err := json.Marshal(root)
	require.NoError(t, err)
	return raw
}

// null is a value that an edit sets, where nil removes.
type null struct{}

// MarshalJSON returns null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// TestNullsBetweenManifests: null removes what Gardener has filled in, unlike a member that is left out.
func TestNullsBetweenManifests(t *testing.T) {
	t.Parallel()
	components := edit{"spec.systemComponents", object{"coreDNS": object{}}}
	for name, test := range map[string]struct {
		old, updated []edit
		want         verdict.Verdict
		rule         verdict.Rule
	}{
		"left out":              {nil, nil, verdict.None, verdict.NoRule},
		"null":                  {nil, edits{{"spec.systemComponents", null{}}}, verdict.Indeterminate, verdict.DNSByDefault},
		"null below":            {nil, edits{{"spec.systemComponents.nodeLocalDNS", null{}}}, verdict.Indeterminate, verdict.DNSByDefault},
		"removed with the rest": {edits{components}, nil, verdict.Indeterminate, verdict.DNSByDefault},
		"the rest stays":        {edits{components}, edits{components}, verdict.None, verdict.NoRule},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := read(t, manifest(t, "pairs/"+onGCP, written(test.old...)...))
			updated := read(t, manifest(t, "pairs/"+onGCP, written(test.updated...)...))
			plan, err := planPair(old, updated, judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
			require.NoError(t, err)
			assert.Equal(t, test.want.String(), plan.Verdict().String())
			if test.rule != verdict.NoRule {
				assert.Contains(t, plan.Pools[0].Rules, test.rule)
			}
		})
	}
}

// TestKeptEncryption: the admission of the extension for Alibaba Cloud keeps the encryption that a manifest leaves
// out, but nothing tells whether it runs. The admission of the others keeps no member of a pool.
func TestKeptEncryption(t *testing.T) {
	t.Parallel()
	shoot := func(provider, metadata, encrypted, size string) []byte {
		return []byte(`{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": {"name": "web"` + metadata + `}, "spec": {
			"kubernetes": {"version": "1.34.2", "kubelet": {"kubeReserved": {"cpu": "80m", "memory": "1Gi", "pid": "20k"}}},
			"provider": {"type": "` + provider + `", "workers": [{"name": "a", "minimum": 1, "maximum": 3,
				"machine": {"type": "m", "image": {"name": "gardenlinux", "version": "1592.9.0"}},
				"volume": {"type": "v", "size": "` + size + `"` + encrypted + `},
				"dataVolumes": [{"name": "d", "type": "v", "size": "20Gi"` + encrypted + `}]}]}}}`)
	}
	const encrypted = `, "encrypted": true`
	for _, test := range []struct {
		provider, encrypted, size string
		want                      verdict.Verdict
	}{
		{"alicloud", "", "50Gi", verdict.Indeterminate},
		{"alicloud", encrypted, "50Gi", verdict.None},
		{"alicloud", "", "60Gi", verdict.Roll},
		{"alicloud", `, "encrypted": false`, "50Gi", verdict.Roll},
		{"aws", "", "50Gi", verdict.Roll},
	} {
		for side, metadata := range map[string]string{"a Shoot of a cluster": inACluster, "a manifest": ""} {
			old := shoot(test.provider, metadata, encrypted, "50Gi")
			updated := shoot(test.provider, "", test.encrypted, test.size)
			plan := planned(t, old, updated, apply.Way{By: apply.Replace})
			assert.Equal(t, test.want, plan.Pools[0].Effect(), "%s: %+v", side, test)
		}
	}
}

// TestFilledEncryption: the admission of the extension for Alibaba Cloud encrypts what is created and leaves it open:
// all data volumes, and root volumes of customized images. So a manifest that leaves it out does not tell what is
// stored, and a data volume of another name is a new one. Whether the admission runs, and ran then, nothing tells.
func TestFilledEncryption(t *testing.T) {
	t.Parallel()
	shoot := func(provider, metadata, root, data string) []byte {
		return []byte(`{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": {"name": "web"` + metadata + `}, "spec": {
			"kubernetes": {"version": "1.34.2", "kubelet": {"kubeReserved": {"cpu": "80m", "memory": "1Gi", "pid": "20k"}}},
			"provider": {"type": "` + provider + `", "workers": [{"name": "a", "minimum": 1, "maximum": 3,
				"machine": {"type": "m", "image": {"name": "gardenlinux", "version": "1592.9.0"}},
				"volume": {"type": "v", "size": "50Gi"` + root + `},
				"dataVolumes": [{"type": "v", "size": "20Gi", ` + data + `}]}]}}}`)
	}
	const on = `, "encrypted": true`
	const off = `, "encrypted": false`
	const named = `"name": "d"`
	const renamed = `"name": "e"`
	for _, test := range []struct {
		provider, metadata, oldRoot, root, oldData, data string
		want                                             verdict.Verdict
		questions                                        []verdict.Rule
	}{
		{"alicloud", "", "", on, named, named, verdict.Indeterminate, []verdict.Rule{verdict.FilledEncryption}},
		{"alicloud", "", "", off, named, named, verdict.Roll, nil},
		{"alicloud", "", "", "", named, named + on, verdict.Indeterminate, []verdict.Rule{verdict.FilledEncryption}},
		{"alicloud", "", "", "", named, named + off, verdict.Roll, nil},
		{"alicloud", "", "", "", named, named, verdict.None, nil},
		{"alicloud", inACluster, "", on, named, named, verdict.Roll, nil},
		{"alicloud", inACluster, "", "", named, named + on, verdict.Roll, nil},
		{"alicloud", inACluster, "", "", named, named, verdict.None, nil},
		{"alicloud", inACluster, "", "", named, renamed, verdict.Indeterminate, []verdict.Rule{verdict.KeptEncryption}},
		{"alicloud", inACluster, "", "", named + on, renamed, verdict.Indeterminate, []verdict.Rule{verdict.KeptEncryption}},
		{"alicloud", inACluster, "", "", named + off, renamed, verdict.Roll, nil},
		{"alicloud", inACluster, "", "", named + on, renamed + on, verdict.None, nil},
		{"alicloud", "", "", "", named, renamed, verdict.Indeterminate, []verdict.Rule{verdict.FilledEncryption, verdict.KeptEncryption}},
		{"aws", "", "", on, named, named, verdict.Roll, nil},
	} {
		name := fmt.Sprintf("%+v", test)
		plan := planned(
			t, shoot(test.provider, test.metadata, test.oldRoot, test.oldData), shoot(test.provider, "", test.root, test.data),
			apply.Way{By: apply.Replace},
		)
		assert.Equal(t, test.want, plan.Pools[0].Effect(), name)
		var asked []verdict.Rule
		for _, question := range plan.Pools[0].Questions {
			asked = append(asked, question.Rule)
		}
		assert.ElementsMatch(t, test.questions, asked, name)
	}
}

// TestFilledInByOtherExtensions: what the admission of an extension that is not built in fills in is not known, also if its eras are.
func TestFilledInByOtherExtensions(t *testing.T) {
	t.Parallel()
	shoot := func(metadata, config string) *facts.Manifest {
		return read(t,
			[]byte(`{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": {"name": "web"`+metadata+`}, "spec": {
			"kubernetes": {"version": "1.34.2", "kubelet": {"kubeReserved": {"cpu": "80m", "memory": "1Gi", "pid": "20k"}}},
			"provider": {"type": "own", "workers": [{"name": "a", "minimum": 1, "maximum": 3, "providerConfig": `+config+`,
				"machine": {"type": "m", "image": {"name": "gardenlinux", "version": "1592.9.0"}}}]}}}`))
	}
	aws := slices.IndexFunc(extensions.All(), func(one provider.Provider) bool { return one.Name == "aws" })
	schema, err := extensions.All()[aws].Schema()
	require.NoError(t, err)
	o := judge.Options{
		Schema: func(facts.TypeMeta) *hotupdate.Schema { return schema },
		Ways:   []apply.Way{{By: apply.Replace}},
		Naming: &judge.Naming{Versions: []string{"1.34"}, Additional: func(p *facts.Pool) (judge.Additional, error) {
			return judge.Additional{Era: "raw", Data: []string{string(p.Config.Raw())}}, nil
		}},
	}
	for _, test := range []struct {
		metadata, old, updated string
		want                   verdict.Verdict
	}{
		{inACluster, `{"volume":{"iops":1,"throughput":1}}`, `{"volume":{"iops":1}}`, verdict.Indeterminate},
		{
			inACluster, `{"volume":{"iops":1},"instanceMetadataOptions":{"httpTokens":"required"}}`, `{"volume":{"iops":1}}`,
			verdict.Indeterminate,
		},
		{inACluster, `{"volume":{"iops":1,"throughput":1}}`, `{"volume":{"iops":2}}`, verdict.Roll},
		{inACluster, `{"volume":{"iops":1}}`, `{"volume":{"iops":1,"throughput":1}}`, verdict.Roll},
		{inACluster, `{"volume":{"iops":1}}`, `{"volume":{"iops":1}}`, verdict.None},
		{"", `{"volume":{"iops":1,"throughput":1}}`, `{"volume":{"iops":1}}`, verdict.Roll},
	} {
		plan, err := planPair(shoot(test.metadata, test.old), shoot("", test.updated), o)
		require.NoError(t, err)
		assert.Equal(t, test.want, plan.Pools[0].Effect(), "%+v", test)
	}
}

// inACluster is metadata of a Shoot that was read from a cluster.
const inACluster = `, "uid": "u", "resourceVersion": "7"`
