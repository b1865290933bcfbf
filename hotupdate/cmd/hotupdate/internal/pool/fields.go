package pool

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// judgement says how a change of a manifest's field is judged.
type judgement uint8

const (
	unjudged  judgement = iota // not at all: it is listed
	elsewhere                  // among the triggers, in the provider config, or by a rule of its own
	notHashed                  // no name of Gardener or of an extension depends on it
	scales                     // it changes the number of machines
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
		"labels": notHashed, "annotations": notHashed, "taints": notHashed, "kubeletDataVolumeName": notHashed,
		"machineControllerManager": notHashed,
	}
	workerPoolFields = map[string]judgement{
		"name": elsewhere, "updateStrategy": elsewhere, "providerConfig": elsewhere, "zones": elsewhere,
		"machineType": elsewhere, "machineImage.name": elsewhere, "machineImage.version": elsewhere, "nodeAgentSecretName": elsewhere,
		"volume.size": elsewhere, "volume.type": elsewhere, "volume.encrypted": elsewhere, "dataVolumes": elsewhere,
		"kubernetesVersion": elsewhere, "kubeletConfig.kubeReserved": elsewhere, "kubeletConfig.systemReserved": elsewhere,
		"kubeletConfig.evictionHard": elsewhere, "kubeletConfig.cpuManagerPolicy": elsewhere,
		"minimum": scales, "maximum": scales,
		"labels": notHashed, "annotations": notHashed, "taints": notHashed, "kubeletDataVolumeName": notHashed,
		"machineControllerManager": notHashed,
	}
	// manifestFields are those above the pools, of both kinds.
	manifestFields = map[string]judgement{
		"apiVersion": elsewhere, "kind": elsewhere, "metadata.name": elsewhere, "metadata.namespace": elsewhere, "status": elsewhere,
		"spec.type": elsewhere, "spec.provider.type": elsewhere, "spec.kubernetes.version": elsewhere,
		"spec.kubernetes.kubelet.kubeReserved": elsewhere, "spec.kubernetes.kubelet.systemReserved": elsewhere,
		"spec.kubernetes.kubelet.evictionHard": elsewhere, "spec.kubernetes.kubelet.cpuManagerPolicy": elsewhere,
		"spec.kubernetes.kubeProxy.mode": elsewhere, "spec.systemComponents.nodeLocalDNS.enabled": elsewhere,
		"spec.hibernation.enabled":                       elsewhere,
		"spec.provider.workersSettings.sshAccess":        notHashed,
		"spec.maintenance.autoUpdate":                    notHashed,
		"spec.kubernetes.kubeAPIServer.encryptionConfig": notHashed,
	}
)

// judgementOf finds how the field at a path is judged: as the field, or one above it.
func judgementOf(fields map[string]judgement, path string) judgement {
	for path != "" {
		if j, ok := fields[path]; ok {
			return j
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return unjudged
}

// rest compares the fields of two manifests or pools that are no triggers. It returns those that are judged, and the paths of the others.
func rest(fields map[string]judgement, old, updated any) (changes []Change, unknown []string) {
	differences("", old, updated, func(path string, before, after any) {
		switch judgementOf(fields, path) {
		case elsewhere:
		case notHashed:
			changes = append(changes, changeOf(path, before, after, NotHashed, None))
		case scales:
			changes = append(changes, changeOf(path, before, after, Scaled, ComeOrGo))
		case unjudged:
			unknown = append(unknown, path)
		}
	})
	return changes, unknown
}

// changeOf is a change outside of the triggers, with the rule that it is judged by.
func changeOf(path string, before, after any, rule Rule, verdict Verdict) Change {
	c := Change{Change: hotupdate.Change{Path: path, Pointer: pointerOf(path), Class: hotupdate.Ignored, Old: textOf(before), New: textOf(after)}, Rule: rule, Verdict: verdict}
	switch {
	case before == nil:
		c.Op = hotupdate.Add
	case after == nil:
		c.Op = hotupdate.Remove
	default:
		c.Op = hotupdate.Replace
	}
	return c
}

func pointerOf(path string) string { return "/" + strings.ReplaceAll(path, ".", "/") }

func textOf(value any) string {
	if value == nil {
		return ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // what was decoded from JSON
	return strings.TrimSpace(text.String())
}

// differences passes on the paths at which two JSON values differ: of objects member by member, of everything else as a whole. Null is
// absent. An object that only one side has is taken apart as well, unless it is empty.
func differences(path string, old, updated any, found func(path string, before, after any)) {
	before, isObject := old.(map[string]any)
	after, isToo := updated.(map[string]any)
	switch {
	case reflect.DeepEqual(old, updated):
	case len(before)+len(after) > 0 && (isObject || old == nil) && (isToo || updated == nil):
		names := maps.Clone(after)
		if names == nil {
			names = map[string]any{}
		}
		maps.Copy(names, before)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			differences(joinPaths(path, name), before[name], after[name], found)
		}
	default:
		found(path, old, updated)
	}
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

// tree decodes JSON with exact numbers.
func tree(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // the manifest is valid JSON
	return value
}
