// Package hashstructure reproduces the sums of github.com/mitchellh/hashstructure/v2 over the
// immutable projection of a provider config, for fleets that are named by such sums today. All
// others use package hash: hashstructure misses some changes, changes its sums without a change of
// meaning, and has been archived since 2024.
//
// [Of] returns what [hashstructure.Hash] returns for the projection with the same [Options]. Where
// nothing hot is set, this is the sum of the configuration itself, with the exceptions below.
// [Karpenter] returns the options of Karpenter's NodePool and node classes. Changing only Hot and
// Ignored parts never changes a sum.
//
// # The projection
//
// [Projection] returns the value that is hashed: the immutable part of [hotupdate.Split], without
// the empty values that are in it only because of hot parts.
//
// It differs from the configuration without its hot parts as follows:
//   - Exported fields that are not in JSON (json:"-", or dropped by a name conflict) are zero.
//   - Values that are left empty are nil by the rules of [Projection], so the first hot part in
//     them changes nothing.
//   - Types that marshal themselves are copied by their own methods, and are hashed as these return
//     them.
//   - A pointer to a nil pointer is nil.
//
// Nothing else is normalised. The presence rules of package hash do not apply, nor do its rules for
// leaves and order:
//   - The options decide whether nil equals empty, a pointer to zero, or an object with nothing
//     set: see the example NilAndZero.
//   - default=TEXT is not applied: an explicit default differs from an omitted field.
//   - set and key=NAME do not sort: the order counts, unless hashstructure's own struct tag or
//     SlicesAsSets says otherwise.
//   - TypeMeta of the root is hashed.
//
// # Struct tags
//
// hashstructure reads separate struct tags, such as hash:"set". They work as usual, beside the tags
// of this library: a field with hash:"ignore" is not hashed, whatever its class.
//
// # Weaknesses
//
// Each weakness has an example named after it, which also shows what package hash returns for the
// same configurations.
//
// Changes that are missed:
//   - Sets: elements with the same beginning cancel out. RepeatedElements: so do two equal
//     elements. SwappedFields: in format v1, elements of a set can swap fields.
//   - NestedLists and Bytes: under SlicesAsSets the boundaries of lists in lists, and the order of
//     bytes, are lost.
//   - Quantities: of a [resource.Quantity] only the kind of its suffix is hashed, not the value.
//   - Embedded: an embedded struct of an unexported type is not hashed, though it is in JSON.
//   - NilAndZero: without options a nil pointer to an int, or to a number of 64 bits, is 0; with
//     ZeroNil every nil pointer is zero, but not in fields if IgnoreZeroValue is also set.
//   - UnknownWords: hash:"sett" is accepted and has no effect.
//
// Sums that change without a change of meaning:
//   - QuantityText: under hash:"string" the spelling of a quantity counts, except of 1Gi and 1024Mi.
//   - Times: the zone counts. RawJSON: so does spelling, unless SlicesAsSets hides it.
//   - Refactoring: a Go name or the width of an integer changes every sum, and so does the order of
//     fields in format v2.
//   - NewField: so does a field that is never set, unless IgnoreZeroValue is set. APIVersion: so
//     does a new API version.
//
// Crashes of hashstructure are errors here: a Cycle; with ZeroNil but not IgnoreZeroValue every
// value of a type that points to itself; and a method String, Hash, HashInclude or HashIncludeMap
// that panics, such as String of a nil *metav1.Time under UseStringer.
//
// hashstructure keeps its state in its HashOptions: goroutines that share them get wrong sums
// without an error. Options are values, and every call makes new HashOptions from them.
//
// # Stability
//
// Sums equal the sums of hashstructure v2.0.2 forever. Codes and paths of errors are stable, texts are
// not.
package hashstructure
