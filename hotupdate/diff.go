package hotupdate

import (
	"bytes"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// Diff lists how updated differs from old, leaf by leaf. Each is a value of the Schema's type or a
// pointer to one; nil is the empty configuration.
//
//   - Values with the same meaning do not differ: 1Gi and 1024Mi, an omitted field and its declared
//     default, an empty object and an absent one, another order of a set or keyed list.
//   - Elements of keyed lists and maps are paired by key, elements of sets by value, others by
//     position. If a list repeats a key, the elements with this key are paired in order, separately
//     for each class, see hash/FORMAT.md. If neither list repeats the key, the two elements are
//     paired regardless of their class.
//   - An added or removed element is listed by its leaves. The element itself is listed if its
//     class is stricter than the class of every leaf.
//   - An entry of a map has the class of its key, if the key has one.
//   - Hot and Ignored values need not be hashable: a quantity with more digits than can be hashed,
//     or a time outside the years of RFC 3339, is compared by its exact value, and a json.Number
//     beyond the bounds by its spelling. So any two configurations that can be hashed can be
//     compared.
//   - Where the two sides disagree on the class, for instance because hotwhen holds on one side
//     only, the stricter one counts.
//
// The result contains an Immutable or InPlace change exactly if the hashes of old and updated
// differ.
func (s *Schema) Diff(old, updated any) (Changes, error) {
	return s.changes(s.values(old, updated))
}

// changes compares two configurations that have been read without an error.
func (s *Schema) changes(before, after reflect.Value, err error) (Changes, error) {
	if err != nil {
		return nil, err
	}
	found, err := engine.Diff(s.plan(), before, after)
	if err != nil {
		return nil, err
	}
	return publicChanges(found), nil
}

func publicChanges(found []engine.Difference) Changes {
	changes := make(Changes, len(found))
	for i, c := range found {
		changes[i] = publicChange(c)
	}
	return changes
}

// DiffRaw is [Schema.Diff] for raw JSON, read as by [Schema.Decode].
//
// Equal bytes are no change, whether they are JSON or not: they are not decoded.
func (s *Schema) DiffRaw(old, updated []byte) (Changes, error) {
	if !s.isMissing() && bytes.Equal(old, updated) {
		return Changes{}, nil
	}
	if !s.isMissing() {
		if found, ok := engine.DiffRaw(s.plan(), old, updated); ok {
			return publicChanges(found), nil
		}
	}
	before, err := s.read(old)
	after, updatedErr := s.read(updated)
	if err == nil {
		err = updatedErr
	}
	return s.changes(before, after, err)
}

// values checks two configurations.
func (s *Schema) values(old, updated any) (before, after reflect.Value, err error) {
	before, err = s.value(old)
	after, updatedErr := s.value(updated)
	if err == nil {
		err = updatedErr
	}
	return before, after, err
}
