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

// sum calls hashstructure. It was checked before that the walk ends; what still fails is a hasher or a method, which may panic.
func sum(projection any, options Options) (_ Sum, err error) {
	defer func() {
		if recover() != nil {
			err = notHashable(nil)
		}
	}()
	fresh, err := options.fresh()
	if err != nil {
		return 0, err
	}
	result, err := hashstructure.Hash(projection, options.format(), fresh)
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
