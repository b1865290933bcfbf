// Package fields has the table of the fields of a Shoot, a Worker and a worker pool: what a change
// of each does to the machines of a pool.
//
// The name of a pool decides whether it rolls or is updated in place, see facts.ChangedFields. Roll
// and Drain are shown by explain for a single field, and a test compares them with the names.
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
	Fixed          // a pool that is updated in place cannot change the field
	Pools          // each pool shows the effect
	Meta           // identity and state: not desired, and not listed
	Judged         // a judgement of package judge decides
	Unknown        // facts beyond the manifests decide
	Removal        // all machines are deleted for good
)

// String returns the effect in a word.
func (e Effect) String() string {
	return [...]string{
		"", "none", "scale", "roll", "drain", "fixed", "pools", "meta", "judged", "unknown", "removal",
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

// Table has the rows of a kind of manifest, or of a pool, by path.
type Table map[string]Field

// The tables.
var (
	Shoot  = sync.OnceValue(func() Table { return tableOf(shootRows(), kubeletOfShoot()) })
	Worker = sync.OnceValue(func() Table { return tableOf(metadataRows(), workerRows()) })
	Pool   = sync.OnceValue(func() Table { return tableOf(poolRows()) })
)

func tableOf(all ...[]Field) Table {
	t := Table{}
	for _, f := range slices.Concat(all...) {
		t[f.Path] = f
	}
	return t
}

// kubeletOfShoot has the fields of the Shoot's kubelet configuration, which pools without one inherit.
func kubeletOfShoot() (fields []Field) {
	for _, f := range poolRows() {
		if strings.HasPrefix(f.Path, Kubelet+".") {
			fields = append(fields, Field{"spec." + f.Path, Pools, Pools, f.Source})
		}
	}
	return fields
}

// Row finds the row of a field: its own row, or the nearest row above it that ends with *. An
// annotation of Gardener has its own row or none, since it may request an operation.
func (t Table) Row(path string) (Field, bool) {
	if f, ok := t[path]; ok {
		return f, true
	}
	if isAnnotation := strings.HasPrefix(path, annotations); isAnnotation && strings.Contains(path, "gardener.cloud/") {
		return Field{}, false
	}
	for above := path; ; {
		end := strings.LastIndexByte(above, '.')
		if end < 0 {
			return Field{}, false
		}
		above = above[:end]
		if f, ok := t[above+".*"]; ok {
			return f, true
		}
	}
}

// IsSecret reports whether the values of a field are confidential. Other secrets are in separate
// objects that Shoots and Workers refer to.
func IsSecret(path string) bool {
	_, isOfClient := cutAbove(path, "spec.kubernetes.kubeAPIServer.oidcConfig.clientAuthentication")
	return isOfClient || path == "userData"
}

// Below reports whether the table has rows of fields below a path.
func (t Table) Below(path string) bool {
	for below := range t {
		if strings.HasPrefix(below, path+".") {
			return true
		}
	}
	return false
}

// Sorted returns the rows in the order of their paths.
func (t Table) Sorted() []Field {
	rows := slices.Collect(maps.Values(t))
	slices.SortFunc(rows, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return rows
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
