// Package drifted_test compares the built-in classes of Karpenter's kinds with Karpenter's own
// code: its hashes, and the controller that marks nodes as drifted, with the cloud provider for
// AWS. It is a module of its own, because it takes minutes to compile.
package drifted_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// base has every field of both released CRDs.
func base() specs {
	const pool = `{
"disruption": {"consolidateAfter": "1m", "consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "10%", "duration": "1h0m0s", "schedule": "@daily", "reasons": ["Empty"]}]},
"limits": {"cpu": "100"}, "weight": 10, "replicas": 3,
"template": {
  "metadata": {"labels": {"team": "a"}, "annotations": {"owner": "a"}},
  "spec": {
    "expireAfter": "100h", "terminationGracePeriod": "1h",
    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "class"},
    "requirements": [{"key": "tier", "operator": "In", "values": ["a", "b"], "minValues": 1}, {"key": "arch", "operator": "Exists"}],
    "taints": [{"key": "a", "value": "1", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}, {"key": "b", "effect": "NoExecute"}],
    "startupTaints": [{"key": "a", "value": "1", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}, {"key": "b", "effect": "NoExecute"}]}}}`
	const class = `{
"amiFamily": "AL2023",
"amiSelectorTerms": [{"alias": "al2023@latest", "id": "ami-1", "name": "a", "owner": "self", "ssmParameter": "a", "tags": {"a": "b"}}, {"id": "ami-9"}],
"associatePublicIPAddress": true,
"blockDeviceMappings": [
  {"deviceName": "/dev/xvda", "rootVolume": true, "ebs": {"deleteOnTermination": true, "encrypted": true, "iops": 3000, "kmsKeyID": "a", "snapshotID": "snap-1", "throughput": 125, "volumeInitializationRate": 100, "volumeSize": "100Gi", "volumeType": "gp3"}},
  {"deviceName": "/dev/xvdb", "ebs": {"volumeSize": "20Gi"}}],
"capacityReservationSelectorTerms": [{"id": "cr-1", "instanceMatchCriteria": "open", "ownerID": "012345678901", "tags": {"a": "b"}}, {"id": "cr-9"}],
"connectionTracking": {"tcpEstablishedTimeout": 60, "udpStreamTimeout": 60, "udpTimeout": 30},
"context": "a", "cpuOptions": {"nestedVirtualization": "enabled"}, "detailedMonitoring": true,
"instanceProfile": "a", "instanceStorePolicy": "RAID0", "ipPrefixCount": 1,
"kubelet": {"clusterDNS": ["10.0.0.10", "10.0.0.11"], "cpuCFSQuota": true, "evictionHard": {"memory.available": "5%"}, "evictionMaxPodGracePeriod": 60, "evictionSoft": {"memory.available": "10%"}, "evictionSoftGracePeriod": {"memory.available": "1m"}, "imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 80, "kubeReserved": {"cpu": "100m"}, "maxPods": 110, "podsPerCore": 2, "systemReserved": {"cpu": "100m"}},
"metadataOptions": {"httpEndpoint": "disabled", "httpProtocolIPv6": "enabled", "httpPutResponseHopLimit": 2, "httpTokens": "optional"},
"networkInterfaces": [{"deviceIndex": 1, "interfaceType": "efa-only", "networkCardIndex": 1}, {"interfaceType": "interface", "networkCardIndex": 0, "deviceIndex": 0}],
"placementGroupSelector": {"id": "pg-1", "name": "a"}, "role": "a",
"securityGroupSelectorTerms": [{"id": "sg-1", "name": "a", "tags": {"a": "b"}}, {"id": "sg-9"}],
"subnetSelectorTerms": [{"id": "subnet-1", "tags": {"a": "b"}}, {"id": "subnet-9"}],
"tags": {"team": "a"}, "userData": "echo 1"}`
	return specs{object(pool), object(class)}
}

func object(text string) (value map[string]any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err) // the constants of this file
	}
	return value
}

