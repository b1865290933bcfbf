package schemadiff_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/schemadiff"
)

// sentence is the grammar of the package documentation.
var sentence = regexp.MustCompile(`^\S+: [a-z].*: (the|an?|every|no) [^:;]+(; (the|an?|every|from) [^:;]+)*$`)

// TestSentences: the sentences of all releases of TestCompare have one grammar.
func TestSentences(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range releases {
		for _, f := range schemadiff.Compare(planOf(t, r.old), planOf(t, r.updated)) {
			seen[f.Kind] = true
			for _, of := range []*schemadiff.Subject{schemadiff.Pools, schemadiff.Objects} {
				text := f.Sentence(of)
				assert.Regexp(t, sentence, text)
				assert.NotRegexp(t, `\s\s|\bOLD\b|\bNEW\b|\.$`, text)
				assert.True(t, strings.HasPrefix(text, f.Path+": "), text)
			}
		}
	}
	assert.Greater(t, len(seen), 8, "kinds")
}
