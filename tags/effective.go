package tags

// Effective lays together what a driver's spec says about one kind: base, the flat map that real drivers hold for all kinds, below
// perKind, the map of the kind in [Tags], below mandatory, which is merged last. It is nil if all three are empty, and shares no memory
// with them.
//
// A driver passes the old shape of its spec (base only), the new one (base and perKind) and every attempt through the same
// Effective before it plans, so that they can be compared. Where keys are one key to the cloud, that of the later layer remains; two
// spellings within one layer both remain, for [Rules.Plan] to refuse.
//
// On GCP base holds labels, so it is nil for [Network].
func (r *Rules) Effective(base, perKind, mandatory map[string]string) map[string]string {
	total := len(base) + len(perKind) + len(mandatory)
	if total == 0 {
		return nil
	}
	out := make(map[string]string, total)
	layers := [...]spec{r.spec(mandatory), r.spec(perKind), r.spec(base)}
	for i := range layers {
		for id, key := range layers[i].all {
			if anyHas(layers[:i], id) {
				continue
			}
			out[key] = layers[i].tags[key]
			if r.keysOnly {
				out[key] = ""
			}
		}
	}
	return out
}

func anyHas(specs []spec, id string) bool {
	for i := range specs {
		if _, ok := specs[i].key(id); ok {
			return true
		}
	}
	return false
}