// others are second values for the fields that admit only certain values.
var others = map[string]any{
	"disruption.budgets[].nodes": "20%", "disruption.budgets[].duration": "2h0m0s", "disruption.budgets[].schedule": "@weekly",
	"disruption.budgets[].reasons": []any{"Drifted"}, "disruption.consolidateAfter": "2m",
	"disruption.consolidationPolicy": "WhenEmptyOrUnderutilized", "limits": map[string]any{"cpu": "200"},
	"template.spec.expireAfter": "1h", "template.spec.terminationGracePeriod": "2h",
	"template.spec.requirements[].key": "zone", "template.spec.requirements[].operator": "NotIn",
	"template.spec.requirements[].values": []any{"a"}, "template.spec.requirements[].minValues": 2.0,
	"template.spec.taints[].timeAdded": "2027-01-01T00:00:00Z", "template.spec.startupTaints[].timeAdded": "2027-01-01T00:00:00Z",
	"template.spec.taints[].effect": "NoExecute", "template.spec.startupTaints[].effect": "NoExecute",
	"amiFamily": "Bottlerocket", "amiSelectorTerms[].alias": "bottlerocket@latest", "amiSelectorTerms[].id": "ami-2",
	"blockDeviceMappings[].ebs.volumeSize": "200Gi", "blockDeviceMappings[].ebs.volumeType": "io2",
	"blockDeviceMappings[].ebs.snapshotID":  "snap-2",
	"capacityReservationSelectorTerms[].id": "cr-2", "capacityReservationSelectorTerms[].instanceMatchCriteria": "targeted",
	"capacityReservationSelectorTerms[].ownerID": "112345678901",
	"cpuOptions.nestedVirtualization":            "disabled", "kubelet.evictionHard": map[string]any{"memory.available": "6%"},
	"kubelet.evictionSoft":            map[string]any{"memory.available": "11%"},
	"kubelet.evictionSoftGracePeriod": map[string]any{"memory.available": "2m"},
	"kubelet.kubeReserved":            map[string]any{"cpu": "200m"}, "kubelet.systemReserved": map[string]any{"cpu": "200m"},
	"metadataOptions.httpEndpoint": "enabled", "metadataOptions.httpProtocolIPv6": "disabled", "metadataOptions.httpTokens": "required",
	"networkInterfaces[].interfaceType": "interface", "placementGroupSelector.id": "pg-2",
	"securityGroupSelectorTerms[].id": "sg-2", "subnetSelectorTerms[].id": "subnet-2",
}

// required are the members that a CRD requires. The test does not remove them.
var required = []string{
	"disruption.consolidateAfter", "disruption.budgets[].nodes", "template.spec.nodeClassRef.group", "template.spec.nodeClassRef.kind",
	"template.spec.nodeClassRef.name", "template.spec.requirements[].key", "template.spec.requirements[].operator",
	"template.spec.taints[].key", "template.spec.taints[].effect", "template.spec.startupTaints[].key",
	"template.spec.startupTaints[].effect",
	"networkInterfaces[].networkCardIndex", "networkInterfaces[].interfaceType", "networkInterfaces[].deviceIndex",
}

// drift is what Karpenter does to nodes after an edit.
type drift int

const (
	never   drift = iota // no node is replaced
	always               // every node is replaced
	depends              // on the node, or on what the cloud selects
)

// driftOf returns what Karpenter's hashes and its controller do to nodes with different labels. If
// selectsOthers is true, it also asks for a cloud whose selectors select something else. It returns
// false if none of the nodes fits the old specs.
func driftOf(t *testing.T, old, updated specs, path string, selectsOthers bool) (does drift, isKnown bool) {
	t.Helper()
	selects := []cloud{launched}
	if other, isSelector := selectedBy(path); isSelector && selectsOthers {
		selects = append(selects, other)
	}
	found := map[bool]bool{}
	for _, selected := range selects {
		for _, labels := range []map[string]string{
			{"tier": "a", "arch": "arm64", "zone": "a"}, {"tier": "b", "arch": "arm64"},
		} {
			if isDrifted(t, old, old, launched, labels) {
				continue
			}
			found[isDrifted(t, old, updated, selected, labels)] = true
		}
	}
	isHashed := old.sums(t) != updated.sums(t)
	switch {
	case isHashed:
		assert.NotContains(t, found, false, "%s: the hash is another, and a node has not drifted", path)
		return always, true
	case len(found) == 2:
		return depends, true
	case found[true]:
		return always, true
	}
	return never, len(found) > 0
}

