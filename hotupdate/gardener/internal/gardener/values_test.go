package gardener_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// perField is how many values of a field are drawn, beside the empty ones.
const perField = 2

// values returns values for a field: those of a table, those that other Shoots have, and those of its
// type. They differ from the current one.
func (d *drawer) values(t reflect.Type, field string, current any) []any {
	known := append(slices.Clone(tableOf(field)), d.harvest[field]...)
	all := d.sample(field, unequal(known, current), perField)
	return append(all, d.sample(field, unequal(ofType(t, current), current), max(1, perField-len(all)))...)
}

func unequal(values []any, current any) (others []any) {
	for _, v := range values {
		is := func(other any) bool { return sameJSON(v, other) }
		if v != nil && !is(current) && !slices.ContainsFunc(others, is) {
			others = append(others, v)
		}
	}
	return others
}

func sameJSON(a, b any) bool {
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}

// ofType returns values of a type, some of them next to the current one.
func ofType(t reflect.Type, current any) []any {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return []any{"2026-01-02T03:04:05Z"}
	case reflect.TypeFor[metav1.Duration]():
		return []any{"7m0s", "1h0m0s", "0s", "-1m0s", "1s"}
	case reflect.TypeFor[resource.Quantity]():
		return []any{"2Gi", "1", "150m", "-1", json.Number("3")}
	case reflect.TypeFor[intstr.IntOrString]():
		return []any{json.Number("2"), "20%", json.Number("0"), "x"}
	case reflect.TypeFor[runtime.RawExtension]():
		return append(membersOf(current), object{"apiVersion": "a/v1", "kind": "B"}, object{"a": "b"})
	}
	switch t.Kind() {
	case reflect.Bool:
		return []any{true, false}
	case reflect.String:
		text, _ := current.(string)
		return []any{text + "z", "a", "example.org", "5%"}
	case reflect.Float64, reflect.Float32:
		return []any{json.Number("0.6"), json.Number("0.05"), json.Number("1.5"), json.Number("-0.5")}
	default:
		return append(nextTo(current), json.Number("1"), json.Number("100"), json.Number("-1"))
	}
}

// membersOf returns a free object with one change.
func membersOf(current any) []any {
	members, is := current.(object)
	if !is {
		return nil
	}
	more := maps.Clone(members)
	more["extra"] = "x"
	return []any{more}
}

func nextTo(current any) []any {
	number, is := current.(json.Number)
	if !is {
		return nil
	}
	n, err := strconv.Atoi(number.String())
	if err != nil {
		return nil
	}
	return []any{json.Number(strconv.Itoa(n + 1)), json.Number(strconv.Itoa(n - 1))}
}

// tableOf returns the values of the table for a field, by the end of its path.
func tableOf(field string) (values []any) {
	for _, end := range tableEnds {
		if !strings.HasSuffix("."+field, "."+end) {
			continue
		}
		for _, v := range table[end] {
			if n, is := v.(int); is {
				v = json.Number(strconv.Itoa(n))
			}
			values = append(values, v)
		}
	}
	return values
}

