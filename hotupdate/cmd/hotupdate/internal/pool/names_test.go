package pool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// configsOf are the members of provider configs, each with its values, without absent ones. They
// include members whose order, spelling or emptiness some era hashes.
var configsOf = map[string]map[string][]string{
	"aws": {
		"volume": {`{}`, `{"iops":3000}`, `{"throughput":3000}`, `{"iops":3000,"throughput":125}`},
		"dataVolumes": {
			`[]`, `[{"name":"a","iops":1},{"name":"b"}]`, `[{"name":"b"},{"name":"a","iops":1}]`, `[{"name":"a","iops":1}]`,
			`[{"name":"a","snapshotID":"1"}]`,
		},
		"instanceMetadataOptions": {`{}`, `{"httpTokens":"required"}`},
		"cpuOptions":              {`{}`, `{"coreCount":2}`, `{"threadsPerCore":2}`, `{"amdSevSnp":"enabled"}`},
		"networkInterfaces": {
			`[{"deviceIndex":0}]`, `[{"deviceIndex":0,"type":"interface"}]`, `[{"deviceIndex":0,"description":"x"}]`,
			`[{"deviceIndex":0},{"deviceIndex":1}]`, `[{"deviceIndex":1},{"deviceIndex":0}]`,
		},
		"placement": {`{"tenancy":"host"}`, `{"affinity":"host"}`},
		"nodeTemplate": {
			`{"capacity":{"cpu":"2"}}`, `{"capacity":{"cpu":"1500m"}}`, `{"capacity":{"cpu":"2"},"virtualCapacity":{"x":"1"}}`,
			`{"capacity":{},"virtualCapacity":{"x":"2"}}`,
		},
		"tags": {`{}`, `{"vm":{"a":"b"}}`, `{"vm":{"a":"c"}}`},
	},
	"azure": {
		"volume": {`{}`, `{"caching":"None"}`},
		"dataVolumes": {
			`[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`, `[{"name":"a","imageRef":{}}]`,
			`[{"name":"a","imageRef":{"id":"x"}}]`, `[{"name":"a","imageRef":{"urn":"x"}}]`,
		},
		"diagnosticsProfile":  {`{"enabled":false}`, `{"enabled":true}`, `{"enabled":true,"storageURI":"x"}`},
		"capacityReservation": {`{}`, `{"capacityReservationGroupID":"x"}`},
		"nodeTemplate":        {`{"capacity":{"cpu":"2"}}`, `{"capacity":{"cpu":"2"},"virtualCapacity":{"x":"1"}}`},
		"tags":                {`{"vm":{"a":"b"}}`},
	},
	"gcp": {
		"gpu":        {`{"acceleratorType":"t4","count":1}`, `{"acceleratorType":"t4","count":2}`},
		"volume":     {`{}`, `{"interface":"NVME"}`, `{"interface":""}`, `{"encryption":{"kmsKeyName":"k"}}`},
		"bootVolume": {`{}`, `{"provisionedIops":1}`, `{"storagePool":"p"}`},
		"dataVolumes": {
			`[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`, `[{"name":"a","storagePool":"p"}]`,
			`[{"name":"a","provisionedIops":1}]`,
		},
		"serviceAccount": {`{"email":"e","scopes":["a","b"]}`, `{"email":"e","scopes":["b","a"]}`, `{"email":"f","scopes":["a"]}`},
		"nodeTemplate":   {`{"capacity":{"cpu":"2"}}`},
		"tags":           {`{"vm":{"a":"b"}}`},
	},
	"openstack": {
		"machineLabels": {
			`[{"name":"a","value":"1","triggerRollingOnUpdate":true}]`, `[{"name":"a","value":"2","triggerRollingOnUpdate":true}]`,
			`[{"name":"a","value":"1"}]`, `[{"name":"a","value":"2"}]`,
			`[{"name":"b","value":"1"},{"name":"a","value":"1","triggerRollingOnUpdate":true}]`,
		},
		"additionalSecurityGroups": {`["a","b"]`, `["b","a"]`, `["a"]`},
		"nodeTemplate":             {`{"capacity":{"cpu":"2"}}`, `{"capacity":{"cpu":"3"}}`},
		"tags":                     {`{"vm":{"a":"b"}}`},
	},
	"alicloud": {
		"nodeTemplate": {`{"capacity":{"cpu":"2"}}`, `{"capacity":{"cpu":"2"},"virtualCapacity":{"x":"1"}}`},
		"tags":         {`{"vm":{"a":"b"}}`, `{"vm":{"a":"c"}}`},
	},
}

