package hotupdate_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// schemaErrorRow is one misuse of struct tags, types or overrides, with all errors that it must yield.
type schemaErrorRow struct {
	name   string
	err    error
	want   []problem
	reason string
}

// problem is the stable part of an error.
type problem struct {
	Code  string
	Field string
	Path  string
}

// GoString keeps failures readable.
func (p problem) GoString() string { return fmt.Sprintf("%s %s%s", p.Code, p.Field, p.Path) }

// errorOf returns the error of SchemaOf.
func errorOf(_ *hotupdate.Schema, err error) error { return err }

// at lists problems with one code at several Go fields of one type.
func at(code string, typ string, fields ...string) []problem {
	problems := make([]problem, len(fields))
	for i, field := range fields {
		problems[i] = problem{Code: code, Field: typ + "." + field}
	}
	return problems
}

// atPath lists one problem at a path.
func atPath(code string, path string) []problem { return []problem{{Code: code, Path: path}} }

func problemsOf(err error) []problem {
	var problems []problem
	for _, e := range fault.All(err) {
		problems = append(problems, problem{e.Code, e.Field, e.Path})
	}
	return problems
}

func schemaErrorRows() []schemaErrorRow {
	return slices.Concat(
		tagSyntaxRows(), tagValueRows(), misplacedOptionRows(), defaultRows(), keyRows(), hotWhenRows(),
		absentFieldRows(), shadowedFieldRows(), marshalerRows(), unsupportedTypeRows(), rootRows(), positionalListRows(), setRows(),
		overrideSyntaxRows(), overrideTargetRows(), overrideOptionRows(),
	)
}

func TestSchemaErrors(t *testing.T) {
	again := map[string]error{}
	for _, row := range schemaErrorRows() {
		again[row.name] = row.err
	}
	for _, row := range schemaErrorRows() {
		t.Run(row.name, func(t *testing.T) {
			var found *fault.Error
			require.ErrorAs(t, row.err, &found)
			assert.Equal(t, row.want, problemsOf(row.err), row.reason)
			assert.Equal(t, row.want, problemsOf(again[row.name]), "the second time")
		})
	}
}

// TestSchemaErrorsAreComplete fails when a schema code has no row.
func TestSchemaErrorsAreComplete(t *testing.T) {
	produced := map[string]bool{
		"zero-fails":        true, // TestZeroValueWithoutText: types that are read from source code have no values
		"immutable-by-rule": true, // of CRDs, in package crd
	}
	for _, row := range schemaErrorRows() {
		for _, p := range problemsOf(row.err) {
			produced[p.Code] = true
		}
	}
	for _, code := range knownCodes(t, func(kind, folder string) bool {
		return kind == string(fault.Declaration) && !strings.Contains(folder, "/") && folder != "hash"
	}) {
		assert.True(t, produced[code], "no row produces the code %s", code)
	}
}

// knownCodes returns the codes of errors that package fault's golden list has for packages below hotupdate.
func knownCodes(t *testing.T, wanted func(kind, folder string) bool) []string {
	t.Helper()
	list, err := os.ReadFile("fault/testdata/codes.txt")
	require.NoError(t, err)
	var codes []string
	for line := range strings.Lines(string(list)) {
		entry := strings.Split(strings.TrimSpace(line), "\t")
		folder := strings.TrimPrefix(entry[2], "internal/")
		if wanted(entry[0], folder) {
			codes = append(codes, entry[1])
		}
	}
	assert.NotEmpty(t, codes)
	return codes
}

func TestSchemaErrorRowsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range schemaErrorRows() {
		assert.False(t, seen[row.name], "%q stands twice", row.name)
		assert.NotEmpty(t, row.reason, row.name)
		seen[row.name] = true
	}
}