// selectedBy returns a cloud in which the selector with this path selects something else; false if
// the path is in no selector.
func selectedBy(path string) (cloud, bool) {
	other := launched
	switch selectorOf(path) {
	case "amiSelectorTerms":
		other.image = "ami-2"
	case "subnetSelectorTerms":
		other.subnet = "subnet-2"
	case "securityGroupSelectorTerms":
		other.securityGroup = "sg-2"
	case "capacityReservationSelectorTerms":
		other.reservation = "cr-2"
	}
	return other, other != launched
}

// member edits a member of an object.
type member func(in map[string]any, name string)

func keep(map[string]any, string) {}

func remove(in map[string]any, name string) { delete(in, name) }

// edit is an edit of a field, before and after which the field differs.
type edit struct {
	what         string
	old, updated member
}

// edits returns the edits of a field: another value, its removal, an empty list or map where there
// was none, another order, and a repeated element.
func edits(path string, value any) []edit {
	all := []edit{{"changed", keep, func(in map[string]any, name string) { in[name] = otherThan(in[name], path) }}}
	if !slices.Contains(required, path) {
		all = append(all, edit{"removed", keep, remove})
	}
	switch value := value.(type) {
	case map[string]any:
		all = append(all, edit{"emptied", remove, func(in map[string]any, name string) { in[name] = map[string]any{} }})
	case []any:
		all = append(all,
			edit{"emptied", remove, func(in map[string]any, name string) { in[name] = []any{} }},
			edit{"reversed", keep, func(in map[string]any, name string) {
				reversed := slices.Clone(value)
				slices.Reverse(reversed)
				in[name] = reversed
			}},
			edit{"repeated", keep, func(in map[string]any, name string) { in[name] = append(slices.Clone(value), value[0]) }})
	}
	return all
}

// fieldsOf returns the listed fields, and the lists and objects above them.
func fieldsOf(listed []listedField) []listedField {
	all := slices.Clone(listed)
	for _, field := range listed {
		for at := strings.LastIndex(field.Path, "."); at > 0; at = strings.LastIndex(field.Path[:at], ".") {
			above := listedField{strings.TrimSuffix(field.Path[:at], "[]"), field.Class}
			isKnown := slices.ContainsFunc(all, func(f listedField) bool { return f.Path == above.Path })
			if !isKnown {
				all = append(all, above)
			}
		}
	}
	return all
}

func otherThan(value any, path string) any {
	if other, ok := others[path]; ok {
		return other
	}
	switch value := value.(type) {
	case string:
		return value + "2"
	case nil:
		return "2"
	case bool:
		return !value
	case float64:
		return value + 1
	case []any:
		if _, ofObjects := value[0].(map[string]any); ofObjects {
			return value[1:]
		}
		return append(slices.Clone(value), "10.0.0.12")
	case map[string]any:
		changed := maps.Clone(value)
		for name, inner := range changed {
			if _, isList := inner.([]any); !isList {
				delete(changed, name) // all members but lists
			}
		}
		return changed
	}
	return value
}

// apply edits the member at a path. Of each list on the way it takes the first element.
func apply(spec map[string]any, path string, edit func(in map[string]any, name string)) bool {
	name, rest, isDeeper := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(name, "[]")
	value, isThere := spec[name]
	if !isThere {
		return false
	}
	if !isDeeper {
		edit(spec, name)
		return true
	}
	if isList {
		value = value.([]any)[0]
	}
	return apply(value.(map[string]any), rest, edit)
}

