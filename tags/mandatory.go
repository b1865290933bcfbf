package tags

import (
	"slices"
	"strconv"
	"strings"
)

// reservedKey matches keys that are not for users, because MCM, the driver or the cloud relies on them. They are never removed either.
type reservedKey struct {
	Match match
	Text  string
	Owner owner
}

// match says how the text of a [reservedKey] is compared with a key.
type match uint8

const (
	contains match = iota
	begins
	equals
)

// owner is who relies on a reserved key.
type owner uint8

const (
	mcmCluster owner = iota // MCM finds, and deletes, the machines of a cluster by the key
	mcmRole                 // MCM tells machines from a cluster's other resources by the key
	theDriver               // the driver sets the key itself
	theCloud                // the cloud refuses the key
)

// anotherKey is the hint for a key that is reserved.
const anotherKey = "choose another key"

// consequence says what would happen if a user had a key that is reserved. It is the rest of a sentence that begins with the key.
func (k *reservedKey) consequence() string {
	matches := enumName(k.Match, "matches", "contains", "begins with", "is") + " " + strconv.Quote(k.Text)
	switch k.Owner {
	case mcmCluster:
		return matches + ", by which MCM finds the machines of a cluster: the cluster that it names would take the VM for one of its own " +
			"and delete it, as it has no Machine object for it"
	case mcmRole:
		return matches + ", by which MCM tells machines from other resources of a cluster: MCM could take a resource for a machine " +
			"that has no Machine object, and delete it"
	case theDriver:
		return matches + ", which the driver sets itself: the value would be overwritten, or the machine would go by a wrong name"
	case theCloud:
	}
	return matches + ", which the cloud reserves: it would refuse the whole call, and none of the infrastructure tags in it would be set"
}

// reserved returns the first entry that the key matches, or nil. MCM and the drivers compare byte by byte, so case counts unless
// the cloud itself ignores it. Case never counts in keys that the cloud reserves.
func (r *Rules) reserved(key string) *reservedKey {
	for i := range r.reservedKeys {
		k := &r.reservedKeys[i]
		anyCase := k.Owner == theCloud || r.ignoresCase
		if !anyCase && k.matches(key, k.Text) || anyCase && k.matchesFold(key) {
			return k
		}
	}
	return nil
}

func (k *reservedKey) matches(key, text string) bool {
	switch k.Match {
	case contains:
		return strings.Contains(key, text)
	case begins:
		return strings.HasPrefix(key, text)
	case equals:
	}
	return key == text
}

func (k *reservedKey) matchesFold(key string) bool {
	if k.Match == equals {
		return strings.EqualFold(key, k.Text) // does not allocate, as folding may
	}
	return k.matches(fold(key), fold(k.Text))
}

// MandatoryIn returns those entries of a driver's flat map by which MCM finds the machine, or nil. Drivers whose spec holds pool labels
// and mandatory keys in one map pass the result as mandatory.
func (r *Rules) MandatoryIn(flat map[string]string) map[string]string {
	var found map[string]string
	for key, value := range flat {
		k := r.reserved(key)
		if k == nil || k.Owner != mcmCluster && k.Owner != mcmRole {
			continue
		}
		if found == nil {
			found = make(map[string]string, 2)
		}
		found[key] = value
	}
	return found
}

// namesCluster reports whether MCM takes the key for that of a cluster.
func (r *Rules) namesCluster(key string) bool {
	k := r.reserved(key)
	return k != nil && k.Owner == mcmCluster
}

// clusters counts the keys that name a cluster.
func (r *Rules) clusters(s *spec) int {
	n := 0
	for id := range s.all {
		if r.namesCluster(id) {
			n++
		}
	}
	return n
}

// clusterKeys returns the keys that name a cluster, sorted.
func (r *Rules) clusterKeys(s *spec) []string {
	var keys []string
	for id, key := range s.all {
		if r.namesCluster(id) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
