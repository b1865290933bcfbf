package pool_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// What the plugin ShootResourceReservation fills in: into a Shoot, and by the machine type of the pool's CloudProfile.
var (
	ofShoot   = object{"cpu": "80m", "memory": "1Gi", "pid": "20k"}
	ofMachine = object{"cpu": "70m", "memory": "1Gi", "pid": "20k"} // 2 cores, 4Gi
)

// The pairs that are compared are one of so many, with DRAWS=all and without. Both share no factor with the numbers of rows.
const (
	everyReservation = 101
	fewReservations  = 991
)

// TestReservationsAgainstModel: with all facts known, a manifest that is applied has the verdict that the plugin and
// the way of applying lead to. The model stores the old manifest as the plugin completes it, applies the new one by the
// code of kubectl and of the API server, has the plugin complete the result, and compares what names have. The old side
// is the manifest, or the stored Shoot.
func TestReservationsAgainstModel(t *testing.T) {
	t.Parallel()
	shoots := []any{
		object{},
		kubelet(object{}), kubelet(object{"maxPods": 50}), kubelet(reserving(object{})), kubelet(reserving(object{"cpu": "80m"})),
		kubelet(reserving(object{"memory": "1Gi"})), kubelet(reserving(object{"cpu": "80m", "memory": "1Gi"})),
		kubelet(reserving(object{"cpu": "70m"})),
		kubelet(null{}), kubelet(reserving(ofShoot)), kubelet(reserving(null{})),
	}
	for _, one := range shoots {
		one.(object)["version"] = "1.33.2"
	}
	shoots = append(shoots, nil)
	pools := []any{
		nil,
		object{"version": "1.33.2"},
		kubelet(object{}), kubelet(object{"maxPods": 50}), kubelet(reserving(object{})),
		kubelet(reserving(object{"cpu": "70m"})), kubelet(reserving(object{"memory": "1Gi"})),
		kubelet(reserving(object{"cpu": "70m", "memory": "1Gi"})),
		kubelet(null{}), kubelet(reserving(ofMachine)), kubelet(reserving(null{})),
	}
	ways := []apply.Way{{By: apply.Client}, {By: apply.Server, Manager: "m"}, {By: apply.Replace}}
	configs := [][2]object{ // if an object or a list in a provider config differs, kubectl apply replaces all lists, such as the pools
		{{"networks": object{"vpc": object{"id": "a"}}}, {"networks": object{"vpc": object{"id": "a"}}}},
		{{"networks": object{"vpc": object{"id": "a"}}}, {"networks": object{"vpc": object{"id": "b"}}}},
		{{"zones": []any{"a"}}, {"zones": []any{"b"}}},
		{{"name": "a"}, {"name": "b"}},
	}
	total := len(ways) * 4 * len(configs) * len(shoots) * len(pools) * len(shoots) * len(pools)
	step := fewReservations
	if effort.All() {
		step = everyReservation
	}
	compared := 0
	for i := 0; i < total; i += step {
		rest := i
		digit := func(base int) (value int) {
			value = rest % base
			rest /= base
			return value
		}
		way := ways[digit(len(ways))]
		labels := digit(4)
		config := configs[digit(len(configs))]
		before := [2]any{shoots[digit(len(shoots))], pools[digit(len(pools))]}
		after := [2]any{shoots[digit(len(shoots))], pools[digit(len(pools))]}
		if before[0] == nil {
			continue // the version would not be known
		}
		compared++
		old := withKubelets(labels&1 != 0, before)
		updated := withKubelets(labels&2 != 0, after)
		within(old, "spec", "provider")["infrastructureConfig"] = config[0]
		within(updated, "spec", "provider")["infrastructureConfig"] = config[1]
		stored := storedBy(t, old, way)
		want := modelled(t, stored, updated, way)
		o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Ways: []apply.Way{way}}
		o.Landscape.GKEFormula = formulaOf(t, "team=a")
		o.CloudProfile = profileOfModel(t)
		for name, from := range map[string]object{"manifest": old, "cluster": stored} {
			plan, err := planPair(read(t, []byte(toText(from))), read(t, []byte(toText(updated))), o)
			require.NoError(t, err)
			got := plan.Pools[0].Verdict
			assert.Equal(t, want.String(), got.String(), "%s, %s, labels %d: %s => %s", way, name, labels, toText(before), toText(after))
		}
	}
	assert.Greater(t, compared, 600)
}

func toText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func kubelet(of any) object { return object{"kubelet": of} }

func reserving(all any) object { return object{"kubeReserved": all} }

