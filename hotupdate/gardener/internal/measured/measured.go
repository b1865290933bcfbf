// Package measured finds the members of a Shoot on which no name of a worker pool depends, by calling Gardener.
//
// A member is set, and then changed, in several Shoots, which have the other facts that names depend on in each of
// their states, each with few members and with all. It counts as unhashed if the names of no pool change. The
// measurement holds for Gardener's functions of the version that this module links. It says nothing about what
// extensions hash.
package measured

import (
	"encoding/json"
	"maps"
	"slices"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
)

// Unhashed returns the paths of the unhashed members of a Shoot's spec that are no objects, sorted, with [] for the
// elements of the list of pools. Of other lists and of maps, only the whole is measured.
func Unhashed() (paths []string, err error) {
	members, err := membersOf[gardencorev1beta1.ShootSpec]()
	if err != nil {
		return nil, err
	}
	bases := shoots()
	for _, few := range shoots() {
		bases = append(bases, withAll(few, members))
	}
	hashed := make([]bool, len(members))
	for _, base := range bases {
		names, err := named(base)
		if err != nil {
			return nil, err
		}
		for i, m := range members {
			hashed[i] = hashed[i] || isHashed(base, names, m)
		}
	}
	for i, m := range members {
		if !hashed[i] {
			paths = append(paths, join(m.path))
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// withAll returns a Shoot with each member that it lacks, but for those with values that Gardener does not name.
func withAll(shoot object, members []member) object {
	for _, m := range members {
		if has(shoot, m.path) {
			continue
		}
		more := with(shoot, m.path, m.values[0])
		if _, err := named(more); err == nil {
			shoot = more
		}
	}
	return shoot
}

// isHashed reports whether the names of a Shoot without a member differ from those with one of its values. Both have
// the object that the member is in. A value that Gardener does not name counts as hashed. It is given the names of the
// base.
func isHashed(base object, names string, m member) bool {
	if has(base, m.path) || !has(base, m.path[:len(m.path)-1]) {
		var err error
		if names, err = named(without(base, m.path)); err != nil {
			return true
		}
	}
	return slices.ContainsFunc(m.values, func(value any) bool {
		others, err := named(with(base, m.path, value))
		return err != nil || others != names
	})
}

// named returns the names of a Shoot, as the API server stores it.
func named(manifest object) (string, error) {
	text, err := json.Marshal(manifest)
	if err != nil {
		return "", err
	}
	var shoot gardencorev1beta1.Shoot
	if err := json.Unmarshal(text, &shoot); err != nil {
		return "", err
	}
	gardencorev1beta1.SetObjectDefaults_Shoot(&shoot)
	return gardener.NamesOf(&shoot)
}

// object is an object of JSON.
type object = map[string]any

// shoots are Shoots with each combination of the facts by which Gardener decides what of the others it hashes.
func shoots() (all []object) {
	for _, version := range []string{"1.33.1", "1.34.1"} {
		for _, mode := range []string{"IPTables", "IPVS"} {
			for _, dns := range []bool{false, true} {
				for _, own := range []object{nil, {"kubelet": object{"maxPods": 100}}} {
					all = append(all, object{"spec": object{
						"kubernetes":       object{"version": version, "kubeProxy": object{"mode": mode}},
						"systemComponents": object{"nodeLocalDNS": object{"enabled": dns}},
						"provider":         object{"type": "p", "workers": pools(own)},
					}})
				}
			}
		}
	}
	return all
}

// pools are a pool that rolls, and one that is updated in place, with their own configuration of Kubernetes, if any.
func pools(own object) (list []any) {
	for _, strategy := range []string{"AutoRollingUpdate", "AutoInPlaceUpdate"} {
		pool := object{
			"name": strategy, "updateStrategy": strategy, "minimum": 1, "maximum": 1, "volume": object{"size": "50Gi"},
			"machine": object{"type": "t", "image": object{"name": "i", "version": "1.0.0"}},
		}
		if own != nil {
			pool["kubernetes"] = own
		}
		list = append(list, pool)
	}
	return list
}

// with returns a copy of an object with a value at a path, in every element where the path has [].
func with(base object, path []string, value any) object {
	return edited(base, path, func(o object, name string) { o[name] = value })
}

// without returns a copy of an object without the member at a path, but with the objects above it.
func without(base object, path []string) object {
	return edited(base, path, func(o object, name string) { delete(o, name) })
}

// has reports whether a value has a member at a path, in every element where the path has [].
func has(value any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	if elements, isList := value.([]any); isList {
		return !slices.ContainsFunc(elements, func(element any) bool { return !has(element, path[1:]) })
	}
	of, _ := value.(object)
	member, isThere := of[path[0]]
	return isThere && has(member, path[1:])
}

// edited returns a copy of an object in which the members at a path are edited, and the objects above them exist.
func edited(base object, path []string, edit func(o object, name string)) object {
	copied := maps.Clone(base)
	if copied == nil {
		copied = object{}
	}
	name := path[0]
	switch elements, isList := copied[name].([]any); {
	case len(path) == 1:
		edit(copied, name)
	case isList:
		elements = slices.Clone(elements)
		for i, element := range elements {
			of, _ := element.(object)
			elements[i] = edited(of, path[2:], edit)
		}
		copied[name] = elements
	default:
		of, _ := copied[name].(object)
		copied[name] = edited(of, path[1:], edit)
	}
	return copied
}
