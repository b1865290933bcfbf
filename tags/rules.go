package tags

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Rules are the requirements of one cloud for the infrastructure tags of one kind of resource.
// [Cloud.Rules] returns the Rules of the clouds that this package knows, and callers may change a
// copy. Any other cloud is described by a literal:
//
//	rules := tags.Rules{
//		Key:              tags.Text{Max: 63, Match: regexp.MustCompile(`^[a-z][a-z./-]*$`)},
//		Value:            tags.Text{Max: 63, Match: regexp.MustCompile(`^[a-z]*$`)},
//		MaxTags:          20,
//		ClusterKeys:      []string{"mcm.gardener.cloud/cluster"},
//		ReservedKeys:     []string{"cloud.example/*"},
//		ResourcesPerCall: 1, TagsPerCall: 20,
//	}
//
// [Rules.Plan] returns all mistakes of such a literal, and so does New of package driver, before a
// machine is touched. The zero value allows no infrastructure tag.
type Rules struct {
	// Key and Value say which texts the cloud takes. A key is never empty.
	Key, Value Text
	// KeysOnly says that infrastructure tags have no values. Then Value is the zero value.
	KeysOnly bool
	// IgnoresCase says that keys that differ only in case are one key.
	IgnoresCase bool
	// MaxTags is the number of infrastructure tags that a resource takes. An operator with another
	// quota changes it.
	MaxTags int

	// Users must not set the keys that match one of these patterns, and such a key is never
	// removed. A "*" at an end of a pattern stands for any text. By ClusterKeys and RoleKeys MCM
	// finds the machines of a cluster. The driver sets the ReservedKeys itself, or the cloud
	// reserves them. A pattern in ReservedKeys that has no capitals matches in any case.
	ClusterKeys, RoleKeys, ReservedKeys []string

	// MandatoryKeys has patterns, as in ClusterKeys, of reserved keys that a flat map holds because the
	// extension sets them and the driver gives them to the resources that it creates, such as Name on
	// Azure. They are mandatory, see [Rules.MandatoryIn]. Case counts on every cloud: another spelling
	// is a pool label.
	MandatoryKeys []string

	// AnyValue has patterns, as in ClusterKeys, of desired keys whose value is left to others, such
	// as a policy of the cloud that rewrites it within each write. Such a key is set where it is
	// missing, and its live value is never overwritten: see rule 11 of the package documentation.
	// Mandatory keys are set regardless.
	AnyValue []string

	// Guard is the condition of a removal, for the API calls that the table names. A driver that
	// makes other calls changes it.
	Guard Guard
	// One call sets or removes at most TagsPerCall infrastructure tags on ResourcesPerCall
	// resources, the same on all of them. 0 counts as 1.
	ResourcesPerCall, TagsPerCall int

	removalsPerCall int      // instead of TagsPerCall; 0 is TagsPerCall
	uncounted       []string // patterns, in lower case, of live keys that in any case do not count towards MaxTags
	cleaning        cleaning
}

// Guard is the condition under which a cloud removes an infrastructure tag. The zero value is
// Unguarded, the most dangerous guard, so that nothing relies on an undeclared condition.
type Guard uint8

// The guards.
const (
	// Unguarded: the key is removed, whatever its current value. On a cloud that writes everything
	// at once this is true of all keys: keys that others set between the read and the
	// write are lost.
	Unguarded    Guard = iota
	GuardValue         // the key is removed only if it has the value given
	GuardVersion       // everything is written at once, and only if nothing has changed since the read
)

// Rules returns the rules of a kind of resource. The error has the code no-rules if there are none:
// for an unknown cloud or kind, and for OpenStack's network interfaces, since ports carry no keys
// with values.
func (c Cloud) Rules(k Kind) (Rules, error) {
	for _, row := range table() {
		if row.cloud == c && slices.Contains(row.kinds, k) {
			return row.rules, nil
		}
	}
	return Rules{}, &fault.Error{
		Kind: fault.Unsupported, Code: "no-rules", Where: string(c), Hint: "leave them out",
		What: "resources of kind " + string(k) + " carry no infrastructure tags that this package knows",
	}
}

