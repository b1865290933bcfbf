package tags

import "slices"

// Effective merges what a driver's spec says about one kind: base, the flat map that real drivers hold for all kinds; over it perKind, the map
// of the kind in [Tags]; and last mandatory. It is nil if all three are empty, and shares no memory with them.
//
// A driver passes the old shape of its spec (base only), the new one (base and perKind) and every attempt through the same
// Effective before it plans, so that they can be compared. Of keys that are one key to the cloud, that of the last layer remains. Two
// spellings within one layer both remain, and [Rules.Plan] refuses them.
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
