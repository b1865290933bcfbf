package hotupdate

import "github.com/hotupdate/providerconfig/internal/rawcut"

// NullMembers says what [Schema.StripRaw] does with a hot member whose value is null. The zero value is CutNulls.
type NullMembers uint8

// The choices.
const (
	CutNulls  NullMembers = NullMembers(rawcut.CutNulls)  // a hot member goes, whatever its value
	KeepNulls NullMembers = NullMembers(rawcut.KeepNulls) // a hot member that is null stays
)

// StripRaw cuts the Hot and Ignored members out of raw JSON and leaves every other byte as it was. It is for eras in which the raw bytes
// are hashed: a field that becomes hot is hot there too, and pools without it keep their names.
//
// Inserting hot members anywhere into raw JSON and cutting gives the original bytes back, compact or indented, as long as the
// objects into which they were inserted are absent or not empty in the original.
//
// What goes:
//  1. A member of whose field nothing is Immutable or InPlace, be it at the field or below it. Its value does not matter, but see
//     null. Of members that stand there twice both go.
//  2. Elsewhere the cut goes down and looks for such members.
//  3. An object or map that the cut has emptied goes like a member of its own, and so on upwards. One that was empty before stays.
//  4. An entry of a map that is Hot or Ignored, and one for which hotwhen holds, goes if nothing is left in it but the field by which
//     it was selected, whether it was empty before or not. In a map that is Hot or Ignored a null entry counts as a hot member.
//
// What stays:
//  1. The root, and its TypeMeta.
//  2. Elements of lists, and entries of maps that are Immutable or InPlace: their presence has a meaning. So does that of a field with
//     the option presence. Once emptied they are {}.
//  3. The fields by which an element is found (key=) or selected (hotwhen=).
//  4. Members that the Schema does not know, and values of another type than the Schema's, with all that is in them. An old
//     configuration may hold some.
//
// Where elements are selected by hotwhen, the classes are those of a hot element. The selector is read as a decoder reads it: what is
// absent or null is the zero value, and of two members the last counts.
//
// How a member goes:
//  1. It takes along what stands between it and the end of the member before: white space, the comma, white space. The white space
//     behind it stays.
//  2. If no member before it stays, it takes along what stands up to the beginning of the next member that does: white space, the comma,
//     white space. The white space before it stays.
//  3. If none stays at all, and the object does, the white space in it goes as well.
//
// Names match unescaped and with their case: "\u0074ags" is tags. Nothing outside of the cut is rewritten, sorted or trimmed.
//
// # Null
//
// The state of a hot leaf must not matter, and null is one of them. But the regular expressions that extensions use today let
// virtualCapacity: null stand.
//   - [CutNulls]: null goes. Setting a hot field to null replaces no machine. But a pool that holds virtualCapacity: null on the
//     day of the adoption gets another name, and its machines are replaced.
//   - [KeepNulls]: null stays, and such a pool keeps its name. But adding or removing a hot null, and turning it into a value or
//     back, changes the name, also for fields that become hot later.
//
// Only values of hot members count: null below one goes with it, and null for an object with something that is kept stays in either
// case.
//
// # What today's extensions do
//
// Where their expressions work, on compact JSON in which virtualCapacity is the last or the only member of nodeTemplate, StripRaw with
// [KeepNulls] returns the same bytes. Two outcomes differ:
//   - They trim white space around the configuration if virtualCapacity is set, and StripRaw does not. A configuration that came through
//     an API server has none.
//   - What their expressions cannot cut, for instance because virtualCapacity stands first, is hashed with it today. Such a pool gets
//     another name once.
//
// # Errors, cost
//
// Nothing and white space stay as they are. What is not JSON is an error with the code invalid-json and the byte offset, more
// than 1000 levels one with too-deep. The encoding of text is not checked: what encoding/json reads is cut. A nulls that is
// neither [CutNulls] nor [KeepNulls] is an error with unknown-nulls, whatever raw is.
//
// The result is raw itself if there is nothing to cut, and a new slice otherwise. Time and memory are linear in the length of raw.
// The memory is reused, so that the result is the only allocation.
//
// Source: hot-update proposal, "Gardener provider extension changes".
func (s *Schema) StripRaw(raw []byte, nulls NullMembers) ([]byte, error) {
	if s.isMissing() {
		return nil, noSchema()
	}
	stripped, problem := rawcut.Cut(s.plan, raw, rawcut.Nulls(nulls))
	if problem != nil {
		return nil, problem
	}
	return stripped, nil
}
