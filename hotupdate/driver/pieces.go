package driver

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// pieces returns the pieces of the recorded hot parts of a kind, decoded. The flow merges what it has sent
// into few parts, so the members of a part may come from different specs, and any combination of them may be
// live. Project and Members then also return the values that other members of the part override. There are
// no pieces where nothing was sent since the last success, and none of a value that is only read as a whole.
func (u *update[T, C]) pieces(asked *machineupdate.Part) (all []*T) {
	if len(asked.Attempted) == 0 {
		return nil
	}
	for _, part := range append([]machineupdate.HotSpec{asked.Applied}, asked.Attempted...) {
		pieces := piecesOf(json.RawMessage(part))
		if len(pieces) == 1 { // the part itself
			continue
		}
		for _, piece := range pieces {
			decoded, err := u.definition.Schema.Decode([]byte(piece))
			if spec, isSpec := decoded.(*T); isSpec && err == nil {
				all = append(all, spec)
			}
		}
	}
	return all
}

// piecesOf cuts a hot part into hot parts that each have the scalars of one object, or one list.
func piecesOf(object json.RawMessage) (pieces []machineupdate.HotSpec) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil // decoding the part reports the error
	}
	scalars := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch member := members[name]; member[0] {
		case '{':
			for _, below := range piecesOf(member) {
				pieces = append(pieces, objectOf(map[string]json.RawMessage{name: json.RawMessage(below)}))
			}
		case '[':
			pieces = append(pieces, objectOf(map[string]json.RawMessage{name: member}))
		default:
			scalars[name] = member
		}
	}
	if len(scalars) > 0 {
		pieces = append(pieces, objectOf(scalars))
	}
	return pieces
}

func objectOf(members map[string]json.RawMessage) machineupdate.HotSpec {
	text, _ := json.Marshal(members) // they were read from JSON
	return machineupdate.HotSpec(text)
}
