package facts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// unknownVersion replaces an unknown Kubernetes version. Like all versions below 1.34 it lets
// node-local DNS count, see [DNSByVersion].
const unknownVersion = "0.0"

// minorOfDNS is the first minor at which node-local DNS counts only with kube-proxy in IPVS mode.
const minorOfDNS = "1.34"

// HashedField is a field of a pool that a name of Gardener or of an extension covers.
type HashedField struct {
	// Path has positions of data volumes.
	Path string
	// Hashed is what the name depends on, and nil if the name does not have it: the minor of a
	// version, the sum of two reservations, the reservation that Gardener fills in.
	Hashed any
	// Shown is the value in the manifest, in JSON; empty if the manifest does not set the field. Only
	// a field for which both differ is a cause of another name.
	Shown string
}

// Row returns the row of the field in the table.
func (f HashedField) Row() fields.Field {
	path := f.Path
	if strings.HasPrefix(path, fields.DataVolumes) {
		path = fields.DataVolumes
	}
	return fields.Pool()[path]
}

// HashedFields returns the fields of the pool that names cover, in an order that only depends on
// the pool's shape. Package hash decides what counts.
func (p *Pool) HashedFields() ([]HashedField, error) {
	w := p.namedWorker()
	name, err := hash.NodeAgentSecretName(w)
	if err != nil {
		return nil, err
	}
	version := fieldOf(fields.Version, p.Worker.KubernetesVersion)
	if version.Hashed != nil {
		version.Hashed = MinorOf(w.KubernetesVersion)
	}
	image := ImageOf(w)
	var imageName any // an image without a name is not the same as no image
	if w.Image != nil {
		imageName = image.Name
	}
	dns := partOf(name, "node-local DNS") != nil
	const lastInitiation = ".lastInitiationTime"
	all := []HashedField{
		version,
		fieldOf(fields.Strategy, p.Worker.UpdateStrategy.String()),
		fieldOf(fields.MachineType, w.MachineType),
		{fields.ImageName, imageName, textOf(imageName)},
		fieldOf(fields.ImageVersion, image.Version),
		{fields.CRI, partOf(name, "container runtime"), textOf(w.CRI)},
		{fields.NodeLocalDNS, dns, map[bool]string{true: "true"}[dns]},
		fieldOf(fields.Credentials+"."+authorities+lastInitiation, partOf(name, "certificate authorities rotation")),
		fieldOf(fields.Credentials+"."+accountKey+lastInitiation, partOf(name, "service-account key rotation")),
		fieldOf(fields.SecretName, valueOf(p.NodeAgentSecretName)),
	}
	return slices.Concat(all, kubeletFields(w.Kubelet, p.kubeletInManifest()), p.volumeFields()), nil
}

// namedWorker returns the worker as the name of a rolling pool has it, with all its parts.
func (p *Pool) namedWorker() hash.Worker {
	w := p.Worker
	w.UpdateStrategy = hotupdate.AutoRollingUpdate
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, p.dnsMinor, unknownVersion)
	return w
}

// CheckName reports the error of [Pool.HashedFields].
func (p *Pool) CheckName() error {
	_, err := hash.NodeAgentSecretName(p.namedWorker())
	return err
}

// partOf returns a part of a name, nil if the name does not have it.
func partOf(name hash.Name, of string) any {
	for _, part := range name.Inputs {
		if part.Name == of {
			return part.Value
		}
	}
	return nil
}

// fieldOf is a hashed field with its value; it is not set if the value is nil or an empty text.
func fieldOf(path string, value any) HashedField {
	if value == nil || value == "" {
		return HashedField{Path: path}
	}
	return HashedField{path, value, textOf(value)}
}

// optionalOf is a hashed field that may be set to an empty text, which is hashed.
func optionalOf[T any](path string, value *T) HashedField {
	return HashedField{path, valueOf(value), textOf(valueOf(value))}
}

