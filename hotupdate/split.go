package hotupdate

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// Split copies config into two halves. The immutable half holds the Immutable and InPlace fields, which are what is hashed; the hot
// half holds the Hot and Ignored ones. Nil is the empty configuration.
//
//   - Lists, arrays and maps with something of both halves have the same elements in both, so that [Merge] can pair them. The fields by
//     which elements are found (key=) or selected (hotwhen=) stand in both halves.
//   - What is nil, and what is empty, stays so in the half that holds it. An object with something of both halves stands in both.
//   - TypeMeta stands in both. Fields that are not in JSON are left out.
//   - The halves share no memory with config. A type that marshals itself and cannot be copied is an error.
func Split[T any](s *Schema, config *T) (immutable, hot *T, err error) {
	v, err := s.value(config)
	if err != nil {
		return nil, nil, err
	}
	kept, rest, err := engine.Split(s.plan, v)
	if err != nil {
		return nil, nil, err
	}
	return behind[T](kept), behind[T](rest), nil
}

// Merge puts an immutable and a hot half together. Merging what [Split] returned gives a configuration that equals the original in JSON;
// merging the immutable half of one configuration with the hot half of another gives what a hot update leads to. Where a collection
// holds something of both halves, its elements must be the same in both.
func Merge[T any](s *Schema, immutable, hot *T) (*T, error) {
	kept, err := s.value(immutable)
	if err != nil {
		return nil, err
	}
	rest, err := s.value(hot)
	if err != nil {
		return nil, err
	}
	merged, err := engine.Merge(s.plan, kept, rest)
	if err != nil {
		return nil, err
	}
	return behind[T](merged), nil
}

// behind turns a pointer to the Schema's type into a pointer to T, which may have further pointers.
func behind[T any](v reflect.Value) *T {
	for v.Type() != reflect.TypeFor[*T]() {
		pointer := reflect.New(v.Type())
		pointer.Elem().Set(v)
		v = pointer
	}
	return v.Interface().(*T)
}

// SplitRaw is [Split] for raw JSON, read as by [Schema.Decode]. The halves are JSON as well, with members and map keys in a fixed order; what
// says nothing, such as null and 0 in a field that is no pointer, is left out.
func (s *Schema) SplitRaw(raw []byte) (immutable, hot []byte, err error) {
	config, err := s.read(raw)
	if err != nil {
		return nil, nil, err
	}
	kept, rest, err := engine.Split(s.plan, reflect.ValueOf(config))
	if err != nil {
		return nil, nil, err
	}
	if immutable, err = engine.Encode(s.plan, kept); err != nil {
		return nil, nil, err
	}
	if hot, err = engine.Encode(s.plan, rest); err != nil {
		return nil, nil, err
	}
	return immutable, hot, nil
}

// MergeRaw is [Merge] for the halves of [Schema.SplitRaw]. The result means what the configuration that was split means: [Schema.DiffRaw] lists no
// change.
func (s *Schema) MergeRaw(immutable, hot []byte) ([]byte, error) {
	kept, rest, err := s.decodeBoth(immutable, hot)
	if err != nil {
		return nil, err
	}
	merged, err := engine.Merge(s.plan, reflect.ValueOf(kept), reflect.ValueOf(rest))
	if err != nil {
		return nil, err
	}
	return engine.Encode(s.plan, merged)
}
