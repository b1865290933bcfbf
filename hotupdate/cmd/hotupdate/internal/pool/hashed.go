package pool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
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
	dns := part(name, "node-local DNS") != nil
	version, image := fieldOf(versionPath, p.Worker.KubernetesVersion), imageOf(w)
	if version.hashed != nil {
		version.hashed = minorOf(w.KubernetesVersion)
	}
	var imageName any // an image without a name is not the same as no image
	if w.Image != nil {
		imageName = image.Name
	}
	const lastInitiation = ".lastInitiationTime"
	all := []hashedField{
		version,
		fieldOf(strategyPath, p.Worker.UpdateStrategy.String()),
		fieldOf("machine.type", w.MachineType),
		{imageNamePath, imageName, textOf(imageName)},
		fieldOf(imageVersionPath, image.Version),
		{"cri.name", part(name, "container runtime"), textOf(w.CRI)},
		{nodeLocalDNSPath, dns, map[bool]string{true: "true"}[dns]},
		fieldOf(credentialsPath+"."+authorities+lastInitiation, part(name, "certificate authorities rotation")),
		fieldOf(credentialsPath+"."+accountKey+lastInitiation, part(name, "service-account key rotation")),
		fieldOf(secretNamePath, deref(p.NodeAgentSecretName)),
	}
	return slices.Concat(all, kubeletFields(w.Kubelet), p.volumeFields()), nil
}

// fieldOf is a hashed field with its value; it is not set if the value is nil or an empty text.
func fieldOf(path string, value any) hashedField {
	if value == nil || value == "" {
		return hashedField{path: path}
	}
	return hashedField{path, value, textOf(value)}
}

// optionalOf is a hashed field that may be set to an empty text, which is hashed.
func optionalOf[T any](path string, value *T) hashedField {
	return hashedField{path, deref(value), textOf(deref(value))}
}

// deref returns the value of a pointer, nil without one.
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
	sum, sums := k.Reservations(), texts(k.Reservations())
	all := []hashedField{optionalOf(kubeletPath+".cpuManagerPolicy", k.CPUManagerPolicy)}
	for path, own := range map[string]*hash.Reserved{
		reservedPath: k.KubeReserved, kubeletPath + ".systemReserved": k.SystemReserved,
	} {
		all = append(all, hashedField{path, sum != nil, present[own != nil]})
		shown := texts(own)
		for resource, text := range sums {
			f := fieldOf(path+"."+resource, shown[resource])
			f.hashed = text
			all = append(all, f)
		}
	}
	const eviction = kubeletPath + ".evictionHard"
	all = append(all, hashedField{eviction, k.EvictionHard != nil, present[k.EvictionHard != nil]})
	for signal, threshold := range texts(k.EvictionHard) {
		all = append(all, fieldOf(eviction+"."+signal, threshold))
	}
	return all
}

// present is the value of an object of which only the presence is told.
var present = map[bool]string{true: "{}"}

// texts returns the members of an object, all of them texts in JSON, empty if they are not set. The
// texts of reservations are those that Gardener hashes: 1024Mi is 1Gi, but 1073741824 is not.
func texts[T any](object *T) (all map[string]string) {
	raw, _ := json.Marshal(orDefault(object, *new(T)))
	_ = json.Unmarshal(raw, &all) // null is the empty text
	return all
}

func (p *Pool) volumeFields() []hashedField {
	all := []hashedField{optionalOf(encryptedPath, p.Encrypted)}
	if v := p.Worker.Volume; v != nil {
		all = append(all, hashedField{"volume.size", v.Size, textOf(v.Size)}, optionalOf("volume.type", v.Type))
	}
	for i, v := range p.DataVolumes {
		at := fieldpath.At(dataVolumesField, i) + "."
		all = append(all, fieldOf(at+"name", v.Name), hashedField{at + "size", v.Size, textOf(v.Size)},
			optionalOf(at+"type", v.Type), optionalOf(at+"encrypted", v.Encrypted))
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
