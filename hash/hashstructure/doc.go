// Package hashstructure reproduces the sums of github.com/mitchellh/hashstructure/v2 over the
// immutable projection of a provider config, for fleets that are named by such sums today. All
// others use package hash: hashstructure misses some changes and reports others that are none, and
// it has been archived since 2024.
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
// hashstructure reads struct tags of its own, such as hash:"set". They work as usual, besides those
// of this library: a field with hash:"ignore" is not hashed, whatever its class.
//
// # Weaknesses
//
// Each has an example, which also shows what package hash makes of the same configurations. Changes
// that are missed:
//   - Sets: elements with the same prefix cancel out, {us-east-1a, us-east-1b} = {eu-west-1a,
//     eu-west-1b}; 105 sets of two zones have 7 sums. The cause is XOR over FNV-1.
//   - RepeatedElements: an element that occurs twice in a set cancels itself out, {sg-1, sg-1} =
//     {sg-2, sg-2} = {}.
//   - SwappedFields: in format v1 the elements of a set can swap fields, {a:1 b:2} = {a:2 b:1}.
//   - NestedLists: under SlicesAsSets the boundaries of lists in lists are lost, [[a b] [c]] = [[a]
//     [b c]].
//   - Bytes: under SlicesAsSets a []byte is a set too, 110 = 101 (karpenter-provider-aws#9461). So
//     is raw JSON, {"iops":12} = {"iops":21}.
//   - Quantities: the value of a [resource.Quantity] is not hashed, 1Gi = 500Gi
//     (karpenter-provider-aws#5447, #5816, karpenter#1080). Only the kind of its suffix is:
//     decimal, binary or exponent.
//   - Embedded: the fields of an embedded struct whose type is unexported are not hashed, though
//     they are in JSON.
//   - NilAndZero: without options a nil pointer to a number of 64 bits, or to an int, is 0; with
//     ZeroNil every nil pointer is zero. IgnoreZeroValue, and so Karpenter, tells the two apart in
//     fields, whether ZeroNil is set or not.
//   - UnknownWords: hash:"sett" is accepted and means nothing.
//
// Sums that change without a change of meaning:
//   - QuantityText: under hash:"string" 1Gi and 1024Mi have one sum, 1Gi and 1073741824 have two.
//     The field has to be a pointer, or there is an error.
//   - Times: the same instant in two zones has two sums; UTC and +00:00 are two zones.
//   - RawJSON: white space and the order of members count, unless SlicesAsSets hides them.
//   - Refactoring: renaming a Go type or field, and another width of an integer, change every sum;
//     so does another order of fields in format v2, but not in v1. The name of a generic type
//     includes the paths of its arguments' packages.
//   - NewField: a field that nobody sets changes every sum, unless IgnoreZeroValue is set.
//   - APIVersion: a new API version changes every sum.
//
// Crashes of hashstructure that are errors here:
//   - Cycle: pointers, slices, maps and interfaces that contain themselves overflow hashstructure's
//     stack, or make it loop.
//   - With ZeroNil but not IgnoreZeroValue, so does every value of a type that points to itself,
//     cycle or not.
//   - A method String, Hash, HashInclude or HashIncludeMap that panics, such as String of a nil
//     *metav1.Time under UseStringer.
//
// hashstructure keeps its state in its HashOptions: goroutines that share them get wrong sums
// without an error. Options are values, and every call makes new HashOptions from them.
//
// # Stability
//
// Sums are those of hashstructure v2.0.2 forever. Codes and paths of errors are stable, texts are
// not.
package hashstructure