// check returns all mistakes of a description at once, each a [*fault.Error] with the code
// unusable-rules, or empty-rules for the zero value.
func (r *Rules) check() error {
	var problems fault.List
	require := func(holds bool, field, what, hint string) {
		if !holds {
			problems.Add(&fault.Error{
				Kind: fault.Misuse, Code: "unusable-rules", Where: "tags.Rules", Field: field, What: what, Hint: hint,
			})
		}
	}
	if r.MaxTags <= 0 {
		problems.Add(&fault.Error{
			Kind: fault.Misuse, Code: "empty-rules", Where: "tags.Rules", Field: "MaxTags",
			What: "allows no infrastructure tags", Hint: "use Cloud.Rules, or describe the cloud in full",
		})
	}
	r.Key.check("Key", require)
	if !r.KeysOnly {
		r.Value.check("Value", require)
	}
	require(!r.KeysOnly || r.Value == (Text{}), "Value",
		"is set although keys have no values", "leave it out, or KeysOnly")
	require(r.Guard <= GuardVersion, "Guard", "is none of the guards", "choose one of them")
	require(min(r.ResourcesPerCall, r.TagsPerCall) >= 0, "ResourcesPerCall, TagsPerCall",
		"is negative", "write what one call takes")
	r.checkPatterns("ClusterKeys", r.ClusterKeys, require)
	r.checkPatterns("RoleKeys", r.RoleKeys, require)
	r.checkPatterns("ReservedKeys", r.ReservedKeys, require)
	r.checkPatterns("MandatoryKeys", r.MandatoryKeys, require)
	r.checkPatterns("AnyValue", r.AnyValue, require)
	require(!r.KeysOnly || len(r.AnyValue) == 0, "AnyValue",
		"is set although keys have no values", "leave it out")
	return problems.Err()
}

// checkPatterns reports patterns that match everything or nothing, and keys of MCM that the cloud
// would refuse.
func (r *Rules) checkPatterns(name string, patterns []string, require func(holds bool, field, what, hint string)) {
	for i, pattern := range patterns {
		at := fmt.Sprintf("%s[%d]", name, i)
		text := strings.TrimSuffix(strings.TrimPrefix(pattern, "*"), "*")
		hasStar := strings.Contains(text, "*")
		require(text != "", at, "matches every key or the empty key", "write a part of the key")
		require(!hasStar, at, "has a * within", "write * at its ends only")
		isWholeKey := text == pattern && text != ""
		if !isWholeKey || hasStar || name == "ReservedKeys" {
			continue
		}
		require(len(r.Key.errors("key", text, nil)) == 0, at,
			"is a key that Key does not admit", "correct its spelling, or Key")
	}
}

// Effective merges what a driver's spec says about one kind: base, the flat map that real drivers
// hold for all kinds, overridden by perKind, the map of the kind in [Tags], overridden by
// mandatory. The result is nil if nothing is left, and shares no memory with them.
//
// The extension writes the flat map, and pool labels are in it. So its reserved keys are no mistake of
// a user: Effective leaves out the keys of base that [Rules.LeftAlone] names.
//
// A driver passes the old form of its spec (base only), the new form (base and perKind) and every
// attempt through the same Effective before it plans, so that they can be compared. Of keys that
// the cloud takes for the same key, the key of the last layer remains. Two spellings within one
// layer both remain, and [Rules.Plan] refuses them.
//
// On GCP base holds labels, so pass nil for [Network].
func (r *Rules) Effective(base, perKind, mandatory map[string]string) map[string]string {
	merged := spec{}
	for _, layer := range []map[string]string{r.withoutLeftAlone(base), perKind, mandatory} {
		maps.Copy(merged, r.spec(layer))
	}
	if len(merged) == 0 {
		return nil
	}
	out := make(map[string]string, len(merged))
	for _, spellings := range merged {
		for _, tag := range spellings {
			out[tag.Key] = r.value(tag.Value)
		}
	}
	return out
}

// reason says which program relies on a reserved key, and what would happen if a user set it.
type reason string

const (
	findsCluster reason = "by which MCM finds the machines of a cluster: the cluster that it names would take the VM " +
		"for one of its machines and delete it, as it has no Machine object for it"
	findsRole reason = "by which MCM tells machines from other resources of a cluster: MCM could take a resource " +
		"for a machine that has no Machine object, and delete it"
	isReserved reason = "which the driver sets itself or the cloud reserves: the value would be overwritten, or the " +
		"cloud would refuse the whole call"
)

