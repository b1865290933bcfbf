package hotupdate

import "github.com/hotupdate/providerconfig/internal/engine"

// Split copies config into two projections. The immutable half holds the Immutable and InPlace
// fields, which the hash covers; the hot half holds the Hot and Ignored fields. Nil is the empty
// configuration.
//
//   - A list, array or map with fields of both halves has the same elements in both, so that
//     [Merge] can pair them. The fields that identify elements (key=) or select them (hotwhen=) are
//     in both halves. In a map with classes of single keys, an entry without fields of the other
//     half is in one half only.
//   - Nil stays nil, and empty stays empty. An object with fields of both halves is in both.
//   - TypeMeta is in both. Fields that are not in JSON are left out.
//   - The halves share no memory with config. Errors are a type that marshals itself and cannot be
//     copied, a map key without a text, and two keys with the same text.
func Split[T any](s *Schema, config *T) (immutable, hot *T, err error) {
	v, err := s.value(config)
	if err != nil {
		return nil, nil, err
	}
	immutableHalf, hotHalf, err := engine.Split(s.plan(), v)
	if err != nil {
		return nil, nil, err
	}
	return engine.PointerTo[T](immutableHalf), engine.PointerTo[T](hotHalf), nil
}

// Merge joins an immutable and a hot half. Merging the result of [Split] gives a configuration that
// equals the original in JSON. Merging the immutable half of one configuration with the hot half of
// another gives the result of a hot update. Where a collection has fields of both halves, its
// elements must be the same in both, apart from entries of a map that belong to one half. Elements of
// one key are paired in the order in which they are given. So they need one order in both
// configurations, also if their classes differ.
func Merge[T any](s *Schema, immutable, hot *T) (*T, error) {
	immutableHalf, hotHalf, err := s.values(immutable, hot)
	if err != nil {
		return nil, err
	}
	merged, err := engine.Merge(s.plan(), immutableHalf, hotHalf)
	if err != nil {
		return nil, err
	}
	return engine.PointerTo[T](merged), nil
}