func drawMember(t *rapid.T, config map[string]json.RawMessage, provider, name string) {
	value := rapid.SampledFrom(append([]string{""}, configsOf[provider][name]...)).Draw(t, name)
	if delete(config, name); value != "" {
		config[name] = json.RawMessage(value)
	}
}

// drawNamed draws a pool with a provider config, and a pool that differs from it in a few fields.
func drawNamed(t *rapid.T, of provider.Provider) (old, updated facts.Pool) {
	names := slices.Sorted(maps.Keys(configsOf[of.Name]))
	head := map[string]json.RawMessage{
		"apiVersion": json.RawMessage(`"` + of.APIVersion + `"`), "kind": json.RawMessage(`"` + of.Kind + `"`),
	}
	before := maps.Clone(head)
	for _, name := range names {
		drawMember(t, before, of.Name, name)
	}
	after := maps.Clone(before)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		drawMember(t, after, of.Name, rapid.SampledFrom(names).Draw(t, "changed"))
	}
	minors := []string{"1.33.1", "1.34.1", "1.35.1", "1.36.1", "1.37.1"}
	i := rapid.IntRange(0, len(minors)-1).Draw(t, "minor")
	old = examplePool(of.Name, minors[i])
	updated = examplePool(of.Name, minors[min(len(minors)-1, i+drawn(t, "upgrade", 0, 0, 0, 0, 0, 1))])
	if change := rapid.SampledFrom(
		slices.Sorted(maps.Keys(poolChanges())),
	).Draw(t, "change of the pool"); rapid.Bool().Draw(t, "the pool changes") {
		poolChanges()[change](&updated)
	}
	old.Config = facts.ConfigOf(drawConfig(t, before))
	updated.Config = facts.ConfigOf(drawConfig(t, after))
	return old, updated
}

func drawConfig(t *rapid.T, config map[string]json.RawMessage) []byte {
	if len(config) == 2 && rapid.Bool().Draw(t, "no config") {
		return nil
	}
	raw, err := json.Marshal(config)
	require.NoError(t, err)
	return raw
}

// TestVerdictsAgreeWithTheNames: machines of a rolling pool are replaced exactly if the functions
// of the examples, in the eras of both minors, give the pool another name.
func TestVerdictsAgreeWithTheNames(t *testing.T) {
	t.Parallel()
	schemas := schemaOfExamples(t)
	for _, one := range extensions.All() {
		for extension, names := range map[judge.Extension]func(
			*provider.WorkerPool,
		) (provider.Additional, error){judge.Adopted: one.Adopted, judge.Released: one.Released} {
			t.Run(one.Name+"/"+extension.String(), func(t *testing.T) {
				t.Parallel()
				options := judge.Options{Providers: extensions.All(), Schema: schemas, Extension: extension}
				newest := one.Recorded[len(one.Recorded)-1]
				// else it is a question
				options.Landscape.Extensions = map[string]facts.Extension{one.Name: {Release: verdict.Known(newest, "the test")}}
				rapid.Check(t, func(t *rapid.T) {
					old, updated := drawNamed(t, one)
					got, err := comparePools(old, updated, options)
					require.NoError(t, err)
					if got.Verdict == verdict.Forbidden { // a field that is not released, or a lower version
						return
					}
					renamed := nameOf(t, names, old) != nameOf(t, names, updated)
					require.Equal(t, renamed, got.Verdict == verdict.Roll, "the verdict is %s: %v", got.Verdict, got.Changes)
					if !renamed {
						require.Contains(t, []verdict.Verdict{verdict.None, verdict.HotUpdate}, got.Verdict)
					}
				})
			})
		}
	}
}

