package leaf_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// box is a configuration with one field, for tables about leaves.
type box[V any] struct {
	V V `json:"v,omitzero"`
}

func q(s string) resource.Quantity { return resource.MustParse(s) }

// negativeZero is -0, which Go has no literal for.
var negativeZero = math.Copysign(0, -1)

// row has values of one type, and their common document or problem.
type row struct {
	at, name     string
	want, reason string
	problems     []problem // instead of want
	values       []any
	schema       func() (*hotupdate.Schema, error)
}

// problem is the stable part of an error.
type problem struct {
	code string
	path string
}

// says returns a row of values with the document want: their meaning is equal.
func says[T any](name, want, reason string, values ...T) row {
	r := row{
		at: caller(), name: name, want: want, reason: reason, schema: func() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[T]() },
	}
	for _, v := range values {
		r.values = append(r.values, v, &v) // by value, so that nothing is addressable, and by pointer
	}
	return r
}

// written returns a row of values of a box; want is the document of the value itself, and empty if it is absent.
func written[V any](name, want, reason string, values ...V) row {
	boxes := make([]box[V], len(values))
	for i, v := range values {
		boxes[i].V = v
	}
	if want != "" {
		want = `"v":` + want
	}
	r := says(name, `{`+want+`}`, reason, boxes...)
	r.at = caller()
	return r
}

// fails returns a row with a value that has no document.
func fails[T any](name string, code string, path, reason string, value T) row {
	r := says(name, "", reason, value)
	r.at = caller()
	r.problems = []problem{{code, path}}
	return r
}

// refused returns a row with a box whose value has no document.
func refused[V any](name string, code string, path, reason string, value V) row {
	r := fails(name, code, path, reason, box[V]{value})
	r.at = caller()
	return r
}

// caller is the place of a row in the table.
func caller() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

func run(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s, err := r.schema()
			require.NoError(t, err, r.at)
			for i, v := range r.values {
				where := fmt.Sprintf("%s: value %d as %T: %s", r.at, i/2, v, r.reason)
				if r.problems != nil {
					assertProblems(t, s, v, r.problems, where)
				} else {
					assertDocument(t, s, v, r.want, where)
				}
			}
		})
	}
}

// assertDocument compares the document and, computed apart from the package, its digest.
func assertDocument(t *testing.T, s *hotupdate.Schema, v any, want, where string) {
	t.Helper()
	got, err := s.Document(v)
	require.NoError(t, err, where)
	assert.Equal(t, want, string(got), where)
	sum, err := s.Hash(v)
	require.NoError(t, err, where)
	digest := sha256.Sum256([]byte(want))
	assert.Equal(t, "v1:"+hex.EncodeToString(digest[:]), sum.String(), where)
}

func assertProblems(t *testing.T, s *hotupdate.Schema, v any, want []problem, where string) {
	t.Helper()
	doc, err := s.Document(v)
	assert.Empty(t, doc, where)
	assert.Equal(t, want, problems(err), "%s: %v", where, err)
	sum, err := s.Hash(v)
	assert.Zero(t, sum, where)
	assert.Equal(t, want, problems(err), "%s: %v", where, err)
}

func problems(err error) []problem {
	var all []problem
	for _, e := range fault.All(err) {
		all = append(all, problem{e.Code, e.Path})
	}
	return all
}
