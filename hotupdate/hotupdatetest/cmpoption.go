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

// IgnoreHot makes cmp compare configurations of type C, wherever they occur, by their hashed parts:
// two of them are equal exactly if they have the same hash. Differences in Hot and Ignored parts,
// in spelling (1Gi and 1024Mi) and in presence (an empty object and an absent one) do not count.
//
//	if diff := cmp.Diff(want, got, hotupdatetest.IgnoreHot[v1alpha1.WorkerConfig]()); diff != "" {
//
// For two configurations that differ, cmp lists the differences of their canonical documents, by
// the fields' JSON names. Values of a type without a Schema equal nothing, and the difference says
// why. Nor does a configuration that cannot be hashed. Cmp shows the values that differ and does
// not know the option sensitive: compare no real secrets.
func IgnoreHot[C any](options ...Option) cmp.Option {
	return comparing[C](options, "Hashed", isHashed,
		func(s *subject, v reflect.Value) ([]byte, error) { return s.document(v) })
}

// IgnoreImmutable makes cmp compare configurations of type C by their Hot and Ignored parts: two of
// them are equal exactly if [hotupdate.Schema.Diff] lists no Hot and no Ignored change. Otherwise
// it is like [IgnoreHot].
func IgnoreImmutable[C any](options ...Option) cmp.Option {
	isSeen := func(c hotupdate.Change) bool { return !isHashed(c) }
	return comparing[C](options, "NotHashed", isSeen, func(s *subject, v reflect.Value) ([]byte, error) {
		_, notHashed, err := engine.Split(s.plan, v)
		return canonical(notHashed.Interface()), err
	})
}

// failure takes the place of a configuration that cannot be compared.
type failure struct{ Error string }

// Equal is always false.
func (failure) Equal(failure) bool { return false }

// comparing makes cmp compare configurations by their documents if Diff lists a change that isSeen
// accepts; otherwise they are equal.
func comparing[C any](
	options []Option, name string, isSeen func(hotupdate.Change) bool,
	document func(s *subject, v reflect.Value) ([]byte, error),
) cmp.Option {
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

// decoded decodes canonical JSON for cmp to list.
func decoded(text []byte) (tree any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return failure{err.Error()}
	}
	return tree
}