// TestVolumeThatTheConfigNames: the extension looks data volumes up in the config. So a volume with
// another name there, or none, gets another performance, and the pool another name.
func TestVolumeThatTheConfigNames(t *testing.T) {
	t.Parallel()
	const (
		named = `"dataVolumes":[{"name":"a","iops":1}]`
		other = `"dataVolumes":[{"name":"z","iops":1}]`
	)
	for _, test := range []struct {
		old, updated string
		want         verdict.Verdict
	}{
		{named, named, verdict.Roll},
		{other, other, verdict.Roll},
		{named, other, verdict.Roll},
		{`"dataVolumes":[]`, `"dataVolumes":[]`, verdict.None},
	} {
		old := examplePool("aws", "1.37.1")
		updated := examplePool("aws", "1.37.1")
		updated.DataVolumes[0].Name = "z"
		for p, config := range map[*facts.Pool]string{&old: test.old, &updated: test.updated} {
			p.Config = facts.ConfigOf([]byte(`{"apiVersion":"` + configVersion + `","kind":"` + configKind + `",` + config + `}`))
		}
		got, err := comparePools(old, updated, judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
		require.NoError(t, err)
		require.Equal(t, test.want, got.Verdict, "%s to %s: %v", test.old, test.updated, got.Changes)
	}
}

// TestVolumesBesideTheConfigOfAFork: it is not known whether a fork's extension hashes volumes. The
// built-in one once failed to read the fork's config, and the failure counted as another name.
func TestVolumesBesideTheConfigOfAFork(t *testing.T) {
	t.Parallel()
	const (
		ours = configVersion
		fork = "aws.fork.example/v1"
	)
	for _, test := range []struct {
		oldVersion, newVersion, oldMember, newMember string
		want                                         verdict.Verdict
	}{
		{ours, ours, `"volume":{}`, `"volume":{}`, verdict.Roll},
		{ours, ours, `"odd.name":"a"`, `"odd.name":"a"`, verdict.Indeterminate}, // which only the Schema of the fork has
		{ours, ours, `"odd.name":"a"`, `"volume":{}`, verdict.Indeterminate},
		{ours, ours, `"volume":{}`, `"odd.name":"a"`, verdict.Indeterminate},
		{fork, fork, `"volume":{}`, `"volume":{}`, verdict.Indeterminate},
		{fork, ours, `"volume":{}`, `"volume":{}`, verdict.Indeterminate},
		{"", "", "", "", verdict.Roll},
	} {
		of := func(version, member string) facts.Pool {
			p := examplePool("aws", "1.37.1")
			if p.Config = facts.ConfigOf(nil); version != "" {
				p.Config = facts.ConfigOf([]byte(`{"apiVersion":"` + version + `","kind":"` + configKind + `",` + member + `}`))
			}
			return p
		}
		o := options(t)
		for path, change := range map[string]func(*facts.Pool){
			"dataVolumes[0].size": func(p *facts.Pool) { p.DataVolumes[0].Size = "7Gi" },
			"volume.encrypted":    func(p *facts.Pool) { p.Encrypted = new(true) },
		} {
			old := of(test.oldVersion, test.oldMember)
			updated := of(test.newVersion, test.newMember)
			change(&updated)
			got, err := comparePools(old, updated, o)
			require.NoError(t, err)
			i := slices.IndexFunc(got.Changes, func(c judge.Finding) bool { return c.Path == path })
			require.GreaterOrEqual(t, i, 0, "%s: %v", path, got.Changes)
			require.Equal(t, test.want, got.Changes[i].Verdict, "%v: %v", test, got.Changes)
		}
	}
}

// TestHotInALaterEra: a hot field rolls a pool whose era hashes it, and is not a cause if another
// field explains the new name.
func TestHotInALaterEra(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 70 {
		many = append(many, fmt.Sprintf(`"key%d":"x"`, i))
	}
	type rows = map[string]verdict.Verdict
	for _, test := range []struct {
		version, old, updated string
		want                  rows
		reason                string
	}{
		{
			"1.33.1", `"volume":{"iops":1}`, `"volume":{"iops":2},"tags":{"vm":{"a":"b"}}`,
			rows{"volume.iops": verdict.Roll, "tags.vm[a]": verdict.HotUpdate},
			"raw bytes hold iops, not tags",
		},
		{
			"1.36.1", `"volume":{"iops":1}`, `"volume":{"iops":2},"tags":{"vm":{"a":"b"}}`,
			rows{"volume.iops": verdict.Roll, "tags.vm[a]": verdict.HotUpdate},
			"so does the list",
		},
		{"1.37.1", `"volume":{"iops":1}`, `"volume":{"iops":2}`, rows{"volume.iops": verdict.HotUpdate}, "canonically it is hot"},
		{
			"1.36.1", `"volume":{"iops":1}`, `"volume":{"throughput":1}`,
			rows{"volume.iops": verdict.HotUpdate, "volume.throughput": verdict.HotUpdate},
			"the name stays: the list has values only",
		},
		{
			"1.36.1", `"dataVolumes":[]`, `"dataVolumes":[{"name":"a","iops":1}]`,
			rows{"dataVolumes[name=a]": verdict.Roll, "dataVolumes[name=a].iops": verdict.HotUpdate},
			"the volume explains it",
		},
		{
			"1.33.1", `"cpuOptions":{}`, `"cpuOptions":{"coreCount":2},"tags":{"vm":{` + strings.Join(many, ",") + `}}`,
			rows{"cpuOptions.coreCount": verdict.Roll, "tags.vm[key0]": verdict.HotUpdate},
			"more than are tried alone",
		},
	} {
		of := func(config string) facts.Pool {
			p := examplePool("aws", test.version)
			p.Config = facts.ConfigOf([]byte(`{"apiVersion":"` + configVersion + `","kind":"` + configKind + `",` + config + `}`))
			return p
		}
		got, err := comparePools(of(test.old), of(test.updated), judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
		require.NoError(t, err)
		found := rows{}
		for _, change := range got.Changes {
			path := strings.TrimPrefix(change.Path, "providerConfig.")
			if _, ok := test.want[path]; ok {
				found[path] = change.Verdict
				require.Equal(t, change.Verdict == verdict.Roll && change.Class == hotupdate.Hot, change.Rule == verdict.HashedInEra, path)
			}
		}
		require.Equal(t, test.want, found, "%s: %v", test.reason, got.Changes)
	}
}

// nameOf composes the name of a pool as its extension does.
func nameOf(t require.TestingT, names func(*provider.WorkerPool) (provider.Additional, error), p facts.Pool) hash.Digest {
	secret, err := hash.NodeAgentSecretName(p.Worker)
	require.NoError(t, err)
	w := &provider.WorkerPool{
		Name: p.Worker.Name, KubernetesVersion: &p.Worker.KubernetesVersion, UpdateStrategy: hotupdate.AutoRollingUpdate,
		MachineType:  p.Worker.MachineType,
		MachineImage: *p.Worker.Image,
		Volume:       &provider.DataVolume{Size: p.Worker.Volume.Size, Type: p.Worker.Volume.Type, Encrypted: p.Encrypted},
	}
	w.DataVolumes = p.DataVolumes
	if p.Config.Raw() != nil {
		var value any
		require.NoError(t, json.Unmarshal(p.Config.Raw(), &value))
		stored, err := json.Marshal(value) // as the API server stores it
		require.NoError(t, err)
		w.ProviderConfig = stored
	}
	additional, err := names(w)
	require.NoError(t, err)
	name, err := hash.WorkerPool(&secret.Text, additional.Data...)
	require.NoError(t, err)
	return name.Digest
}

func examplePool(provider, version string) facts.Pool {
	return facts.Pool{
		Provider: provider,
		Worker: hash.Worker{
			Name: "pool", KubernetesVersion: version, MachineType: "large",
			Image: &hash.Image{Name: "gardenlinux", Version: "1592.1.0"}, Volume: &hash.Volume{Size: "20Gi"},
		},
		DataVolumes: []facts.DataVolume{{Name: "a", Size: "30Gi", Type: new("fast")}, {Name: "kubelet-dir", Size: "40Gi"}},
	}
}

// poolChanges each change one field of an examplePool.
func poolChanges() map[string]func(*facts.Pool) {
	return map[string]func(*facts.Pool){
		"nothing":                func(*facts.Pool) {},
		"patch version":          func(p *facts.Pool) { p.Worker.KubernetesVersion = p.Worker.KubernetesVersion[:5] + "7" },
		"machine type":           func(p *facts.Pool) { p.Worker.MachineType = "small" },
		"machine image":          func(p *facts.Pool) { p.Worker.Image.Version = "2" },
		"root size":              func(p *facts.Pool) { p.Worker.Volume.Size = "21Gi" },
		"root type":              func(p *facts.Pool) { p.Worker.Volume.Type = new("fast") },
		"root encryption":        func(p *facts.Pool) { p.Encrypted = new(true) },
		"data volume size":       func(p *facts.Pool) { p.DataVolumes[0].Size = "31Gi" },
		"data volume type":       func(p *facts.Pool) { p.DataVolumes[1].Type = new("slow") },
		"data volume encrypted":  func(p *facts.Pool) { p.DataVolumes[0].Encrypted = new(true) },
		"data volume renamed":    func(p *facts.Pool) { p.DataVolumes[0].Name = "z" },
		"data volume gone":       func(p *facts.Pool) { p.DataVolumes = p.DataVolumes[1:] },
		"data volumes reordered": func(p *facts.Pool) { slices.Reverse(p.DataVolumes) },
	}
}
