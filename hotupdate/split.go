package hotupdate

import "github.com/hotupdate/providerconfig/internal/engine"

// Split copies config into two projections. The immutable half holds the Immutable and InPlace
// fields, which the hash covers; the hot half holds the Hot and Ignored fields. Nil is the empty
// configuration.
//
//   - A list, array or map with fields of both halves has the same elements in both, in the same
//     order. The fields that identify elements (key=) or select them (hotwhen=) are in both halves.
//     In a map with classes of single keys, an entry without fields of the other half is in one half
//     only.
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
