package tags

import (
	"fmt"
	"strings"
)

// reservedKey matches keys that are not for users, because MCM, the driver or the cloud relies on them. They are never removed either.
type reservedKey struct {
	Match match
	Text  string
	Owner owner
}

// match says how the text of a [reservedKey] is compared with a key.
type match string

const (
	contains match = "contains"
	begins   match = "begins with"
	equals   match = "is"
)

// owner is who relies on a reserved key, and what would happen if a user had it.
type owner string

const (
	mcmCluster owner = "by which MCM finds the machines of a cluster: the cluster that it names would take the VM for one of its own " +
		"and delete it, as it has no Machine object for it"
	mcmRole owner = "by which MCM tells machines from other resources of a cluster: MCM could take a resource for a machine " +
		"that has no Machine object, and delete it"
	theDriver owner = "which the driver sets itself: the value would be overwritten, or the machine would go by a wrong name"
	theCloud  owner = "which the cloud reserves: it would refuse the whole call, and none of the infrastructure tags in it would be set"
)

// consequence says what would happen if a user had a key that is reserved, and what to do. It is the rest of a sentence that begins with the key.
func (k *reservedKey) consequence() string {
	return fmt.Sprintf("%s %q, %s; choose another key", k.Match, k.Text, k.Owner)
}

// reserved returns the first entry that the key matches, or nil. MCM and the drivers compare byte by byte, so case counts unless
// the cloud itself ignores it. Case never counts in keys that the cloud reserves.
func (r *Rules) reserved(key string) *reservedKey {
	for i := range r.reservedKeys {
		k := &r.reservedKeys[i]
		anyCase := k.Owner == theCloud || r.IgnoresCase
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
		if k := r.reserved(key); k != nil && (k.Owner == mcmCluster || k.Owner == mcmRole) {
			if found == nil {
				found = make(map[string]string, 2)
			}
			found[key] = value
		}
	}
	return found
}

// isClusters reports whether MCM takes the key for that of a cluster.
func (r *Rules) isClusters(id string) bool {
	k := r.reserved(id)
	return k != nil && k.Owner == mcmCluster
}
