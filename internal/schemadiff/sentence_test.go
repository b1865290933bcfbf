package schemadiff_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemadiff"
)

// sentence is the grammar of the package documentation.
var sentence = regexp.MustCompile(`^\S+: [a-z].*: (the|an?|every|no) [^:;]+(; (the|an?|every|from) [^:;]+)*$`)

// planOfResource returns a plan of its own, as of a custom resource.
func planOfResource(t *testing.T, typ reflect.Type) *fieldplan.Plan {
	t.Helper()
	p, err := fieldplan.Build(typ, nil, rawjson.ReadPart)
	require.NoError(t, err)
	p.OfResource = true
	return p
}

// TestSentences: the sentences of all releases of TestCompare have one grammar.
func TestSentences(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range releases {
		for _, updated := range []*fieldplan.Plan{planOf(t, r.updated), planOfResource(t, r.updated)} {
			for _, f := range schemadiff.Compare(planOf(t, r.old), updated) {
				seen[f.Kind] = true
				text := f.Sentence()
				assert.Regexp(t, sentence, text)
				assert.NotRegexp(t, `\s\s|\bOLD\b|\bNEW\b|\.$`, text)
				assert.True(t, strings.HasPrefix(text, f.Path+": "), text)
				if updated.OfResource {
					assert.NotRegexp(t, `: .*\b(pool|era|configuration)\b`, text)
				}
			}
		}
	}
	assert.Greater(t, len(seen), 8, "kinds")
}

// TestKeysAreHidden: no finding names a key of a map that must not be shown, neither by the old path nor by the new one.
func TestKeysAreHidden(t *testing.T) {
	type leafD struct {
		D int32 `json:"d"`
	}
	const tag = "true,sensitive=keys,keyclass=false:tenant"
	before := planOf(t, member[map[string]leafB](tag))
	after := planOf(t, member[map[string]leafD](tag))
	var renamed int
	for _, f := range schemadiff.Compare(before, after) {
		assert.NotContains(t, f.Sentence()+f.Path+f.Old+f.New, "tenant")
		if f.Kind == "FieldRenamed" {
			renamed++
		}
	}
	assert.Equal(t, 2, renamed, "of the key, and of all others")
}