// table has values that Gardener admits, or refuses for a reason of its own, where those of the type
// would all be refused for the same reason. A field that is not here is drawn as well.
var table = map[string][]any{
	"updateStrategy":                 {"AutoRollingUpdate", "AutoInPlaceUpdate", "ManualInPlaceUpdate"},
	"spec.kubernetes.version":        {"1.33.3", "1.34.1", "1.35.0", "1.36.0", "1.34", "1.32.5"},
	"workers[].kubernetes.version":   {"1.33.3", "1.34.0", "1.33.2", "1.32.9", "1.35.1"},
	"machine.type":                   {"m5.xlarge", "n1-standard-4", "m1.large"},
	"machine.architecture":           {"arm64", "amd64"},
	"image.name":                     {"ubuntu", "gardenlinux"},
	"image.version":                  {"1443.9.0", "1500.0.0", "1443.8.0", "1443", "1500"},
	"volume.size":                    {"60Gi", "50Gi", "51200Mi"},
	"volume.type":                    {"gp2", "pd-ssd", "Premium_LRS", "default"},
	"dataVolumes[].size":             {"30Gi"},
	"dataVolumes[].type":             {"gp3", "pd-ssd"},
	"cri.name":                       {"containerd", "docker"},
	"containerRuntimes[].type":       {"gvisor", "kata"},
	"kubeProxy.mode":                 {"IPVS", "IPTables", "NFTables"},
	"zones[]":                        {"eu-central-1b", "europe-west1-c", "2", "eu-1b"},
	"taints[].effect":                {"NoExecute", "NoSchedule", "PreferNoSchedule"},
	"cpuManagerPolicy":               {"static", "none"},
	"swapBehavior":                   {"LimitedSwap", "UnlimitedSwap"},
	"evictionHard.memoryAvailable":   {"200Mi", "10%", "0"},
	"evictionSoft.memoryAvailable":   {"300Mi", "15%"},
	"containerLogMaxSize":            {"50Mi"},
	"purpose":                        {"production", "development", "testing", "infrastructure"},
	"ipFamilies[]":                   {"IPv6", "IPv4"},
	"networking.type":                {"cilium", "calico"},
	"networking.pods":                {"100.128.0.0/11"},
	"networking.services":            {"100.72.0.0/13"},
	"networking.nodes":               {"10.250.0.0/15", "10.251.0.0/16"},
	"failureTolerance.type":          {"node", "zone"},
	"coreDNS.autoscaling.mode":       {"cluster-proportional", "horizontal"},
	"expander":                       {"least-waste", "random", "most-pods", "priority"},
	"profile":                        {"bin-packing", "balanced"},
	"authenticationMode":             {"basic", "token"},
	"externalTrafficPolicy":          {"Local", "Cluster"},
	"provider.type":                  {"aws", "gcp"},
	"tlsMinVersion":                  {"VersionTLS13", "VersionTLS12"},
	"encryptionConfig.provider.type": {"aescbc", "secretbox", "aesgcm"},
	"encryptionConfig.resources[]":   {"configmaps", "deployments.apps", "secrets"},
	"cloudProfile.kind":              {"CloudProfile", "NamespacedCloudProfile"},
	"cloudProfile.name":              {"gcp", "aws", "ali"},
	"cloudProfileName":               {"aws", "openstack"},
	"credentialsBindingName":         {"account-gcp", "account-openstack"},
	"secretBindingName":              {"account-openstack"},
	"seedName":                       {"seed-1"},
	"region":                         {"eu-central-1", "europe-west1"},
	"schedulerName":                  {"default-scheduler"},
	"timeWindow.begin":               {"230000+0100", "010000+0000"},
	"timeWindow.end":                 {"000000+0100", "020000+0000"},
	"schedules[].start":              {"0 21 * * *"},
	"schedules[].end":                {"0 7 * * *"},
	"schedules[].location":           {"Europe/Berlin"},
	"issuer":                         {"https://bar.example.org"},
	"acceptedIssuers[]":              {"https://b.example.org"},
	"maxTokenExpiration":             {"720h", "2160h"},
	"nodeCIDRMaskSize":               {24, 23, 25},
	"nodeCIDRMaskSizeIPv6":           {64},
	"podPidsLimit":                   {200},
	"maxPods":                        {100, 200, 250},
	"ignoreTaints[]":                 {"example.org/taint"},
	"startupTaints[]":                {"example.org/startup"},
	"statusTaints[]":                 {"example.org/status"},
	"kubeconfigSecretName":           {"kubeconfig"},
	"emailReceivers[]":               {"jane.doe@example.com"},
	"admissionPlugins[].name":        {"PodNodeSelector", "PodTolerationRestriction"},
	"reservedCPU":                    {"0"},
	"minAllowed.cpu":                 {"2"},
	"minAllowed.memory":              {"4Gi"},
	"kubeReserved.cpu":               {"80m", "200m", "0.08"},
	"kubeReserved.memory":            {"1Gi", "2Gi", "1024Mi"},
	"kubeReserved.pid":               {"20k", "30k", "20000"},
	"kubeReserved.ephemeralStorage":  {"1Gi", "2Gi"},
	"kubeMaxPDVols":                  {"30", "40"},
	"priority":                       {50},
	"minimum":                        {0, 2, 4},
	"maximum":                        {0, 4, 10},
	"machineDrainTimeout":            {"1h0m0s"},
	"nodeConditions[]":               {"KernelDeadlock"},
	"sysctls":                        {"1"},
	"resources[].name":               {"other-secret"},
	"resourceRef.kind":               {"Secret", "ConfigMap"},
	"resourceRef.apiVersion":         {"v1"},
	"credentialsRef.kind":            {"Secret"},
	"credentialsRef.apiVersion":      {"v1"},
	"providers[].type":               {"aws-route53", "google-clouddns"},
	"commonSuffixes[]":               {"example.org"},
	"loadBalancerSourceRanges[]":     {"10.1.0.0/16"},
	"configMapName":                  {"other"},
	"configMapRef.name":              {"other"},
	"accessRestrictions[].name":      {"eu-access-only"},
	"exposureClassName":              {"internet"},
	"gardener.cloud/operation": {
		"rotate-ca-start", "reconcile", "rotate-credentials-start", "rotate-rollout-workers=cpu", "rollout-workers=cpu",
		"rotate-ssh-keypair", "force-in-place-update",
	},
	"maintenance.gardener.cloud/operation":                                       {"rotate-serviceaccount-key-start", "reconcile"},
	"confirmation.gardener.cloud/deletion":                                       {"true"},
	"shoot.gardener.cloud/cleanup-infrastructure-resources-grace-period-seconds": {"60"},
	"finalizers[]":          {"gardener", "example.org/finalizer"},
	"rotationPeriod":        {"336h", "0s", "1h"},
	"featureGates.NodeSwap": {true, false},
}

// tableEnds are the keys of the table, in an order that is always the same.
var tableEnds = slices.Sorted(maps.Keys(table))

// mapKeys are keys of maps that mean something to Gardener.
var mapKeys = map[string][]string{
	"metadata.annotations": {
		"gardener.cloud/operation", "maintenance.gardener.cloud/operation", "confirmation.gardener.cloud/deletion",
		"shoot.gardener.cloud/cleanup-infrastructure-resources-grace-period-seconds", "example.org/a",
	},
	"metadata.labels":                                         {"team", "example.org/a"},
	"spec.kubernetes.kubelet.featureGates":                    {"NodeSwap"},
	"spec.provider.workers[].kubernetes.kubelet.featureGates": {"NodeSwap"},
	"spec.kubernetes.kubeAPIServer.runtimeConfig":             {"scheduling.k8s.io/v1alpha1"},
	"spec.provider.workers[].sysctls":                         {"net.ipv4.tcp_wmem", "vm.max_map_count"},
	"spec.provider.workers[].labels":                          {"example.org/a", "node.kubernetes.io/role"},
}
