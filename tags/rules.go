package tags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Rules are the requirements of one cloud for the infrastructure tags of one kind of resource. They come from [Cloud.Rules]; callers may change
// the exported fields of a copy. The driver of a cloud that this package does not know starts with the rules of a cloud on which MCM's keys
// have the same spelling. The zero value allows nothing: no key, no value, no infrastructure tag.
type Rules struct {
	// MaxTags is the number of infrastructure tags that a resource takes. An operator with another quota changes it.
	MaxTags int
	// Guard is the condition of a removal, for the API calls that the table names. A driver that makes other calls changes it.
	Guard Guard
	// KeysOnly says that infrastructure tags have no values.
	KeysOnly bool
	// IgnoresCase says that keys that differ only in case are one key.
	IgnoresCase bool

	name         string   // for messages, such as "AWS tags"
	key, value   text     // what keys and values may be; a key is never empty, and value is unused with KeysOnly
	uncounted    []string // lower-case prefixes of live keys, in any case, that do not count towards MaxTags
	reservedKeys []reservedKey
	cleaning     cleaning

	setCall, removeCall call // limits of one call
}

// Guard is the condition under which a cloud removes an infrastructure tag. The zero value is Unguarded, the most dangerous guard, so that
// nothing relies on an undeclared condition.
type Guard uint8

// The guards.
const (
	Unguarded    Guard = iota // the key is removed, whatever its current value
	GuardValue                // the key is removed only if it has the value given
	GuardVersion              // everything is written at once, and only if nothing has changed since the read
)

// call holds the limits of one call. Zero counts as one.
type call struct {
	Resources int // all of them get the same infrastructure tags
	Tags      int
}

// Rules returns the rules of a kind of resource. The error has the code no-rules if there are none: for an unknown cloud or kind, and for
// OpenStack's network interfaces, since ports carry no keys with values.
func (c Cloud) Rules(k Kind) (Rules, error) {
	for _, row := range table() {
		if row.cloud == c && slices.Contains(row.kinds, k) {
			return row.rules, nil
		}
	}
	return Rules{}, &fault.Error{
		Kind: fault.Unsupported, Code: "no-rules", Where: string(c),
		What: "resources of kind " + string(k) + " carry no infrastructure tags that this package knows",
		Hint: "leave them out",
	}
}

// Effective merges what a driver's spec says about one kind: base, the flat map that real drivers hold for all kinds, overridden by perKind,
// the map of the kind in [Tags], overridden by mandatory. The result is nil if all three are empty, and shares no memory with them.
//
// A driver passes the old form of its spec (base only), the new form (base and perKind) and every attempt through the same Effective before it
// plans, so that they can be compared. Of keys that the cloud takes for the same key, that of the last layer remains. Two spellings within one
// layer both remain, and [Rules.Plan] refuses them.
//
// On GCP base holds labels, so pass nil for [Network].
func (r *Rules) Effective(base, perKind, mandatory map[string]string) map[string]string {
	total := len(base) + len(perKind) + len(mandatory)
	if total == 0 {
		return nil
	}
	out := make(map[string]string, total)
	layers := [...]spec{r.spec(mandatory), r.spec(perKind), r.spec(base)}
	for i := range layers {
		for id, key := range layers[i].all {
			if slices.ContainsFunc(layers[:i], func(s spec) bool { return s.has(id) }) {
				continue
			}
			out[key] = layers[i].tags[key]
			if r.KeysOnly {
				out[key] = ""
			}
		}
	}
	return out
}

// reservedKey matches keys that users must not set, because MCM, the driver or the cloud relies on them. They are never removed either.
type reservedKey struct {
	Match match
	Text  string // in lower case where case does not count
	Owner owner
}

// match is how the text of a [reservedKey] is compared with a key.
type match string

const (
	contains match = "contains"
	begins   match = "begins with"
	equals   match = "is"
)

// owner says who relies on a reserved key, and what would happen if a user set it.
type owner string

const (
	mcmCluster owner = "by which MCM finds the machines of a cluster: the cluster that it names would take the VM for one of its own " +
		"and delete it, as it has no Machine object for it"
	mcmRole owner = "by which MCM tells machines from other resources of a cluster: MCM could take a resource for a machine " +
		"that has no Machine object, and delete it"
	theDriver owner = "which the driver sets itself: the value would be overwritten, or the machine would go by a wrong name"
	theCloud  owner = "which the cloud reserves: it would refuse the whole call, and none of the infrastructure tags in it would be set"
)

// consequence says what would happen if a user set the reserved key, and what to do instead. The text continues a sentence that begins with the
// key.
func (k *reservedKey) consequence() string {
	return fmt.Sprintf("%s %q, %s; choose another key", k.Match, k.Text, k.Owner)
}

// reserved returns the first entry that matches the key, or nil. MCM and the drivers compare byte by byte, so case counts unless the cloud
// itself ignores it. Case never counts in keys that the cloud reserves.
func (r *Rules) reserved(key string) *reservedKey {
	for i := range r.reservedKeys {
		k := &r.reservedKeys[i]
		compared := key
		if k.Owner == theCloud || r.IgnoresCase {
			compared = fold(key)
		}
		if k.matches(compared) {
			return k
		}
	}
	return nil
}

func (k *reservedKey) matches(key string) bool {
	switch k.Match {
	case contains:
		return strings.Contains(key, k.Text)
	case begins:
		return strings.HasPrefix(key, k.Text)
	case equals:
	}
	return key == k.Text
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

// isClusters reports whether MCM takes the key for a cluster's key.
func (r *Rules) isClusters(id string) bool {
	k := r.reserved(id)
	return k != nil && k.Owner == mcmCluster
}
