package driver

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// recorded returns the hot parts whose values are ours. The flow merges what it has sent into few parts,
// so the members of a part may come from different specs, and any combination of them may be live. Where
// something was sent since the last success, recorded therefore also has the pieces of each part: Project
// and Members then return the values that other members of the part override.
func recorded(asked *machineupdate.Part) []machineupdate.HotSpec {
	parts := append([]machineupdate.HotSpec{asked.Applied}, asked.Attempted...)
	if len(asked.Attempted) == 0 {
		return parts
	}
	for _, part := range slices.Clone(parts) {
		if pieces := piecesOf(json.RawMessage(part)); len(pieces) > 1 {
			parts = append(parts, pieces...)
		}
	}
	return parts
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
