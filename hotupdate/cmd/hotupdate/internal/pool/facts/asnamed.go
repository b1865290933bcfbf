package facts

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// This file represents a pool as one object that includes the settings of its Shoot. Fields have
// the names of a Shoot's pool.

// object is an object of JSON.
type object = map[string]any

func nodeOf(value object) *tree.Node {
	raw, _ := json.Marshal(value) // texts, booleans, quantities
	return tree.Of(raw)
}

// storedFields returns the fields that package hash reads, with what Gardener fills in. The setting
// of node-local DNS and the mode of kube-proxy together are one value, because they decide
// together.
func (p *Pool) storedFields() *tree.Node {
	return p.namedFields(p.Worker.Kubelet, []string{onOrOff(p.Worker.NodeLocalDNS), p.Worker.KubeProxyMode})
}

const switchedOn = "on"

func onOrOff(isOn bool) string { //nolint:revive // the text of a setting
	if isOn {
		return switchedOn
	}
	return "off"
}

// writtenFields returns the fields that package hash reads, as the manifest has them.
func (p *Pool) writtenFields() *tree.Node {
	if nodeLocalDNSCounts(p.namedWorker()) {
		return p.namedFields(p.kubeletInManifest(), true)
	}
	return p.namedFields(p.kubeletInManifest(), nil)
}

func (p *Pool) namedFields(kubelet *hash.Kubelet, dns any) *tree.Node {
	w := p.namedWorker()
	name, _ := hash.NodeAgentSecretName(w)
	rotation := func(of hash.InputName) object { return object{"lastInitiationTime": name.Value(of)} }
	machine := object{"type": unlessEmpty(w.MachineType)}
	if w.Image != nil { // an image without a name differs from no image
		machine["image"] = object{"name": w.Image.Name, "version": unlessEmpty(w.Image.Version)}
	}
	all := object{
		"kubernetes":       object{"version": unlessEmpty(p.Worker.KubernetesVersion), "kubelet": kubelet},
		"machine":          machine,
		"cri":              object{"name": w.CRI},
		"systemComponents": object{"nodeLocalDNS": object{"enabled": dns}},
		"credentials": object{"rotation": object{
			authorities: rotation(hash.CARotation), accountKey: rotation(hash.ServiceAccountKeyRotation),
		}},
	}
	if w.Volume != nil {
		all[fields.Volume] = object{"size": w.Volume.Size, "type": w.Volume.Type}
	}
	return nodeOf(all)
}

// besideFields returns the fields that Gardener's names do not cover; nil for no pool.
func (p *Pool) besideFields() *tree.Node {
	if p == nil {
		return nil
	}
	all := object{fields.Strategy: p.Worker.UpdateStrategy.String(), fields.SecretName: p.NodeAgentSecretName}
	if p.Encrypted != nil {
		all[fields.Volume] = object{"encrypted": p.Encrypted}
	}
	for i, v := range p.DataVolumes {
		all[fieldpath.At(fields.DataVolumes, i)] = object{
			"name": unlessEmpty(v.Name), "size": v.Size, "type": v.Type, "encrypted": v.Encrypted,
		}
	}
	return nodeOf(all)
}

// withStored returns the worker of a rolling pool with the fields of an object, see [Pool.storedFields].
func (p *Pool) withStored(n *tree.Node) hash.Worker {
	other := &Pool{dnsMinor: p.dnsMinor, Worker: hash.Worker{
		Name: p.Worker.Name, KubernetesVersion: n.At("kubernetes", "version").Text(),
		MachineType: n.At("machine", "type").Text(), Image: imageIn(n.At("machine", "image")),
		CRI: textIn(n.At("cri", "name")), Kubelet: kubeletIn(n.At("kubernetes", "kubelet")),
		CARotation:                rotatedAt(n.At("credentials", "rotation", authorities, "lastInitiationTime")),
		ServiceAccountKeyRotation: rotatedAt(n.At("credentials", "rotation", accountKey, "lastInitiationTime")),
	}}
	if v := n.At(fields.Volume); v != nil {
		other.Worker.Volume = &hash.Volume{Size: v.At("size").Text(), Type: textIn(v.At("type"))}
	}
	dns := textsIn(n.At(fields.Split(fields.NodeLocalDNS)...))
	if len(dns) > 0 {
		other.Worker.NodeLocalDNS = dns[0] == switchedOn
		other.Worker.KubeProxyMode = dns[1]
	}
	return other.namedWorker()
}

// unlessEmpty returns a text, or nil if it is empty.
func unlessEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// rotatedAt reads a time as names have it.
func rotatedAt(n *tree.Node) hash.Rotation {
	const layout = "2006-01-02 15:04:05 -0700 MST"
	return hash.Rotation{LastInitiationTime: valueIn(n, func(n *tree.Node) metav1.Time {
		t, _ := time.Parse(layout, n.Text())
		return metav1.NewTime(t)
	})}
}
