// Package fields has the table of the fields of a Shoot, a Worker and a worker pool: what a change
// of each does to the machines of a pool.
//
// The name of a pool decides whether it rolls or is updated in place, see facts.ChangedFields. Roll
// and Drain are shown by explain for a single field, and a test compares them with the names.
//
// What touches no machine is not listed by hand: the Schema of a Shoot says which members Gardener was measured not to
// hash, see package kinds. A member that is neither measured nor in the table is not judged.
//
// It owns the table and the search for the row of a path. It must not know manifests or verdicts:
// package facts reads values, and package judge turns effects into findings.
package fields

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
)

// Effect is what a change of a field does to the machines of a pool. No row has the zero value.
type Effect uint8

// The effects.
const (
	_       Effect = iota
	None           // no machine is touched
	Scale          // the number of machines follows from the field
	Roll           // the name of a pool that rolls depends on the field
	Drain          // the nodes of a pool that is updated in place are updated
	Fixed          // Gardener lets no pool change the field that is updated in place
	Kept           // the extension lets no pool change the field that is updated in place
	Pools          // each pool shows the effect
	Meta           // identity and state: not desired, and not listed
	Judged         // a judgement of package judge decides
	Unknown        // facts beyond the manifests decide
	Removal        // all machines are deleted for good
)

// String returns the effect in a word.
func (e Effect) String() string {
	return [...]string{
		"", "none", "scale", "roll", "drain", "fixed", "kept", "pools", "meta", "judged", "unknown", "removal",
	}[e]
}

// Field is a row of the table.
type Field struct {
	// Path is the path of the field; in a pool it has the name that a Shoot gives it. A path that
	// ends with .* stands for all fields below it, which no Go type lists.
	Path string
	// Rolling and InPlace are the effects on pools that roll and on pools that are updated in place.
	Rolling, InPlace Effect
	// Source names the functions of Gardener, or the part of an extension, that say so.
	Source string
}

// Of returns the effect on pools with a strategy.
func (f Field) Of(strategy hotupdate.Strategy) Effect {
	if strategy.InPlace() {
		return f.InPlace
	}
	return f.Rolling
}

// Table says what a change of each field of a kind of manifest, or of a pool, does.
//
// It has a row for each field that does something, and for those that no Schema has. All others touch no machine if
// Gardener was measured not to hash them, see [kinds.Kind.IsUnhashed].
type Table struct {
	rows map[string]Field // by path
	// place is the path of the object in a Shoot, whose fields have been measured; nil for a Worker.
	place []string
	// hasPools says that pools inherit a part of the object, below spec.
	hasPools bool
}

// The tables.
var (
	Shoot = sync.OnceValue(func() Table {
		return Table{rows: byPath(shootRows()), place: []string{}, hasPools: true}
	})
	Worker = sync.OnceValue(func() Table { return Table{rows: byPath(slices.Concat(metadataRows(), workerRows()))} })
	Pool   = sync.OnceValue(func() Table {
		return Table{rows: byPath(poolRows()), place: []string{"spec", "provider", "workers", "element"}}
	})
)

func byPath(rows []Field) map[string]Field {
	all := make(map[string]Field, len(rows))
	for _, f := range rows {
		all[f.Path] = f
	}
	return all
}

// Row finds the row of a field: its own row, or the nearest row above it that ends with *, or else what was measured.
// An annotation of Gardener has its own row or none, since it may request an operation.
func (t Table) Row(path string) (Field, bool) {
	if f, ok := t.rows[path]; ok {
		return f, true
	}
	if isAnnotation := strings.HasPrefix(path, annotations); isAnnotation && strings.Contains(path, "gardener.cloud/") {
		return Field{}, false
	}
	if f, ok := t.above(path); ok {
		return f, true
	}
	if f, ok := t.inherited(path); ok {
		return f, true
	}
	if t.place != nil && kinds.Shoot.IsUnhashed(t.place, strings.Split(path, ".")) {
		return unhashed(path), true
	}
	return Field{}, false
}

