package hashstructure

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Projection returns the value that [Of] hashes: the immutable part of [hotupdate.Split], without
// the empty values that are in it only because of hot parts. It shares no memory with config.
//
//   - A pointer to an object is nil if the object has hot or ignored fields and no other field of
//     it is set, unless the pointer's field says presence.
//   - An element of a hot or ignored keyed list or map is left out if nothing in it is hashed. So
//     is an element for which hotwhen holds.
//   - A list or map with hot or ignored parts in its elements is nil if it has no elements.
//
// Everything else is as in config: nothing is defaulted, sorted or rewritten.
func Projection[T any](s *hotupdate.Schema, config *T) (*T, error) {
	if _, _, err := hotupdate.Split(s, config); err != nil {
		return nil, err
	}
	projection, err := engine.Project((*schemabridge.Schema)(s).Plan(), reflect.ValueOf(config))
	if err != nil {
		return nil, err
	}
	return engine.PointerTo[T](projection), nil
}