// reserved returns why a key is reserved, and by which pattern; nothing if it is not. MCM and the
// drivers compare byte by byte, so case counts unless the cloud itself ignores it.
func (r *Rules) reserved(key string) (why reason, pattern string) {
	for _, list := range [...]struct {
		why      reason
		patterns []string
	}{{findsCluster, r.ClusterKeys}, {findsRole, r.RoleKeys}, {isReserved, r.ReservedKeys}} {
		for _, pattern := range list.patterns {
			if r.names(pattern, key) ||
				list.why == isReserved && matches(pattern, fold(key)) { // never if the pattern has capitals
				return list.why, pattern
			}
		}
	}
	return "", ""
}

// names reports whether a pattern names a key: case counts unless the cloud ignores it.
func (r *Rules) names(pattern, key string) bool {
	return matches(pattern, key) || r.IgnoresCase && matches(fold(pattern), fold(key))
}

// matches reports whether a key matches a pattern.
func matches(pattern, key string) bool {
	text, isOpen := strings.CutSuffix(pattern, "*")
	text, isTail := strings.CutPrefix(text, "*")
	switch {
	case isOpen && isTail:
		return strings.Contains(key, text)
	case isOpen:
		return strings.HasPrefix(key, text)
	case isTail:
		return strings.HasSuffix(key, text)
	}
	return key == text
}

// consequence says what would happen if a user set a reserved key, and what to do instead. The text
// continues a sentence that begins with the key.
func (w reason) consequence(pattern string) string {
	return fmt.Sprintf("matches %q, %s; choose another key", pattern, w)
}

// MandatoryIn returns those entries of a driver's flat map that every machine of the class has: the
// keys by which MCM finds the machine, and the MandatoryKeys; nil if there are none. Drivers whose spec
// holds pool labels and mandatory keys in one map pass the result as mandatory.
//
// Of several spellings that the cloud takes for one key, those that a pattern matches byte by byte are
// mandatory, and the others are pool labels.
func (r *Rules) MandatoryIn(flat map[string]string) map[string]string {
	found := map[string]string{}
	for _, spellings := range r.spec(flat) {
		for _, tag := range r.mandatoryOf(spellings) {
			found[tag.Key] = tag.Value
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// mandatoryOf returns those spellings of one key that are mandatory.
func (r *Rules) mandatoryOf(spellings []Tag) []Tag {
	ofMCM := slices.Concat(r.ClusterKeys, r.RoleKeys)
	spelledSo := slices.Concat(ofMCM, r.MandatoryKeys)
	exact := matching(spellings, func(key string) bool {
		return slices.ContainsFunc(spelledSo, func(pattern string) bool { return matches(pattern, key) })
	})
	if len(exact) > 0 {
		return exact
	}
	return matching(spellings, func(key string) bool {
		return slices.ContainsFunc(ofMCM, func(pattern string) bool { return r.names(pattern, key) })
	})
}

// matching returns the tags whose keys are named.
func matching(all []Tag, isNamed func(key string) bool) (found []Tag) {
	for _, tag := range all {
		if isNamed(tag.Key) {
			found = append(found, tag)
		}
	}
	return found
}

// LeftAlone returns the keys of a driver's flat map that no plan sets or removes, sorted: reserved keys
// that are not mandatory, and other spellings of mandatory keys. Such a key is a pool label. Whether a
// machine was created with it depends on the driver and the cloud. If it is live, it counts towards the
// limit as a foreign key does.
func (r *Rules) LeftAlone(flat map[string]string) (keys []string) {
	for _, spellings := range r.spec(flat) {
		mandatory := r.mandatoryOf(spellings)
		for _, tag := range spellings {
			why, _ := r.reserved(tag.Key)
			isHidden := len(mandatory) > 0 || why != ""
			if isHidden && !slices.Contains(mandatory, tag) {
				keys = append(keys, tag.Key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// withoutLeftAlone returns a flat map without the keys that are left alone.
func (r *Rules) withoutLeftAlone(flat map[string]string) map[string]string {
	kept := maps.Clone(flat)
	for _, key := range r.LeftAlone(flat) {
		delete(kept, key)
	}
	return kept
}

// isClusters reports whether MCM takes the key for a cluster's key.
func (r *Rules) isClusters(key string) bool {
	why, _ := r.reserved(key)
	return why == findsCluster
}
