package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/engine"
)

// IgnoreHot lets cmp compare configurations of type C, wherever they stand, by what is hashed: two of them are equal exactly if they have
// one hash. Differences in Hot and Ignored parts, in spelling (1Gi and 1024Mi) and in presence (an empty object and none) do not count.
//
//	if diff := cmp.Diff(want, got, hotupdatetest.IgnoreHot[v1alpha1.WorkerConfig]()); diff != "" {
//
// Where two configurations differ, cmp lists the differences of their canonical documents, with the names that fields have in JSON. A type
// without a Schema equals nothing, and the difference says why; a configuration that cannot be hashed equals nothing either. What differs
// is shown by cmp, which does not know the option sensitive: compare no real secrets.
func IgnoreHot[C any](options ...Option) cmp.Option {
	return comparing[C](options, "Hashed", isHashed, func(s *subject, v reflect.Value) ([]byte, error) { return s.document(v) })
}

// IgnoreImmutable lets cmp compare configurations of type C by their Hot and Ignored parts: two of them are equal exactly if
// [hotupdate.Schema.Diff] lists no Hot and no Ignored change. For all else see [IgnoreHot].
func IgnoreImmutable[C any](options ...Option) cmp.Option {
	isSeen := func(c hotupdate.Change) bool { return !isHashed(c) }
	return comparing[C](options, "NotHashed", isSeen, func(s *subject, v reflect.Value) ([]byte, error) {
		_, notHashed, err := engine.Split(s.plan, v)
		return canonical(notHashed.Interface()), err
	})
}

// failure stands for a configuration that cannot be compared.
type failure struct{ Error string }

// Equal is false: nothing can be said.
func (failure) Equal(failure) bool { return false }

// comparing lets cmp compare configurations by a document of them, unless Diff lists no change that is seen.
func comparing[C any](options []Option, name string, isSeen func(hotupdate.Change) bool, document func(s *subject, v reflect.Value) ([]byte, error)) cmp.Option {
	s, err := subjectOf[C](options)
	same := func(a, b any) bool {
		if err != nil {
			return false
		}
		changes, err := s.schema.Diff(a, b)
		return err == nil && !slices.ContainsFunc(changes, isSeen)
	}
	show := func(c *C) any {
		if err != nil {
			return failure{err.Error()}
		}
		text, err := document(s, reflect.ValueOf(c))
		if err != nil {
			return failure{err.Error()}
		}
		return decoded(text)
	}
	return cmp.Options{
		cmp.FilterValues(func(a, b C) bool { return same(a, b) }, cmp.Ignore()),
		cmp.FilterValues(func(a, b *C) bool { return same(a, b) }, cmp.Ignore()),
		cmp.Transformer(name, func(c C) any { return show(&c) }),
		cmp.Transformer(name, show),
	}
}

// decoded is canonical JSON as cmp lists it.
func decoded(text []byte) (tree any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return failure{err.Error()}
	}
	return tree
}
