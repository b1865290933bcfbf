package hashstructure

import (
	"reflect"
	"strconv"

	"github.com/mitchellh/hashstructure/v2"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Sum is what hashstructure returns for the immutable projection of a configuration under some Options. Sums of other Options differ.
type Sum uint64

// String returns the sum in decimal digits, as Karpenter writes it into annotations.
func (s Sum) String() string { return strconv.FormatUint(uint64(s), 10) }

// Of hashes the immutable projection of config, as [hashstructure.Hash] does when it is given a pointer to [Projection]. Nil is the empty
// configuration.
//
//   - Changing only Hot and Ignored parts never changes the sum.
//   - The reverse does not hold: immutable changes can go unnoticed. Package hash does not have this weakness.
//   - The methods Hash, HashInclude and HashIncludeMap of types in the configuration are used, and String where the options or the
//     struct tag say so. They are not protected against recursing without end.
//
// What hashstructure cannot hash is one error with its cause. What it would not survive is an error before, one for each field of the
// configuration.
func Of[T any](s *hotupdate.Schema, config *T, options Options) (Sum, error) {
	projection, err := Projection(s, config)
	if err != nil {
		return 0, err
	}
	if err := check(reflect.ValueOf(projection), options); err != nil {
		return 0, err
	}
	return sum(projection, options)
}

// sum calls hashstructure. It was checked before that the walk ends; what still fails is a method, which may panic.
func sum(projection any, options Options) (_ Sum, err error) {
	defer func() {
		if recover() != nil {
			err = notHashable(nil)
		}
	}()
	result, err := options.hash(projection)
	if err != nil {
		return 0, notHashable(err)
	}
	return Sum(result), nil
}

func notHashable(cause error) error {
	return &fault.Error{
		Kind: fault.Failed, Code: "not-hashable", What: "the configuration holds what hashstructure cannot hash, or has a method that fails",
		Hint: "look at the cause, and use types that JSON can carry", Cause: cause,
	}
}

// Options are those of [hashstructure.HashOptions], with the format among them, and with hashstructure's own hasher and struct tag. They are
// values: one may serve any number of goroutines. Two Options that differ give different sums, in general.
type Options struct {
	// FormatV1 asks for [hashstructure.FormatV1], which misses fields that two elements of a set swap, in place of FormatV2. Their sums differ.
	FormatV1 bool
	// ZeroNil hashes a nil pointer as the zero value that it could point to. Without it nil is the integer 0.
	ZeroNil bool
	// IgnoreZeroValue leaves out fields with Go's zero value before ZeroNil applies. Pointers to zero and empty slices are not zero.
	IgnoreZeroValue bool
	// SlicesAsSets hashes every slice, and so every []byte and every JSON text, as if its order had no meaning.
	SlicesAsSets bool
	// UseStringer hashes the text of every field that is a [fmt.Stringer].
	UseStringer bool
}

// Karpenter returns the options by which Karpenter hashes the spec of a NodePool or of a cloud's node class.
func Karpenter() Options {
	return Options{ZeroNil: true, IgnoreZeroValue: true, SlicesAsSets: true}
}

// hash calls hashstructure, with options of its own for each call, as hashstructure keeps its state in them.
func (o Options) hash(v any) (uint64, error) {
	format := hashstructure.FormatV2
	if o.FormatV1 {
		format = hashstructure.FormatV1
	}
	return hashstructure.Hash(v, format, &hashstructure.HashOptions{
		ZeroNil: o.ZeroNil, IgnoreZeroValue: o.IgnoreZeroValue, SlicesAsSets: o.SlicesAsSets, UseStringer: o.UseStringer,
	})
}
