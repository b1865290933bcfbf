package hashstructure

import (
	"reflect"

	"github.com/mitchellh/hashstructure/v2"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Of hashes the immutable projection of config, as [hashstructure.Hash] hashes the result of
// [Projection]. Nil is the empty configuration. Other Options give other sums. Karpenter writes the
// sum into annotations in decimal digits.
//
//   - Changing only Hot and Ignored parts never changes the sum.
//   - The reverse does not hold: immutable changes can go unnoticed. Package hash does not have
//     this weakness.
//   - The methods Hash, HashInclude and HashIncludeMap of types in the configuration are used, and
//     String where the options or the struct tag say so. They are not protected against infinite
//     recursion.
//
// A value that hashstructure cannot hash is one error with its cause. Values that would crash it
// are found first, with an error for each field.
func Of[T any](s *hotupdate.Schema, config *T, options Options) (uint64, error) {
	projection, err := Projection(s, config)
	if err != nil {
		return 0, err
	}
	if err := check(reflect.ValueOf(projection), options); err != nil {
		return 0, err
	}
	return options.sum(projection)
}

// sum calls hashstructure, after check has made sure that its walk ends. Only a method can still
// fail, and it may panic. Each call makes new HashOptions, because hashstructure keeps state in
// them.
func (o Options) sum(projection any) (result uint64, err error) {
	defer func() {
		if recover() != nil {
			err = notHashable(nil)
		}
	}()
	format := hashstructure.FormatV2
	if o.FormatV1 {
		format = hashstructure.FormatV1
	}
	result, err = hashstructure.Hash(projection, format, &hashstructure.HashOptions{
		ZeroNil: o.ZeroNil, IgnoreZeroValue: o.IgnoreZeroValue, SlicesAsSets: o.SlicesAsSets,
		UseStringer: o.UseStringer,
	})
	if err != nil {
		return 0, notHashable(err)
	}
	return result, nil
}

func notHashable(cause error) error {
	return &fault.Error{
		Kind: fault.Failed, Code: "not-hashable",
		What: "the configuration holds what hashstructure cannot hash, or has a method that fails",
		Hint: "use types that JSON can carry; the cause names what JSON refuses", Cause: cause,
	}
}

// Options are the fields of [hashstructure.HashOptions] and the format; the hasher and the struct tag
// are hashstructure's own. Options are values, so any number of goroutines may share one. Different
// Options give different sums, in general.
type Options struct {
	// FormatV1 selects [hashstructure.FormatV1] in place of FormatV2. FormatV1 misses fields that
	// two elements of a set swap. Their sums differ.
	FormatV1 bool
	// ZeroNil hashes a nil pointer as the zero value of its element type. Without ZeroNil, nil is
	// the integer 0.
	ZeroNil bool
	// IgnoreZeroValue leaves out fields with Go's zero value, before ZeroNil applies. Pointers to
	// zero and empty slices are not zero values.
	IgnoreZeroValue bool
	// SlicesAsSets hashes every slice, and so every []byte and every JSON text, as if its order had
	// no meaning.
	SlicesAsSets bool
	// UseStringer hashes the text of every field that is a [fmt.Stringer].
	UseStringer bool
}

// Karpenter returns the options by which Karpenter hashes the spec of a NodePool or of a cloud's
// node class.
func Karpenter() Options {
	return Options{ZeroNil: true, IgnoreZeroValue: true, SlicesAsSets: true}
}
