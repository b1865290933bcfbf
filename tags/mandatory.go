package tags

import (
	"slices"
	"strconv"
	"strings"
)

// Reserved are keys that are not for users, because MCM, the driver or the cloud relies on them. They are never removed either.
type Reserved struct {
	Match Match
	Text  string
	Owner Owner
}

// Match says how the text of a [Reserved] is compared with a key. The zero value is MatchContains, which matches most.
type Match uint8

// The matches.
const (
	MatchContains Match = iota // the key contains the text
	MatchPrefix                // the key begins with the text
	MatchExactly               // the key is the text
)

// String returns the match's name.
func (m Match) String() string {
	switch m {
	case MatchContains:
		return "MatchContains"
	case MatchPrefix:
		return "MatchPrefix"
	case MatchExactly:
		return "MatchExactly"
	}
	return "Match(" + strconv.Itoa(int(m)) + ")"
}

// Owner is who relies on a reserved key. The zero value is MCMCluster, the one whose loss or abuse costs a machine.
type Owner uint8

// The owners.
const (
	MCMCluster Owner = iota // MCM: the key by which it finds, and deletes, the machines of a cluster
	MCMRole                 // MCM: the key by which it tells machines from a cluster's other resources
	TheDriver               // the driver sets the key itself
	TheCloud                // the cloud refuses the key
)

// String returns the owner's name.
func (o Owner) String() string {
	switch o {
	case MCMCluster:
		return "MCMCluster"
	case MCMRole:
		return "MCMRole"
	case TheDriver:
		return "TheDriver"
	case TheCloud:
		return "TheCloud"
	}
	return "Owner(" + strconv.Itoa(int(o)) + ")"
}

// anotherKey is the cure for a key that is reserved.
const anotherKey = "choose another key"

// consequence says what would happen if a user had a key that is reserved. It is the rest of a sentence that begins with the key.
func (d *Reserved) consequence() string {
	matches := d.verb() + " " + strconv.Quote(d.Text)
	switch d.Owner {
	case MCMCluster:
		return matches + ", by which MCM finds the machines of a cluster: the cluster that it names would take the VM for one of its own " +
			"and delete it, as it has no Machine object for it"
	case MCMRole:
		return matches + ", by which MCM tells machines from other resources of a cluster: MCM could take a resource for a machine " +
			"that has no Machine object, and delete it"
	case TheDriver:
		return matches + ", which the driver sets itself: the value would be overwritten, or the machine would go by a wrong name"
	case TheCloud:
		return matches + ", which the cloud reserves: it would refuse the whole call, and none of the infrastructure tags in it would be set"
	}
	return matches + ", which is reserved"
}

func (d *Reserved) verb() string {
	switch d.Match {
	case MatchContains:
		return "contains"
	case MatchPrefix:
		return "begins with"
	case MatchExactly:
		return "is"
	}
	return "matches"
}

// reserved returns the first entry that the key matches, or nil. MCM and the drivers compare byte by byte, so case counts unless
// the cloud itself ignores it; what the cloud reserves counts in any case.
func (r *Rules) reserved(key string) *Reserved {
	for i := range r.Reserved {
		d := &r.Reserved[i]
		anyCase := d.Owner == TheCloud || r.Folding == CaseInsensitive
		if !anyCase && d.matches(key, d.Text) || anyCase && d.matchesFold(key) {
			return d
		}
	}
	return nil
}

func (d *Reserved) matches(key, text string) bool {
	switch d.Match {
	case MatchContains:
		return strings.Contains(key, text)
	case MatchPrefix:
		return strings.HasPrefix(key, text)
	case MatchExactly:
		return key == text
	}
	return false
}

func (d *Reserved) matchesFold(key string) bool {
	if d.Match == MatchExactly {
		return strings.EqualFold(key, d.Text) // never folds, so never allocates
	}
	return d.matches(fold(key), fold(d.Text))
}

// MandatoryIn returns those entries of a driver's flat map by which MCM finds the machine, or nil: drivers whose spec holds pool labels
// and mandatory keys in one map pass the result as mandatory.
func (r *Rules) MandatoryIn(flat map[string]string) map[string]string {
	var found map[string]string
	for key, value := range flat {
		d := r.reserved(key)
		if d == nil || d.Owner != MCMCluster && d.Owner != MCMRole {
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
	d := r.reserved(key)
	return d != nil && d.Owner == MCMCluster
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
