package pool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// The paths of fields of pools that rules name.
const (
	strategyPath     = "updateStrategy"
	secretNamePath   = "nodeAgentSecretName"
	versionPath      = "kubernetes.version"
	credentialsPath  = "credentials.rotation"
	kubeletPath      = "kubernetes.kubelet"
	reservedPath     = "kubernetes.kubelet.kubeReserved"
	imageNamePath    = "machine.image.name"
	imageVersionPath = "machine.image.version"
	nodeLocalDNSPath = "systemComponents.nodeLocalDNS.enabled"
	architecturePath = "machine.architecture"
	encryptedPath    = "volume.encrypted"
	dataVolumesField = "dataVolumes"
)

// unknownVersion replaces an unknown Kubernetes version. Like all versions below 1.34 it lets
// node-local DNS count.
const unknownVersion = "0.0"

// hashedField is a field of a pool that a name of Gardener or of an extension covers.
type hashedField struct {
	path string // with positions of data volumes
	// hashed is what the name depends on, and nil if the name does not have it: the minor of a
	// version, the sum of two reservations. Shown is the value in JSON, empty if the manifest does
	// not set the field. Only a field for which both differ is to blame for another name.
	hashed any
	shown  string
}

// row returns the row of the field in the table.
func (f hashedField) row() Field {
	path := f.path
	if strings.HasPrefix(path, dataVolumesField) {
		path = dataVolumesField
	}
	return tables()["pool"][path]
}

// hashedFields returns the fields of the pool that names cover, in an order that only depends on
// the pool's shape. Package hash decides what counts.
func (p *Pool) hashedFields() ([]hashedField, error) {
	w := p.Worker
	w.UpdateStrategy = hotupdate.AutoRollingUpdate // the name of a rolling pool has all the parts
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, unknownVersion)
	name, err := hash.NodeAgentSecretName(w)
	if err != nil {
		return nil, err
	}
	part := func(name hash.Name, of string) any {
		for _, part := range name.Parts {
			if part.Name == of {
				return part.Value
			}
		}
		return nil
	}
	image, dns := imageOf(w), part(name, "node-local DNS") != nil
	all := []hashedField{
		{strategyPath, p.Worker.UpdateStrategy.String(), textOf(p.Worker.UpdateStrategy.String())},
		textField(versionPath, p.Worker.KubernetesVersion),
		textField("machine.type", w.MachineType),
		{imageNamePath, w.Image != nil, ""},
		textField(imageVersionPath, image.Version),
		{"cri.name", part(name, "container runtime"), textOf(w.CRI)},
		{nodeLocalDNSPath, dns, map[bool]string{true: "true"}[dns]},
		{
			"credentials.rotation.certificateAuthorities.lastInitiationTime",
			part(name, "certificate authorities rotation"), "",
		},
		{"credentials.rotation.serviceAccountKey.lastInitiationTime", part(name, "service-account key rotation"), ""},
		{secretNamePath, deref(p.NodeAgentSecretName), textOf(p.NodeAgentSecretName)},
	}
	if p.Worker.KubernetesVersion != "" {
		all[1].hashed = minorOf(w.KubernetesVersion)
	}
	if w.Image != nil {
		all[3].hashed, all[3].shown = image.Name, textOf(image.Name)
	}
	for _, i := range []int{7, 8} {
		all[i].shown = textOf(all[i].hashed)
	}
	return slices.Concat(all, kubeletFields(w.Kubelet), p.volumeFields()), nil
}

// textField is a hashed field whose value is a text, empty if it is not set.
func textField(path, value string) hashedField {
	if value == "" {
		return hashedField{path: path}
	}
	return hashedField{path, value, textOf(value)}
}

// pointed is a hashed field whose value may be missing.
func pointed[T any](path string, value *T) hashedField {
	if value == nil {
		return hashedField{path: path}
	}
	return hashedField{path, *value, textOf(value)}
}