// above finds the nearest row above a field that ends with *.
func (t Table) above(path string) (Field, bool) {
	for above := path; ; {
		end := strings.LastIndexByte(above, '.')
		if end < 0 {
			return Field{}, false
		}
		above = above[:end]
		if f, ok := t.rows[above+".*"]; ok {
			return f, true
		}
	}
}

// inherited returns the row of a field of the Shoot's kubelet configuration, which pools without one inherit.
func (t Table) inherited(path string) (Field, bool) {
	ofPool, isOfShoot := strings.CutPrefix(path, "spec.")
	if !t.hasPools || !isOfShoot || !strings.HasPrefix(ofPool, Kubelet+".") {
		return Field{}, false
	}
	f, isKnown := Pool().Row(ofPool)
	return Field{path, Pools, Pools, f.Source}, isKnown
}

// unhashed is the row of a field that Gardener was measured not to hash.
func unhashed(path string) Field {
	if _, isOfKubelet := cutAbove(path, Kubelet); isOfKubelet {
		return Field{path, None, None, kubelet}
	}
	return Field{path, None, None, key}
}

// IsSecret reports whether the values of a field are confidential. Other secrets are in separate
// objects that Shoots and Workers refer to.
func IsSecret(path string) bool {
	_, isOfClient := cutAbove(path, "spec.kubernetes.kubeAPIServer.oidcConfig.clientAuthentication")
	return isOfClient || path == "userData"
}

// Below reports whether the table has fields below a path.
func (t Table) Below(path string) bool {
	isMeasured := t.place != nil && kinds.Shoot.IsObject(append(slices.Clone(t.place), strings.Split(path, ".")...))
	return isMeasured || t.hasBelow(path, func(Field) bool { return true })
}

// hasBelow reports whether the table has one of some rows below a path.
func (t Table) hasBelow(path string, isMeant func(Field) bool) bool {
	for below, f := range t.rows {
		if strings.HasPrefix(below, path+".") && isMeant(f) {
			return true
		}
	}
	return false
}

// Sorted returns all rows in the order of their paths.
func (t Table) Sorted() []Field {
	all := maps.Clone(t.rows)
	var others []string
	if t.place != nil {
		others = kinds.Shoot.Unhashed(t.place)
	}
	if t.hasPools {
		for _, f := range Pool().Sorted() {
			if strings.HasPrefix(f.Path, Kubelet+".") {
				others = append(others, "spec."+f.Path)
			}
		}
	}
	for _, path := range others {
		_, isCovered := t.above(path)
		if f, isKnown := t.Row(path); isKnown && !isCovered {
			all[path] = f
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
}

// namesInWorker maps the names of fields in a Worker's pool to the names in a Shoot's pool.
var namesInWorker = []struct{ worker, shoot string }{
	{"machineType", MachineType},
	{"machineImage", Image},
	{"architecture", Architecture},
	{"kubernetesVersion", Version},
	{"kubeletConfig", Kubelet},
}

// InShoot returns the name that a pool of a Shoot gives to a field of a Worker's pool.
func InShoot(path string) string {
	for _, names := range namesInWorker {
		if below, found := cutAbove(path, names.worker); found {
			return names.shoot + below
		}
	}
	return path
}

// InWorker returns the name that a pool of a Worker gives to a field of a Shoot's pool.
func InWorker(path string) string {
	for _, names := range namesInWorker {
		if below, found := cutAbove(path, names.shoot); found {
			return names.worker + below
		}
	}
	return path
}

// cutAbove cuts a path off the beginning of a path that is equal to or below it.
func cutAbove(path, above string) (below string, found bool) {
	below, found = strings.CutPrefix(path, above)
	return below, found && (below == "" || below[0] == '.')
}

// Split returns the names in a path of a table. The key of an annotation has dots.
func Split(path string) []string {
	if key, isAnnotation := strings.CutPrefix(path, annotations); isAnnotation {
		return []string{"metadata", "annotations", key}
	}
	return strings.Split(path, ".")
}

const annotations = "metadata.annotations."
