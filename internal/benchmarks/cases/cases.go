// Package cases has what is measured: each operation of the library beside the code that a developer
// would write by hand for the type, and beside what else there is.
//
// It owns what is fair: every function gets the same values, checks its answer while it is
// measured, and is set up before. It must not know how time is taken or shown.
package cases

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/r3labs/diff/v3"
	"github.com/wI2L/jsondiff"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// Library is the name of the library's own case in every group.
const Library = "this library"

// Limit is the name of the case that is written by hand.
const Limit = "by hand (the limit)"

// Group is one operation.
type Group struct {
	Name  string
	Cases []Case
}

// Case is one way to do it.
type Case struct {
	Name string
	Run  func() error // an error is a wrong answer
}

type named = Case

var (
	errDiffers = errors.New("equal values are said to differ")
	errSame    = errors.New("different values are said to be equal")
)

// subject is a configuration in all the forms that are measured.
type subject struct {
	schema  *hotupdate.Schema
	config  *fixture.WorkerConfig
	same    *fixture.WorkerConfig // in other memory
	tagged  *fixture.WorkerConfig // with one changed tag
	bare    *fixture.WorkerConfig // without what is hot
	raw     []byte
	spelled []byte // the same, spelled differently
	rawTag  []byte // with one changed tag
}

func newSubject(size fixture.Size) (*subject, error) {
	s := &subject{config: size.New()}
	var err error
	if s.schema, err = hotupdate.SchemaOf[fixture.WorkerConfig](); err != nil {
		return nil, err
	}
	if s.raw, err = json.Marshal(s.config); err != nil {
		return nil, err
	}
	// decoded, so that no text is shared
	for _, c := range []**fixture.WorkerConfig{&s.config, &s.same, &s.tagged, &s.bare} {
		*c = &fixture.WorkerConfig{}
		if err = json.Unmarshal(s.raw, *c); err != nil {
			return nil, err
		}
	}
	s.tagged.Tags.VM["vm.example.com/key-00"] = "changed"
	s.bare.Tags = nil
	if s.rawTag, err = json.Marshal(s.tagged); err != nil {
		return nil, err
	}
	s.spelled, err = json.MarshalIndent(s.config, "", "  ")
	return s, err
}

// Groups returns the operations on a configuration of this size.
func Groups(size fixture.Size) ([]Group, error) {
	s, err := newSubject(size)
	if err != nil {
		return nil, err
	}
	return []Group{
		{"hash", s.hash()},
		{"diff without a change", s.diffNone()},
		{"diff with one changed tag", s.diffTag()},
		{"hash of raw JSON", s.hashRaw()},
		{"diff of raw JSON, spelled differently", s.rawSpelled()},
		{"diff of raw JSON, with one changed tag", s.rawTagged()},
		{
			"cut of hot members (Legacy)", []Case{
				{Library, func() error { _, err := s.schema.StripRaw(s.raw); return err }},
			},
		},
		{
			"compilation of the Schema", []Case{
				{
					Library, func() error {
						_, err := fieldplan.Build(reflect.TypeFor[fixture.WorkerConfig](), nil, rawjson.ReadPart)
						return err
					},
				},
			},
		},
	}, nil
}

func (s *subject) hash() []Case {
	return append([]Case{
		{Limit, func() error { _, err := limit.Sum(s.config); return err }},
		{Library, func() error { _, err := s.schema.Hash(s.config); return err }},
	}, hashPeers(s.bare)...)
}

// is turns an answer that has to be yes into an error.
func is(yes bool, otherwise error) error { //nolint:revive // it is the answer
	if yes {
		return nil
	}
	return otherwise
}

func (s *subject) diffNone() []Case { return s.diffs(s.same, 0, errDiffers) }

func (s *subject) diffTag() []Case { return s.diffs(s.tagged, 1, errSame) }

func (s *subject) diffs(updated *fixture.WorkerConfig, want int, wrong error) []Case {
	return []Case{
		{Library, func() error {
			changes, err := s.schema.Diff(s.config, updated)
			return errors.Join(err, is(len(changes) == want, wrong))
		}},
		{"go-cmp Diff", func() error { return is((cmp.Diff(s.config, updated) == "") == (want == 0), wrong) }},
		{"r3labs/diff", func() error {
			changes, err := diff.Diff(s.config, updated)
			return errors.Join(err, is(len(changes) == want, wrong))
		}},
		{"wI2L/jsondiff", func() error {
			patch, err := jsondiff.Compare(s.config, updated)
			return errors.Join(err, is(len(patch) == want, wrong))
		}},
	}
}

func (s *subject) hashRaw() []Case {
	return append([]Case{
		{Library, func() error { _, err := s.schema.HashRaw(s.raw); return err }},
	}, hashRawPeers(s.raw)...)
}

func (s *subject) rawSpelled() []Case { return s.rawDiffs(s.spelled, 0, errDiffers) }

func (s *subject) rawTagged() []Case { return s.rawDiffs(s.rawTag, 1, errSame) }

func (s *subject) rawDiffs(updated []byte, want int, wrong error) []Case {
	return []Case{
		{Library, func() error {
			changes, err := s.schema.DiffRaw(s.raw, updated)
			return errors.Join(err, is(len(changes) == want, wrong))
		}},
		{"decode both + reflect.DeepEqual", func() error {
			var a, b any
			err := errors.Join(json.Unmarshal(s.raw, &a), json.Unmarshal(updated, &b))
			return errors.Join(err, is(reflect.DeepEqual(a, b) == (want == 0), wrong))
		}},
		{"wI2L/jsondiff", func() error {
			patch, err := jsondiff.CompareJSON(s.raw, updated)
			return errors.Join(err, is(len(patch) == want, wrong))
		}},
	}
}