// TestClasses edits every field of the released CRDs of NodePool and EC2NodeClass. It compares the
// verdict of plan with Karpenter's hashes and controller: roll if every node drifts, indeterminate
// if some drift, and never roll if none drifts. Another order of a selector's terms is none.
func TestClasses(t *testing.T) {
	command := build(t)
	for _, kind := range []struct {
		name, crd string
		spec      func(specs) map[string]any
	}{
		{"NodePool", crdOf(t, "sigs.k8s.io/karpenter", "karpenter.sh_nodepools.yaml"), func(s specs) map[string]any { return s.pool }},
		{
			"EC2NodeClass", crdOf(t, "github.com/aws/karpenter-provider-aws", "karpenter.k8s.aws_ec2nodeclasses.yaml"),
			func(s specs) map[string]any { return s.class },
		},
	} {
		seen := map[string]map[drift]bool{} // the outcomes of the edits of a selector
		for _, field := range fieldsOf(command.fields(t, kind.crd)) {
			var value any
			require.True(t, apply(kind.spec(base()), field.Path, func(in map[string]any, name string) { value = in[name] }),
				"%s: the base has no such field", field.Path)
			isAbove := slices.Contains([]string{"template", "template.spec", "template.spec.nodeClassRef"}, field.Path) // required
			for _, edit := range edits(field.Path, value) {
				if isAbove {
					continue
				}
				old := base()
				updated := base()
				at := fmt.Sprintf("%s %s %s", kind.name, field.Path, edit.what)
				apply(kind.spec(old), field.Path, edit.old)
				apply(kind.spec(updated), field.Path, edit.updated)
				verdict := command.verdict(t, kind.crd, kind.name, kind.spec(old), kind.spec(updated))
				if field.Class == "forbidden" { // the API server refuses it
					assert.Equal(t, "forbidden", verdict, at)
					continue
				}
				assert.NotEmpty(t, field.Class, "%s: no class", at)
				does, isKnown := driftOf(t, old, updated, field.Path, edit.what == "changed" || edit.what == "removed")
				if !isKnown {
					continue
				}
				selector := selectorOf(field.Path)
				if seen[selector] == nil {
					seen[selector] = map[drift]bool{}
				}
				seen[selector][does] = true
				switch does {
				case always:
					isOneSided := field.Path == "amiFamily" && edit.what == "removed" // the alias may have the family
					isSameMeaning := edit.what == "emptied" || edit.what == "repeated"
					want := []string{"roll"}
					if selector != "" || isSameMeaning || isOneSided {
						want = append(want, "indeterminate")
					}
					assert.Contains(t, want, verdict, "%s: every node drifts", at)
				case depends:
					assert.Equal(t, "indeterminate", verdict, at)
				case never:
					want := []string{"none", "indeterminate"}
					if edit.what == "reversed" && selector != "" {
						want = want[:1]
					}
					assert.Contains(t, want, verdict, "%s: no node drifts", at)
				}
			}
		}
		for selector, outcomes := range seen {
			if selector != "" {
				assert.True(t, outcomes[depends], "%s: nothing depends on the nodes", selector)
			}
		}
	}
}

// selectorOf returns the selector that a path is in; empty if it is in none.
func selectorOf(path string) string {
	for _, selector := range []string{
		"template.spec.requirements", "amiSelectorTerms", "subnetSelectorTerms", "securityGroupSelectorTerms",
		"capacityReservationSelectorTerms",
	} {
		if strings.HasPrefix(path, selector) {
			return selector
		}
	}
	return ""
}

// program is the built command.
type program string

func build(t *testing.T) program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hotupdate")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", file, "./hotupdate/cmd/hotupdate")
	command.Dir = filepath.Join("..", "..", "..")
	text, err := command.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return program(file)
}

// crdOf returns the path of a CRD in the release that the test links.
func crdOf(t *testing.T, module, name string) string {
	t.Helper()
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(folder)), "pkg", "apis", "crds", name)
}

type listedField struct{ Path, Class string }

func (p program) fields(t *testing.T, crd string) []listedField {
	t.Helper()
	var listed struct {
		Kinds []struct{ Fields []listedField }
	}
	require.NoError(t, json.Unmarshal(p.run(t, "schema", "-o", "json", "--crd", crd), &listed))
	require.Len(t, listed.Kinds, 1)
	require.NotEmpty(t, listed.Kinds[0].Fields)
	return listed.Kinds[0].Fields
}

func (p program) verdict(t *testing.T, crd, kind string, old, updated map[string]any) string {
	t.Helper()
	folder := t.TempDir()
	group := map[string]string{"NodePool": "karpenter.sh/v1", "EC2NodeClass": "karpenter.k8s.aws/v1"}[kind]
	write := func(name string, spec map[string]any) string {
		text, err := json.Marshal(map[string]any{
			"apiVersion": group, "kind": kind, "metadata": map[string]any{"name": "a"}, "spec": spec,
		})
		require.NoError(t, err)
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	var report struct{ Verdict string }
	require.NoError(
		t, json.Unmarshal(p.run(t, "plan", "-o", "json", "--crd", crd, write("old.json", old), write("new.json", updated)), &report),
	)
	return report.Verdict
}

func (p program) run(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), string(p), args...)
	var problems bytes.Buffer
	command.Stderr = &problems
	text, err := command.Output()
	require.NoError(t, err, "%v: %s", args, problems.String())
	return text
}
