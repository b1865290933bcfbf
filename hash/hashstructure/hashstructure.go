package hashstructure

import (
	"strconv"

	"github.com/mitchellh/hashstructure/v2"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Sum is what hashstructure returns for the immutable half of a configuration. It says nothing without the Options that it was made
// with.
type Sum uint64

// String returns the sum in decimal digits, as Karpenter writes it into annotations.
func (s Sum) String() string { return strconv.FormatUint(uint64(s), 10) }

// Of hashes the immutable half of config, as [hashstructure.Hash] does when it is given a pointer to [Half]. Nil is the empty
// configuration.
//
//   - Changing only Hot and Ignored parts never changes the sum.
//   - The reverse does not hold: immutable changes can go unnoticed. Package hash does not have this weakness.
//   - The methods Hash, HashInclude and HashIncludeMap of types in the configuration are used, and String where the options or the
//     struct tag say so. They are called twice, and not protected against recursing without end.
//
// What hashstructure cannot hash, or would not survive, is an error: all problems that were found, joined.
func Of[T any](s *hotupdate.Schema, config *T, options Options) (Sum, error) {
	half, err := Half(s, config)
	if err != nil {
		return 0, err
	}
	if err := check(half, options); err != nil {
		return 0, err
	}
	return sum(half, options)
}

// sum calls hashstructure. It was checked before that the walk ends; what still fails is a hasher or a method, which may panic.
func sum(half any, options Options) (_ Sum, err error) {
	defer func() {
		if recover() != nil {
			problem := methodFailed(nil)
			err = &problem
		}
	}()
	format, err := options.format()
	if err != nil {
		return 0, err
	}
	fresh, err := options.fresh()
	if err != nil {
		return 0, err
	}
	result, err := hashstructure.Hash(half, format, fresh)
	if err != nil {
		problem := methodFailed(err)
		return 0, &problem
	}
	return Sum(result), nil
}