// valueOf returns the value of a pointer, nil without one.
func valueOf[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

// textOf returns a value in JSON, or nothing for nil.
func textOf(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // texts, numbers and booleans
	return strings.TrimPrefix(strings.TrimSpace(text.String()), "null")
}

// kubeletFields returns the hashed fields of a kubelet's configuration, and their values in the
// manifest. A reservation counts by its sum, whichever field has it.
func kubeletFields(effective, written *hash.Kubelet) []HashedField {
	k := *orDefault(effective, hash.Kubelet{})
	manifest := *orDefault(written, hash.Kubelet{})
	sum := k.Reservations()
	sums := textsOf(sum)
	policy := optionalOf(fields.Kubelet+".cpuManagerPolicy", k.CPUManagerPolicy)
	policy.Shown = textOf(valueOf(manifest.CPUManagerPolicy))
	all := []HashedField{policy}
	for path, own := range map[string]*hash.Reserved{
		fields.KubeReserved: manifest.KubeReserved, fields.SystemReserved: manifest.SystemReserved,
	} {
		all = append(all, HashedField{path, sum != nil, present[own != nil]})
		shown := textsOf(own)
		for resource, text := range sums {
			f := fieldOf(path+"."+resource, shown[resource])
			f.Hashed = text
			all = append(all, f)
		}
	}
	const eviction = fields.Kubelet + ".evictionHard"
	all = append(all, HashedField{eviction, k.EvictionHard != nil, present[manifest.EvictionHard != nil]})
	shown := textsOf(manifest.EvictionHard)
	for signal, threshold := range textsOf(k.EvictionHard) {
		f := fieldOf(eviction+"."+signal, threshold)
		f.Shown = fieldOf("", shown[signal]).Shown
		all = append(all, f)
	}
	return all
}

// present is the value of an object of which only the presence is told.
var present = map[bool]string{true: "{}"}

// textsOf returns the members of an object, all of them texts in JSON, empty if they are not set. The
// texts of reservations are those that Gardener hashes: 1024Mi is 1Gi, but 1073741824 is not.
func textsOf[T any](object *T) (all map[string]string) {
	raw, _ := json.Marshal(orDefault(object, *new(T)))
	_ = json.Unmarshal(raw, &all) // null is the empty text
	return all
}

func (p *Pool) volumeFields() []HashedField {
	all := []HashedField{optionalOf(fields.Encrypted, p.Encrypted)}
	if v := p.Worker.Volume; v != nil {
		all = append(all, HashedField{"volume.size", v.Size, textOf(v.Size)}, optionalOf("volume.type", v.Type))
	}
	for i, v := range p.DataVolumes {
		at := fieldpath.At(fields.DataVolumes, i) + "."
		all = append(all, fieldOf(at+"name", v.Name), HashedField{at + "size", v.Size, textOf(v.Size)},
			optionalOf(at+"type", v.Type), optionalOf(at+"encrypted", v.Encrypted))
	}
	return all
}

// ChangedFields returns the changes between the hashed fields of two pools, in the order of their
// paths. An object is a change only if no field in it is one.
func ChangedFields(old, updated []HashedField) (changes hotupdate.Changes) {
	both := map[string][2]HashedField{}
	for side, all := range [][]HashedField{old, updated} {
		for _, f := range all {
			pair := both[f.Path]
			pair[side] = f
			both[f.Path] = pair
		}
	}
	for path, pair := range both {
		before := pair[0]
		after := pair[1]
		if before.Hashed == after.Hashed || before.Shown == after.Shown {
			continue
		}
		row := HashedField{Path: path}.Row()
		change := hotupdate.Change{
			Path: path, Pointer: PointerTo(path), Op: hotupdate.OpReplace, Origin: "default",
			Class: row.Class(), Source: row.Source,
			Old: before.Shown, New: after.Shown,
		}
		changes = append(changes, Operated(change))
	}
	slices.SortFunc(changes, func(a, b hotupdate.Change) int { return cmp.Compare(a.Path, b.Path) })
	above := map[string]bool{} // the paths of all objects around changes
	for _, c := range changes {
		for path := c.Path; path != ""; {
			path = path[:max(0, strings.LastIndexByte(path, '.'))]
			above[path] = true
		}
	}
	return slices.DeleteFunc(changes, func(c hotupdate.Change) bool { return above[c.Path] })
}

// Operated returns a change with the operation that its values tell.
func Operated(c hotupdate.Change) hotupdate.Change {
	if c.Old == "" {
		c.Op = hotupdate.OpAdd
	}
	if c.New == "" {
		c.Op = hotupdate.OpRemove
	}
	return c
}

// PointerTo returns the pointer of a path of names without special characters, and of positions.
func PointerTo(path string) string {
	if path == "" {
		return ""
	}
	return "/" + asPointer.Replace(path)
}

var asPointer = strings.NewReplacer(".", "/", "[", "/", "]", "")
