package hotupdate

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// SchemaOfType is [SchemaOf] for types that are made at run time.
func SchemaOfType(t reflect.Type, options ...Option) (*Schema, error) {
	return schemaOf(fieldplan.Compile(t, overridesIn(options), rawjson.ReadPart))
}

// SchemaOnce is [SchemaOfType] for one of many types. It is not kept for the life of the process.
func SchemaOnce(t reflect.Type) (*Schema, error) {
	return schemaOf(fieldplan.Build(t, nil, rawjson.ReadPart))
}

// SplitAny is [Split] for values whose type is made at run time. The halves are pointers to the Schema's type.
func (s *Schema) SplitAny(config any) (immutable, hot any, err error) {
	v, err := s.value(config)
	if err != nil {
		return nil, nil, err
	}
	kept, rest, err := engine.Split(s.plan(), v)
	if err != nil {
		return nil, nil, err
	}
	return kept.Interface(), rest.Interface(), nil
}

// Merge joins an immutable and a hot half, the inverse of [Split].
func Merge[T any](s *Schema, immutable, hot *T) (*T, error) {
	kept, rest, err := s.values(immutable, hot)
	if err != nil {
		return nil, err
	}
	merged, err := engine.Merge(s.plan(), kept, rest)
	if err != nil {
		return nil, err
	}
	return engine.PointerTo[T](merged), nil
}

// MergeAny is [Merge] for values whose type is made at run time. The result is a pointer to the Schema's type.
func (s *Schema) MergeAny(immutable, hot any) (any, error) {
	kept, err := s.value(immutable)
	if err != nil {
		return nil, err
	}
	rest, err := s.value(hot)
	if err != nil {
		return nil, err
	}
	merged, err := engine.Merge(s.plan(), kept, rest)
	if err != nil {
		return nil, err
	}
	return merged.Interface(), nil
}

// Transcribes reports whether raw JSON is written without a Go value.
func (s *Schema) Transcribes(raw []byte) bool {
	_, ok := engine.Of(s.plan()).AppendRaw(nil, raw)
	return ok
}

// MayRefuse reports whether Forbidden describes a configuration in JSON, like [Finding.MayRoll].
func (f Finding) MayRefuse(raw []byte) bool { return f.found.Meets(f.found.Forbidden, raw) }