// withKubelets returns a small Shoot with a spec.kubernetes and the same member of its pool, which may be absent.
func withKubelets(isLabelled bool, kubernetes [2]any) object {
	worker := object{
		"name": "general", "minimum": 1, "maximum": 2,
		"machine": object{"type": "m5.large", "image": object{"name": "gardenlinux", "version": "1592.1.0"}},
	}
	spec := object{"provider": object{"type": "aws", "workers": []any{worker}}}
	metadata := object{"name": "orders", "namespace": "garden-shop"}
	for i, at := range []object{spec, worker} {
		if kubernetes[i] != nil {
			at["kubernetes"] = kubernetes[i]
		}
	}
	if isLabelled {
		metadata["labels"] = object{"team": "a"}
	}
	return object{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": metadata, "spec": spec}
}

// storedBy returns the Shoot of the cluster to which a manifest was applied.
func storedBy(t *testing.T, manifest object, way apply.Way) object {
	t.Helper()
	stored := completed(t, withoutNulls(parsed(t, toText(manifest))))
	metadata := within(stored, "metadata")
	metadata["uid"] = "u-1"
	switch way.By {
	case apply.Client:
		metadata["annotations"] = object{"kubectl.kubernetes.io/last-applied-configuration": toText(manifest)}
	case apply.Server:
		of := object{"metadata": object{"labels": within(manifest, "metadata", "labels")}, "spec": manifest["spec"]}
		metadata["managedFields"] = []any{object{
			"manager": way.Manager, "operation": "Apply", "apiVersion": "core.gardener.cloud/v1beta1", "fieldsType": "FieldsV1",
			"fieldsV1": owned(t, of),
		}}
	case apply.Replace:
	}
	return stored
}

// modelled returns the verdict on the pool of a stored Shoot.
func modelled(t *testing.T, stored, updated object, way apply.Way) verdict.Verdict {
	t.Helper()
	made := apply.All(tree.Of([]byte(toText(stored))), tree.Of([]byte(toText(updated))), way)
	require.Len(t, made, 1)
	require.NoError(t, made[0].Problem)
	result := withoutNulls(parsed(t, string(made[0].Object.JSON())))
	if effective(t, stored) == effective(t, completed(t, result)) {
		return verdict.None
	}
	return verdict.Roll
}

// owned returns the fields of an object as managedFields has them.
func owned(t *testing.T, o object) object {
	t.Helper()
	fields := object{}
	for name, value := range parsed(t, toText(o)) {
		below := object{}
		switch v := value.(type) {
		case object:
			below = owned(t, v)
		case list:
			for _, one := range v {
				if _, isObject := one.(object); !isObject {
					continue // a list in a provider config is owned as a whole
				}
				element := owned(t, one.(object))
				element["."] = object{}
				below[fmt.Sprintf(`k:{"name":%q}`, one.(object)["name"])] = element
			}
		}
		fields["f:"+name] = below
	}
	return fields
}

func parsed(t *testing.T, raw string) (value object) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), &value))
	return value
}

// withoutNulls returns an object as the API server stores it.
func withoutNulls(o object) object {
	all := object{}
	for name, value := range o {
		switch v := value.(type) {
		case nil:
			continue
		case object:
			all[name] = withoutNulls(v)
		case list:
			var elements list
			for _, one := range v {
				if below, isObject := one.(object); isObject {
					one = withoutNulls(below)
				}
				elements = append(elements, one)
			}
			all[name] = elements
		default:
			all[name] = v
		}
	}
	return all
}

func within(o object, path ...string) object {
	for _, name := range path {
		below, _ := o[name].(object)
		o = below
	}
	return o
}

func poolOf(o object) object { return within(o, "spec", "provider")["workers"].(list)[0].(object) }

// completed does what the plugin does with the selector team=a.
func completed(t *testing.T, shoot object) object {
	t.Helper()
	shoot = parsed(t, toText(shoot))
	reserves := within(shoot, "spec", "kubernetes", "kubelet", "kubeReserved")
	if within(shoot, "metadata", "labels")["team"] == "a" && reserves == nil {
		complete(poolOf(shoot), ofMachine)
		return shoot
	}
	complete(within(shoot, "spec"), ofShoot)
	return shoot
}

// complete adds to the reservations of a Shoot's spec, or of a pool.
func complete(o, by object) {
	for _, name := range []string{"kubernetes", "kubelet", "kubeReserved"} {
		below, _ := o[name].(object)
		if below == nil {
			below = object{}
			o[name] = below
		}
		o = below
	}
	for name, value := range by {
		if o[name] == nil {
			o[name] = value
		}
	}
}

// effective is what the name has of the kubelet.
func effective(t *testing.T, shoot object) string {
	t.Helper()
	own := within(poolOf(shoot), "kubernetes", "kubelet")
	if own == nil {
		own = within(shoot, "spec", "kubernetes", "kubelet")
	}
	all := hash.Kubelet{SumReservations: true}
	if kube := within(own, "kubeReserved"); kube != nil {
		all.KubeReserved = &hash.Reserved{CPU: quantityOf(kube["cpu"]), Memory: quantityOf(kube["memory"]), PID: quantityOf(kube["pid"])}
	}
	name, err := hash.NodeAgentSecretName(hash.Worker{Name: "a", KubernetesVersion: "1.33", Kubelet: &all})
	require.NoError(t, err)
	return name.Text
}

func quantityOf(value any) *resource.Quantity {
	text, isSet := value.(string)
	if !isSet {
		return nil
	}
	q := resource.MustParse(text)
	return &q
}

// profileOfModel has the machine type, and the version that Gardener takes where a manifest has none.
func profileOfModel(t *testing.T) *facts.CloudProfile {
	t.Helper()
	text, err := json.Marshal(object{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "CloudProfile",
		"spec": object{
			"machineTypes": list{object{"name": "m5.large", "cpu": "2", "memory": "4Gi"}},
			"kubernetes":   object{"versions": list{object{"version": "1.33.2"}}},
		},
	})
	require.NoError(t, err)
	profile, err := facts.ReadCloudProfile(tree.Of(text), today)
	require.NoError(t, err)
	return profile
}
