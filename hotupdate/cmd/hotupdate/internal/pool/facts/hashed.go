package facts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/causes"
)

// Which fields Gardener's names cover, and how, only package hash knows: differences of two pools are tried in the old
// one.

// unknownVersion replaces an unknown Kubernetes version. Like all versions below 1.34 it lets
// node-local DNS count, see [DNSByVersion].
const unknownVersion = "0.0"

// minorOfDNS is the first minor at which node-local DNS counts only with kube-proxy in IPVS mode.
const minorOfDNS = "1.34"

// Changed are the changed fields of a pool that names cover, in the order of their paths, which have positions of data
// volumes.
type Changed struct {
	// Named are those that change Gardener's names, alone or only together. The class of those that also change the
	// names of pools which are updated in place is InPlace.
	Named hotupdate.Changes
	// Beside are those that Gardener's names do not cover: the strategy, the node-agent secret name, and what only
	// extensions hash of the volumes.
	Beside hotupdate.Changes
}

// All returns all changes in the order of their paths.
func (c Changed) All() hotupdate.Changes {
	all := slices.Concat(c.Named, c.Beside)
	slices.SortFunc(all, func(a, b hotupdate.Change) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// ChangedFields returns the fields of a pool that change its names; without an old pool those that are set. A field
// that is not known counts as unchanged. What Gardener fills in is not listed.
func ChangedFields(old, updated *Pool, isUnknown func(path string) bool) (changed Changed, err error) {
	from := old
	if old == nil {
		from = &Pool{Worker: hash.Worker{Name: updated.Worker.Name}}
	}
	before, after, err := partsOfBoth(from.namedWorker(), updated.namedWorker())
	if err != nil {
		return Changed{}, Located(updated.Worker.Name, "", err)
	}
	if !maps.Equal(before, after) {
		t := newTrial(from, updated, isUnknown)
		changed.Named = t.changes()
	}
	for _, d := range tree.Differences(old.besideFields(), updated.besideFields()) {
		changed.Beside = append(changed.Beside, changeOf(d, hotupdate.Immutable))
	}
	return changed, nil
}

// partsOfBoth returns the parts of two workers. Workers that are the same have the same parts: most pools of a fleet do
// not change.
func partsOfBoth(old, updated hash.Worker) (before, after parts, err error) {
	before, oldErr := partsOf(old)
	if reflect.DeepEqual(old, updated) {
		return before, before, errors.Join(oldErr, oldErr)
	}
	after, newErr := partsOf(updated)
	return before, after, errors.Join(oldErr, newErr)
}

// CheckName reports the error of [ChangedFields].
func (p *Pool) CheckName() error {
	_, err := partsOf(p.namedWorker())
	return Located(p.Worker.Name, "", err)
}

// Content returns a text that is equal for two pools exactly if one may be the other under a new name. Credentials are
// left out.
func (p *Pool) Content() (string, error) {
	w := p.namedWorker()
	w.Name = "a"
	w.CARotation = hash.Rotation{}
	w.ServiceAccountKeyRotation = hash.Rotation{}
	parts, err := partsOf(w)
	beside := p.besideFields().With([]string{fields.SecretName}, nil)
	return fmt.Sprint(parts) + string(beside.Compact()), err
}

// namedWorker returns the worker as the name of a rolling pool has it, with all its parts.
func (p *Pool) namedWorker() hash.Worker {
	w := p.Worker
	w.UpdateStrategy = hotupdate.AutoRollingUpdate
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, p.dnsMinor, unknownVersion)
	return w
}

// parts are the values that Gardener hashes for the names of a pool, by their names.
type parts map[hash.InputName]string

// inPlaceKey is the part of the names of pools that are updated in place. The others are those of pools that roll.
const inPlaceKey = "in-place key"

// partsOf returns the parts of the names of a pool. What Gardener hashes as one text has a part for each value: whether
// several cancel out, the whole name says.
func partsOf(w hash.Worker) (parts, error) {
	rolling, err := hash.NodeAgentSecretName(w)
	if err != nil {
		return nil, err
	}
	inPlace, err := hash.WorkerPoolInPlace(&w.Name, w)
	all := parts{inPlaceKey: inPlace.Digest.String()}
	for _, input := range rolling.Inputs {
		all[input.Name] = "set to " + input.Value // an empty value counts
	}
	if w.Image != nil {
		all["machine image name"] = w.Image.Name
		all["machine image version"] = w.Image.Version
	}
	if reserved := w.Kubelet.Reservations(); reserved != nil {
		all[hash.KubeletReservations] = "set" // each resource has a part
		for resource, text := range textsOf(reserved) {
			all[hash.InputName("reserved "+resource)] = text
		}
	}
	return all, err
}

// textsOf returns the members of an object, all of them texts in JSON, empty if they are not set.
func textsOf(object any) (texts map[string]string) {
	raw, _ := json.Marshal(object)
	_ = json.Unmarshal(raw, &texts) // null is the empty text
	return texts
}

// trial tries the differences of two pools in the old one.
type trial struct {
	old, updated *Pool
	from, to     *tree.Node // the pools as Gardener stores them
	differences  []tree.Difference
	parts        map[string]parts // by what is applied
}

func newTrial(old, updated *Pool, isUnknown func(path string) bool) *trial {
	t := &trial{
		old: old, updated: updated, from: old.storedFields(), to: updated.storedFields(), parts: map[string]parts{},
	}
	for _, d := range tree.Differences(t.from, t.to) {
		if !isUnknown(strings.Join(d.Path, ".")) {
			t.differences = append(t.differences, d)
		}
	}
	return t
}

// changes returns the differences that change a name of rolling pools, with their values in the manifests. The others
// are filled in.
func (t *trial) changes() (changes hotupdate.Changes) {
	before := t.partsWith(nil)
	var every []int
	for i := range t.differences {
		every = append(every, i)
	}
	after := t.partsWith(every)
	names := maps.Clone(before)
	maps.Copy(names, after)
	isNamed := map[int]bool{}
	for part := range names {
		if part != inPlaceKey && before[part] != after[part] {
			maps.Copy(isNamed, t.causesOf(part))
		}
	}
	isInPlace := t.causesOf(inPlaceKey)
	old := t.old.writtenFields()
	updated := t.updated.writtenFields()
	for i, d := range t.differences {
		class := hotupdate.Immutable
		if isInPlace[i] {
			class = hotupdate.InPlace
		}
		if d, isWritten := writtenIn(old, updated, d.Path); isNamed[i] && isWritten {
			changes = append(changes, changeOf(d, class))
		}
	}
	return slices.CompactFunc(changes, func(a, b hotupdate.Change) bool { return a.Path == b.Path })
}

// writtenIn returns the difference of two manifests at a path; of a member that is filled in, the difference of an
// empty object that only one of them has.
func writtenIn(old, updated *tree.Node, path []string) (tree.Difference, bool) {
	at := func(path []string) tree.Difference {
		return tree.Difference{Path: path, Old: old.At(path...), New: updated.At(path...)}
	}
	d := at(path)
	if !tree.Equal(d.Old, d.New) {
		return d, true
	}
	above := at(path[:len(path)-1])
	isWritten := (above.Old == nil) != (above.New == nil)
	return above, isWritten && above.Old.Len()+above.New.Len() == 0
}

// partsWith returns the parts of the names with some of the differences.
func (t *trial) partsWith(applied []int) parts {
	key := fmt.Sprint(applied)
	if known, isKnown := t.parts[key]; isKnown {
		return known
	}
	with := t.from
	for _, i := range applied {
		with = withDifference(t.differences[i], with, t.to)
	}
	t.parts[key], _ = partsOf(t.updated.withStored(with)) // the versions of both sides have been read
	return t.parts[key]
}

// withDifference applies a difference to an object. With its last member, an object goes that the new side does not
// have.
func withDifference(d tree.Difference, with, to *tree.Node) *tree.Node {
	with = with.With(d.Path, d.New)
	for above := d.Path[:len(d.Path)-1]; len(above) > 0; above = above[:len(above)-1] {
		isEmpty := string(with.At(above...).Compact()) == "{}"
		if isEmpty && to.At(above...) == nil {
			with = with.With(above, nil)
		}
	}
	return with
}

// causesOf returns the positions of the differences that change a part.
func (t *trial) causesOf(part hash.InputName) map[int]bool {
	before := t.partsWith(nil)[part]
	found := causes.Find(len(t.differences), func(applied []int) int {
		if t.partsWith(applied)[part] == before {
			return 0
		}
		return 1
	})
	positions := map[int]bool{}
	for i, effect := range found.Effects {
		if effect == 1 {
			positions[i] = true
		}
	}
	return positions
}

// changeOf is the change of a field of a pool that a name covers.
func changeOf(d tree.Difference, class hotupdate.Class) hotupdate.Change {
	path := strings.Join(d.Path, ".")
	at := path
	if strings.HasPrefix(path, fields.DataVolumes) {
		at = fields.DataVolumes
	}
	row, _ := fields.Pool().Row(at)
	return Operated(hotupdate.Change{
		Path: path, Pointer: PointerTo(path), Op: hotupdate.OpReplace, Origin: "default", Class: class,
		Source: row.Source, Old: string(d.Old.Compact()), New: string(d.New.Compact()),
	})
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
