package pool

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// judgement says how a change of a manifest's field is judged.
type judgement uint8

const (
	unjudged  judgement = iota // not at all: it is listed
	elsewhere                  // among the triggers, in the provider config, or by a rule of its own
	notHashed                  // no name of Gardener or of an extension depends on it
	scales                     // it changes the number of machines
	atPools                    // it stands above the pools, and is judged with each of them
)

// The fields of a worker pool that are judged. A field that has no line here or above it is not judged: what Gardener adds tomorrow is
// listed as such until somebody judges it. Source: Gardener v1.150, hash of worker pools and reconciliation of Workers.
var (
	shootWorkerFields = map[string]judgement{
		"name": elsewhere, "updateStrategy": elsewhere, "providerConfig": elsewhere, "zones": elsewhere,
		"machine.type": elsewhere, "machine.image.name": elsewhere, "machine.image.version": elsewhere,
		"volume.size": elsewhere, "volume.type": elsewhere, "volume.encrypted": elsewhere, "dataVolumes": elsewhere,
		"cri.name": elsewhere, "kubernetes.version": elsewhere,
		"kubernetes.kubelet.kubeReserved": elsewhere, "kubernetes.kubelet.systemReserved": elsewhere,
		"kubernetes.kubelet.evictionHard": elsewhere, "kubernetes.kubelet.cpuManagerPolicy": elsewhere,
		"minimum": scales, "maximum": scales,
		"kubernetes.kubelet": notHashed,
		"labels":             notHashed, "annotations": notHashed, "taints": notHashed, "kubeletDataVolumeName": notHashed,
		"machineControllerManager": notHashed, "maxSurge": notHashed, "maxUnavailable": notHashed, "machine.architecture": elsewhere,
	}
	workerPoolFields = map[string]judgement{
		"name": elsewhere, "updateStrategy": elsewhere, "providerConfig": elsewhere, "zones": elsewhere,
		"machineType": elsewhere, "machineImage.name": elsewhere, "machineImage.version": elsewhere, "nodeAgentSecretName": elsewhere,
		"volume.size": elsewhere, "volume.type": elsewhere, "volume.encrypted": elsewhere, "dataVolumes": elsewhere,
		"kubernetesVersion": elsewhere, "kubeletConfig.kubeReserved": elsewhere, "kubeletConfig.systemReserved": elsewhere,
		"kubeletConfig.evictionHard": elsewhere, "kubeletConfig.cpuManagerPolicy": elsewhere,
		"minimum": scales, "maximum": scales,
		"kubeletConfig": notHashed,
		"labels":        notHashed, "annotations": notHashed, "taints": notHashed, "kubeletDataVolumeName": notHashed,
		"machineControllerManager": notHashed, "maxSurge": notHashed, "maxUnavailable": notHashed, "architecture": elsewhere,
	}
	// manifestFields are those above the pools, of both kinds.
	manifestFields = map[string]judgement{
		"apiVersion": elsewhere, "kind": elsewhere, "status": elsewhere, "spec.type": elsewhere, "spec.provider.type": elsewhere,
		"metadata.name": elsewhere, "metadata.namespace": elsewhere, "metadata.generateName": elsewhere, "metadata.uid": elsewhere,
		"metadata.resourceVersion": elsewhere, "metadata.generation": elsewhere, "metadata.creationTimestamp": elsewhere,
		"metadata.managedFields": elsewhere, "metadata.finalizers": elsewhere, "metadata.ownerReferences": elsewhere,
		"metadata.annotations.kubectl.kubernetes.io/last-applied-configuration": elsewhere,

		"metadata.annotations.gardener.cloud/operation":             atPools,
		"metadata.annotations.maintenance.gardener.cloud/operation": atPools,
		"spec.kubernetes.version":                                   atPools,
		"spec.kubernetes.kubelet":                                   atPools,
		"spec.kubernetes.kubeProxy.mode":                            atPools,
		"spec.systemComponents.nodeLocalDNS.enabled":                atPools,
		"spec.hibernation.enabled":                                  atPools,

		"spec.provider.workersSettings.sshAccess":        notHashed,
		"spec.maintenance.autoUpdate":                    notHashed,
		"spec.maintenance.confineSpecUpdateRollout":      notHashed,
		"spec.kubernetes.kubeAPIServer.encryptionConfig": notHashed,
	}
)

// triggerNames are the triggers of fields that have other names than those, the first that a path begins with.
var triggerNames = [][2]string{
	{"machineType", "machine.type"},
	{"machineImage", "machine.image"},
	{"architecture", architecturePath},
	{"kubernetesVersion", versionPath},
	{"kubeletConfig.kubeReserved", reservedPath},
	{"kubeletConfig.systemReserved", reservedPath},
	{"kubeletConfig", "kubernetes.kubelet"},
	{"kubernetes.kubelet.kubeReserved", reservedPath},
	{"kubernetes.kubelet.systemReserved", reservedPath},
}

