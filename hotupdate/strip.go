package hotupdate

import "github.com/hotupdate/providerconfig/internal/strip"

// StripRaw removes the Hot and Ignored members from raw JSON and leaves every other byte as it was.
// It is for eras that hash raw bytes: there, too, a field may become hot, while pools that do not
// set it keep their names.
//
// Inserting hot members into raw JSON and stripping them gives the original bytes back, compact or
// indented, if the objects into which they were inserted are absent or not empty in the original.
//
// Removed are:
//  1. A member whose field is neither Immutable nor InPlace and has no such fields below it,
//     whatever its value. Of duplicate members in an object both are removed.
//  2. Such members at any depth.
//  3. An object or map that these removals have emptied, and so on upwards. An object or map that
//     was empty before stays.
//  4. An entry of a Hot or Ignored map, and an entry for which hotwhen holds, if nothing but its
//     selector is left in it, even if it was empty before. In a Hot or Ignored map a null entry
//     counts as a hot member. An entry whose key has a class of its own is treated as in a map of
//     this class.
//
// These stay:
//  1. The root, and its TypeMeta.
//  2. Elements of lists, entries of Immutable or InPlace maps, and objects and maps with the option
//     presence or a default that fills in something Immutable or InPlace, because their presence
//     carries meaning. Once emptied they are {}.
//  3. The fields that identify an element (key=) or select it (hotwhen=).
//  4. Members that the Schema does not know, and values whose type is not the Schema's, with
//     everything in them. An old configuration may hold some.
//
// Where hotwhen selects elements, the classes are those of a hot element. The selector is read as a
// decoder reads it: an absent or null selector is the zero value, and of duplicate members the last
// counts.
//
// A member is removed with its separator:
//  1. If a member before it stays: with the white space, the comma and the white space between the
//     two. The white space behind it stays.
//  2. Otherwise, if a member behind it stays: with everything up to that member. The white space
//     before it stays.
//  3. If the object stays without members: with all white space of the object.
//
// Names match unescaped and case-sensitively: "\u0074ags" is tags. Nothing else is rewritten,
// sorted or trimmed.
//
// # Null
//
// The value of a hot member must not matter, and null is a value. But the regular expressions that
// extensions use today keep virtualCapacity: null.
//   - StripRaw removes null. Setting a hot field to null replaces no machine. But a pool that holds
//     virtualCapacity: null on the day of the adoption is renamed, and its machines are replaced.
//   - [Schema.StripRawKeepNulls] keeps null, and such a pool keeps its name. But adding or removing
//     a hot null, or replacing it with a value, changes the name, also for fields that become hot
//     later.
//
// Only hot members are concerned. A null below a hot member is removed with it. Null in place of an
// object with Immutable fields stays.
//
// # What today's extensions do
//
// Their expressions work on compact JSON in which virtualCapacity is the last or the only member of
// nodeTemplate. There, [Schema.StripRawKeepNulls] returns the same bytes. Two outcomes differ:
//   - They trim white space around the configuration if virtualCapacity is set, and StripRaw does
//     not. A configuration that came through an API server has none.
//   - Where they do not match, for instance because virtualCapacity is the first member, they hash
//     it. Such a pool is renamed once.
//
// To rename no pool, strip only the members that are new, by a Schema in which virtualCapacity is
// Immutable ([WithTag]), and hand the result to today's function.
//
// # Errors and cost
//
// Empty input and white space stay as they are. The code of an error is invalid-json, with the byte
// offset, or too-deep beyond 1000 levels. Text that is not valid UTF-8 is not an error, as in
// encoding/json.
//
// The result is raw itself if nothing is removed. Otherwise it is a new slice, which is the only
// allocation. Time and memory are linear in the length of raw, but each collection with hotwhen
// reads its elements twice.
//
// Source: hot-update proposal, "Gardener provider extension changes".
func (s *Schema) StripRaw(raw []byte) ([]byte, error) { return s.strip(raw, strip.StripNulls) }

// StripRawKeepNulls is [Schema.StripRaw], but a hot member whose value is null stays, as with the
// regular expressions that extensions use today.
func (s *Schema) StripRawKeepNulls(raw []byte) ([]byte, error) { return s.strip(raw, strip.KeepNulls) }

func (s *Schema) strip(raw []byte, nulls strip.Nulls) ([]byte, error) {
	if s.isMissing() {
		return nil, noSchema()
	}
	stripped, problem := strip.Strip(s.plan(), raw, nulls)
	if problem != nil {
		return nil, problem
	}
	return stripped, nil
}
