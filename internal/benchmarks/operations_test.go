package benchmarks_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/r3labs/diff/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/wI2L/jsondiff"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// operations are what is measured, by the names of their benchmarks.
var operations = []struct {
	name string
	ways func(s *subject) []way
}{
	{"hash", (*subject).hash},
	{"hash-raw", (*subject).hashRaw},
	{"diff-same", (*subject).diffSame},
	{"diff-one-tag", (*subject).diffTag},
	{"diff-raw-spelling", (*subject).diffRawSpelling}, // the same JSON with other white space
	{"diff-raw-one-tag", (*subject).diffRawTag},
	{"strip-raw", (*subject).stripRaw},
	{"compile", (*subject).compile},
}

// way is one implementation of an operation. All ways get the same values and are prepared before they are measured.
type way struct {
	name string
	run  func() error // an error is a wrong answer
}

const (
	library = "library" // first in each operation: benchstat compares the others with it
	byHand  = "by-hand" // for this type alone
)

// BenchmarkOperations compares the library with code that is written by hand and with other libraries.
func BenchmarkOperations(b *testing.B) {
	for _, operation := range operations {
		for _, size := range fixture.Sizes() {
			for _, w := range operation.ways(newSubject(b, size)) {
				b.Run("op="+operation.name+"/size="+size.Name+"/by="+w.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := w.run(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// TestAnswers: every way gives the right answer.
func TestAnswers(t *testing.T) {
	for _, operation := range operations {
		for _, size := range fixture.Sizes()[:2] {
			for _, w := range operation.ways(newSubject(t, size)) {
				assert.NoError(t, w.run(), "%s: %s: %s", operation.name, size.Name, w.name)
			}
		}
	}
}

// subject is a config in all the forms that are measured.
type subject struct {
	schema  *hotupdate.Schema
	config  *fixture.WorkerConfig
	same    *fixture.WorkerConfig // in other memory
	tagged  *fixture.WorkerConfig // with one changed tag
	bare    *fixture.WorkerConfig // without what is hot
	raw     []byte
	spelled []byte // the same, with other white space
	rawTag  []byte // with one changed tag
}

func newSubject(t require.TestingT, size fixture.Size) *subject {
	schema, err := hotupdate.SchemaOf[fixture.WorkerConfig]()
	require.NoError(t, err)
	raw, err := json.Marshal(size.New())
	require.NoError(t, err)
	decoded := func() *fixture.WorkerConfig { // decoded, so that two configs share no text
		c := &fixture.WorkerConfig{}
		require.NoError(t, json.Unmarshal(raw, c))
		return c
	}
	s := &subject{schema: schema, raw: raw, config: decoded(), same: decoded(), tagged: decoded(), bare: decoded()}
	s.tagged.Tags.VM["vm.example.com/key-00"] = "changed"
	s.bare.Tags = nil
	s.rawTag, err = json.Marshal(s.tagged)
	require.NoError(t, err)
	s.spelled, err = json.MarshalIndent(s.config, "", "  ")
	require.NoError(t, err)
	return s
}

func (s *subject) hash() []way {
	return append([]way{
		{library, func() error { _, err := s.schema.Hash(s.config); return err }},
		{byHand, func() error { _, err := limit.Sum(s.config); return err }},
	}, hashPeers(s.bare)...)
}

func (s *subject) hashRaw() []way {
	return append([]way{
		{library, func() error { _, err := s.schema.HashRaw(s.raw); return err }},
		{byHand, func() error { _, err := limit.SumRaw(s.raw); return err }},
	}, hashRawPeers(s.raw)...)
}

func (s *subject) stripRaw() []way {
	return []way{{library, func() error { _, err := s.schema.StripRaw(s.raw); return err }}}
}

func (s *subject) compile() []way {
	return []way{{library, func() error {
		_, err := fieldplan.Build(reflect.TypeFor[fixture.WorkerConfig](), nil, rawjson.ReadPart)
		return err
	}}}
}

func (s *subject) diffSame() []way { return s.diffs(s.same, 0) }

func (s *subject) diffTag() []way { return s.diffs(s.tagged, 1) }

func (s *subject) diffs(updated *fixture.WorkerConfig, want int) []way {
	return []way{
		{library, func() error {
			changes, err := s.schema.Diff(s.config, updated)
			return errors.Join(err, isRight(len(changes) == want))
		}},
		{"go-cmp", func() error { return isRight((cmp.Diff(s.config, updated) == "") == (want == 0)) }},
		{"r3labs-diff", func() error {
			changes, err := diff.Diff(s.config, updated)
			return errors.Join(err, isRight(len(changes) == want))
		}},
		{"jsondiff", func() error {
			patch, err := jsondiff.Compare(s.config, updated)
			return errors.Join(err, isRight(len(patch) == want))
		}},
	}
}

func (s *subject) diffRawSpelling() []way { return s.rawDiffs(s.spelled, 0) }

func (s *subject) diffRawTag() []way { return s.rawDiffs(s.rawTag, 1) }

func (s *subject) rawDiffs(updated []byte, want int) []way {
	return []way{
		{library, func() error {
			changes, err := s.schema.DiffRaw(s.raw, updated)
			return errors.Join(err, isRight(len(changes) == want))
		}},
		{"DeepEqual-of-decoded", func() error {
			var a, b any
			err := errors.Join(json.Unmarshal(s.raw, &a), json.Unmarshal(updated, &b))
			return errors.Join(err, isRight(reflect.DeepEqual(a, b) == (want == 0)))
		}},
		{"jsondiff", func() error {
			patch, err := jsondiff.CompareJSON(s.raw, updated)
			return errors.Join(err, isRight(len(patch) == want))
		}},
	}
}

var errWrong = errors.New("the changes are not those that were made")

// isRight turns the answer of a comparison into an error.
func isRight(yes bool) error {
	if yes {
		return nil
	}
	return errWrong
}