func deref[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

// kubeletFields returns the hashed fields of a kubelet's configuration. A reservation counts by its
// sum, whichever field has it.
func kubeletFields(from *hash.Kubelet) []hashedField {
	k := *orDefault(from, hash.Kubelet{})
	sum, sums := k.Reservations(), quantities(k.Reservations())
	all := []hashedField{pointed(kubeletPath+".cpuManagerPolicy", k.CPUManagerPolicy)}
	for path, own := range map[string]*hash.Reserved{
		reservedPath: k.KubeReserved, kubeletPath + ".systemReserved": k.SystemReserved,
	} {
		all = append(all, hashedField{path, sum != nil, present(own)})
		texts := quantities(own)
		for resource, text := range sums {
			f := textField(path+"."+resource, texts[resource])
			f.hashed = text
			all = append(all, f)
		}
	}
	const eviction = kubeletPath + ".evictionHard"
	e := *orDefault(k.EvictionHard, hash.EvictionHard{})
	return append(all,
		hashedField{eviction, k.EvictionHard != nil, present(k.EvictionHard)},
		textField(eviction+".memoryAvailable", *orDefault(e.MemoryAvailable, "")),
		textField(eviction+".imageFSAvailable", *orDefault(e.ImageFSAvailable, "")),
		textField(eviction+".imageFSInodesFree", *orDefault(e.ImageFSInodesFree, "")),
		textField(eviction+".nodeFSAvailable", *orDefault(e.NodeFSAvailable, "")),
		textField(eviction+".nodeFSInodesFree", *orDefault(e.NodeFSInodesFree, "")),
	)
}

// present is the value of an object of which only the presence is told.
func present[T any](object *T) string {
	if object == nil {
		return ""
	}
	return "{}"
}

// quantities returns the texts of reservations as Gardener hashes them: 1024Mi is 1Gi, but
// 1073741824 is not.
func quantities(r *hash.Reserved) map[string]string {
	texts := map[string]string{"cpu": "", "memory": "", "ephemeralStorage": "", "pid": ""}
	if r != nil {
		raw, _ := json.Marshal(r)
		_ = json.Unmarshal(raw, &texts) // null keeps the empty text
	}
	return texts
}

func (p *Pool) volumeFields() []hashedField {
	all := []hashedField{pointed(encryptedPath, p.Encrypted)}
	if v := p.Worker.Volume; v != nil {
		all = append(all, hashedField{"volume.size", v.Size, textOf(v.Size)}, pointed("volume.type", v.Type))
	}
	for i, v := range p.DataVolumes {
		at := fmt.Sprintf("%s[%d].", dataVolumesField, i)
		all = append(all, textField(at+"name", v.Name), pointed(at+"size", &v.Size), pointed(at+"type", v.Type),
			pointed(at+"encrypted", v.Encrypted))
	}
	return all
}

// changedFields returns the changes between the hashed fields of two pools, in the order of their
// paths. An object is a change only if no field in it is one.
func changedFields(old, updated []hashedField) (changes hotupdate.Changes) {
	both := map[string][2]hashedField{}
	for side, fields := range [][]hashedField{old, updated} {
		for _, f := range fields {
			pair := both[f.path]
			pair[side] = f
			both[f.path] = pair
		}
	}
	for path, pair := range both {
		before, after := pair[0], pair[1]
		if before.hashed == after.hashed || before.shown == after.shown {
			continue
		}
		f := hashedField{path: path}.row()
		change := hotupdate.Change{
			Path: path, Pointer: pointerTo(path), Op: hotupdate.Replace, Origin: "default",
			Class: f.class(), Source: f.Function,
			Old: before.shown, New: after.shown,
		}
		changes = append(changes, operated(change))
	}
	slices.SortFunc(changes, func(a, b hotupdate.Change) int { return cmp.Compare(a.Path, b.Path) })
	return slices.DeleteFunc(changes, func(c hotupdate.Change) bool {
		return slices.ContainsFunc(changes,
			func(other hotupdate.Change) bool { return strings.HasPrefix(other.Path, c.Path+".") })
	})
}

// operated returns a change with the operation that its values tell.
func operated(c hotupdate.Change) hotupdate.Change {
	if c.Old == "" {
		c.Op = hotupdate.Add
	}
	if c.New == "" {
		c.Op = hotupdate.Remove
	}
	return c
}
