package hotupdate_test

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestRawErrors: all that reads raw JSON reports the same problems, with their paths, and shows no value.
func TestRawErrors(t *testing.T) {
	s := schemaFor[vault](t)
	raw := []byte(`{"text":1,"Text":"a","keys":{"keyhunter2":{"a":"hunter2"}},"list":[{"name":"hunter2","name":"hunter2"}],"safe":"hunter2"}`)
	want := []problem{
		valueProblem("wrong-json-type", "text"), valueProblem("unknown-member", "Text"),
		valueProblem("wrong-json-type", "keys[(sensitive)]"), valueProblem("duplicate-member", "list[0].name"),
		valueProblem("wrong-json-type", "safe"),
	}
	_, err := s.Decode(raw)
	checkProblems(t, want, err, "Decode")
	_, err = s.HashRaw(raw)
	checkProblems(t, want, err, "HashRaw")
	_, err = s.DocumentRaw(raw)
	checkProblems(t, want, err, "DocumentRaw")
	_, err = s.SameImmutableRaw(raw, nil)
	checkProblems(t, want, err, "SameImmutableRaw")
	_, err = s.SameImmutableRaw(nil, raw)
	checkProblems(t, want, err, "SameImmutableRaw")
	_, err = s.DiffRaw(raw, nil)
	checkProblems(t, want, err, "DiffRaw")
	_, err = s.DiffRaw(nil, raw)
	checkProblems(t, want, err, "DiffRaw")
}

func TestRawAndValueAgree(t *testing.T) {
	s := schemaFor[machine](t)
	raw := []byte(` {"labels":[{"value":"v","name":"b"},{"name":"a","trigger":true}],"zones":["b","a","b"],"below":null,"plain":"p"} `)
	config, err := s.Decode(raw)
	require.NoError(t, err)
	want := &machine{Plain: "p", Zones: []string{"b", "a", "b"}, Labels: []originLabel{{Name: "b", Value: "v"}, {Name: "a", Trigger: true}}}
	assert.Equal(t, want, config)
	fromRaw, err := s.DocumentRaw(raw)
	require.NoError(t, err)
	sum, err := s.HashRaw(raw)
	require.NoError(t, err)
	assert.Equal(t, hotupdate.Sum(sha256.Sum256(fromRaw)), sum)
	fromValue, err := s.Document(want)
	require.NoError(t, err)
	assert.Equal(t, string(fromValue), string(fromRaw))
	changes, err := s.DiffRaw(raw, nil)
	require.NoError(t, err)
	viaValues, err := s.Diff(want, nil)
	require.NoError(t, err)
	assert.Equal(t, viaValues, changes)
}

func TestRawWithoutSchema(t *testing.T) {
	var none *hotupdate.Schema
	_, err := none.HashRaw(nil)
	checkProblems(t, []problem{valueProblem("no-schema", "")}, err, "HashRaw")
	_, err = none.DocumentRaw(nil)
	checkProblems(t, []problem{valueProblem("no-schema", "")}, err, "DocumentRaw")
}