func triggerOf(path string) string {
	for _, names := range triggerNames {
		if rest, ok := strings.CutPrefix(path, names[0]); ok && (rest == "" || rest[0] == '.') {
			return names[1] + rest
		}
	}
	return path
}

// judgementOf finds how the field at a place is judged: as the field, or one above it.
func judgementOf(fields map[string]judgement, at fieldpath.Path) judgement {
	path, found := "", unjudged
	for _, step := range at {
		path = strings.TrimPrefix(path+"."+step.Name, ".")
		if j, ok := fields[path]; ok {
			found = j
		}
	}
	return found
}

// rest compares the fields of two manifests or pools that are no triggers. It returns those that are judged, and the paths of the others.
// Those that are judged elsewhere are handed on.
func rest(fields map[string]judgement, old, updated any, judged func(at fieldpath.Path, before, after any)) (changes []Change, unknown []string) {
	differences(nil, old, updated, func(at fieldpath.Path, before, after any) {
		switch judgementOf(fields, at) {
		case elsewhere:
			judged(at, before, after)
		case notHashed:
			changes = append(changes, changeAt(at, before, after, NotHashed, None))
		case scales:
			changes = append(changes, changeAt(at, before, after, Scaled, ComeOrGo))
		case atPools:
			changes = append(changes, changeAt(at, before, after, ToldAtPools, None))
		case unjudged:
			unknown = append(unknown, at.String())
		}
	})
	return changes, unknown
}

// changeAt is a change outside of triggers and Schemas, with the rule that it is judged by.
func changeAt(at fieldpath.Path, before, after any, rule Rule, verdict Verdict) Change {
	c := Change{Rule: rule, Verdict: verdict, Change: hotupdate.Change{
		Path: at.String(), Pointer: at.Pointer(), Op: hotupdate.Replace, Class: hotupdate.Ignored, Old: textOf(before), New: textOf(after),
	}}
	if isAbsent(before) {
		c.Op = hotupdate.Add
	}
	if isAbsent(after) {
		c.Op = hotupdate.Remove
	}
	return c
}

func textOf(value any) string {
	if isAbsent(value) {
		return ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // what was decoded from JSON
	return strings.TrimSpace(text.String())
}

// absent stands for a value that is not there, where null is one.
type absent struct{}

// differences passes on the places at which two JSON values differ: of objects member by member, of everything else as a whole. An object
// that only one side has is taken apart as well, unless it is empty.
func differences(at fieldpath.Path, old, updated any, found func(at fieldpath.Path, before, after any)) {
	before, isObject := old.(map[string]any)
	after, isToo := updated.(map[string]any)
	switch {
	case reflect.DeepEqual(old, updated):
	case len(before)+len(after) > 0 && (isObject || isAbsent(old)) && (isToo || isAbsent(updated)):
		names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			differences(append(slices.Clip(at), fieldpath.Step{Name: name}), memberOf(before, name), memberOf(after, name), found)
		}
	default:
		found(at, old, updated)
	}
}

func isAbsent(value any) bool {
	_, is := value.(absent)
	return is
}

func memberOf(object map[string]any, name string) any {
	if value, ok := object[name]; ok {
		return value
	}
	return absent{}
}

// with returns a JSON value that has another value at a place, which [differences] has found. The value itself stays as it is.
func with(value any, at fieldpath.Path, other any) any {
	if len(at) == 0 {
		return other
	}
	object, _ := value.(map[string]any)
	changed := map[string]any{}
	maps.Copy(changed, object)
	name := at[0].Name
	changed[name] = with(memberOf(object, name), at[1:], other)
	if isAbsent(changed[name]) {
		delete(changed, name)
	}
	return changed
}

// withoutPools decodes a manifest without its pools, which are compared one by one.
func withoutPools(raw []byte) any {
	all := tree(raw)
	root, _ := all.(map[string]any)
	spec, _ := root["spec"].(map[string]any)
	provider, _ := spec["provider"].(map[string]any)
	delete(spec, "pools")
	delete(provider, "workers")
	return all
}

// tree decodes JSON with exact numbers. A member that is null is left out, as everywhere in a manifest.
func tree(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // the manifest is valid JSON
	return withoutNulls(value)
}

// treeOrAbsent decodes JSON that may be missing.
func treeOrAbsent(raw []byte) any {
	if IsNull(raw) {
		return absent{}
	}
	return tree(raw)
}

func withoutNulls(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for name, member := range object {
		if member == nil {
			delete(object, name)
		} else {
			withoutNulls(member)
		}
	}
	return object
}
