package side_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestUnchangedTextsAreComparedAsAnyOthers: the plan of an object with the same text on both sides is made of the old
// text alone. A comment behind the last line of the new text changes nothing but makes it another text, so
// that both are read and compared. Plans, problems and warnings are the same.
func TestUnchangedTextsAreComparedAsAnyOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	definitions := filepath.Join(folder, "crd.yaml")
	require.NoError(t, os.WriteFile(definitions, []byte(definitionOfPool), 0o600))
	landscape, err := side.ReadLandscape("../pool/testdata/pairs/cloudprofile.yaml", nil)
	require.NoError(t, err)
	compared := 0
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(manifestText), 1, 4).Draw(t, "texts")
		before := strings.Repeat("# moved\n", rapid.IntRange(0, 3).Draw(t, "moved"))
		options := rapid.Custom(optionsOfReader).Draw(t, "options")
		reader := func() *side.Reader {
			schemas, err := side.NewCatalog("", extensions.All())
			require.NoError(t, err)
			custom, err := crds.Read(definitions, "", nil)
			require.NoError(t, err)
			schemas.Define(custom)
			r := &side.Reader{Schemas: schemas, Options: options}
			r.Options.Schema = schemas.Schema
			r.Options.Providers = extensions.All()
			if rapid.Bool().Draw(t, "landscape") {
				r.Landscape = landscape
			}
			return r
		}
		old := fileOf(t, folder, "old.yaml", texts, "", "")
		answer := func(r *side.Reader, after string) []any {
			// one file for both, one after the other: its path is in the answer
			updated := fileOf(t, folder, "new.yaml", texts, before, after)
			plans, err := r.Compare(ctx, old, updated)
			compared += len(plans)
			return []any{plans, err == nil, r.Warnings, problemsOf(r.NotJudged, updated)}
		}
		first := reader()
		second := *first
		assert.Equal(t, answer(first, ""), answer(&second, " # another text"))
	})
	assert.Positive(t, compared)
}

// TestUnchangedTextsAreReadOnce: reading and comparing both texts anew takes twice the allocations.
func TestUnchangedTextsAreReadOnce(t *testing.T) {
	folder := t.TempDir()
	texts := []string{}
	for i := range 20 {
		texts = append(texts, manifestOf(t, "aws.yaml", i))
	}
	compare := func(after string) func() {
		old := fileOf(t, folder, "old.yaml", texts, "", "")
		updated := fileOf(t, folder, fmt.Sprintf("new%d.yaml", len(after)), texts, "", after)
		return func() {
			schemas, err := side.NewCatalog("", extensions.All())
			require.NoError(t, err)
			options := judge.Options{Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both}
			plans, err := (&side.Reader{Schemas: schemas, Options: options}).Compare(t.Context(), old, updated)
			require.NoError(t, err)
			require.Len(t, plans, len(texts))
		}
	}
	unchanged := testing.AllocsPerRun(3, compare(""))
	anew := testing.AllocsPerRun(3, compare(" # another text"))
	assert.Less(t, 2*unchanged, anew)
}

// optionsOfReader draws options that judge a pair.
func optionsOfReader(t *rapid.T) (o judge.Options) {
	o.Extension = rapid.SampledFrom([]judge.Extension{judge.Adopted, judge.Released, judge.Both}).Draw(t, "extension")
	strategies := []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}
	if i := rapid.IntRange(0, len(strategies)).Draw(t, "strategy"); i > 0 {
		o.Strategy = &strategies[i-1]
	}
	if release := rapid.SampledFrom([]string{"", "v1.120.0", "v1.147.0"}).Draw(t, "gardener"); release != "" {
		o.Landscape.Gardener = verdict.Known(release, "a test")
	}
	if rapid.Bool().Draw(t, "way") {
		o.Ways = []apply.Way{{By: apply.Client}}
	}
	return o
}

// manifestText draws a manifest without some of its lines.
func manifestText(t *rapid.T) string {
	file := rapid.SampledFrom([]string{
		"alicloud.yaml", "aws.yaml", "azure.yaml", "gcp.yaml", "openstack.yaml", "worker.yaml", "",
	}).Draw(t, "file")
	number := rapid.IntRange(0, 9).Draw(t, "number")
	text := fmt.Sprintf(customPool, number)
	if file != "" {
		text = manifestOf(t, file, number)
	}
	lines := strings.SplitAfter(text, "\n")
	for range rapid.IntRange(0, 2).Draw(t, "left out") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		lines = append(lines[:i:i], lines[i+1:]...)
	}
	return strings.Join(lines, "")
}

// manifestOf returns one of the manifests of the tests with a name of its own.
func manifestOf(t require.TestingT, file string, number int) string {
	text, err := os.ReadFile(filepath.Join("../pool/testdata/pairs", file))
	require.NoError(t, err)
	named := strings.Replace(string(text), "namespace: ", fmt.Sprintf("namespace: n%d-", number), 1)
	require.NotEqual(t, string(text), named, file)
	return named
}

// fileOf writes objects into a file, with lines before each, and with an end of the last line of each.
func fileOf(t require.TestingT, folder, name string, texts []string, before, after string) (path string) {
	path = filepath.Join(folder, name)
	var whole strings.Builder
	for _, text := range texts {
		whole.WriteString(before + "---\n" + strings.TrimSuffix(text, "\n") + after + "\n")
	}
	require.NoError(t, os.WriteFile(path, []byte(whole.String()), 0o600))
	return path
}

// problemsOf returns the problems of a file. A problem of one text in two files is told of the new one alone.
func problemsOf(notJudged []side.NotJudged, file string) (problems []string) {
	for _, o := range notJudged {
		if o.Place.File == file {
			problems = append(problems, fmt.Sprint(o.Place, o.Err))
		}
	}
	return problems
}

const customPool = `apiVersion: example.org/v1
kind: NodePool
metadata: {name: of-%d, namespace: infra}
spec:
  machine: large
  tags: {team: a}
`

const definitionOfPool = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: nodepools.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: NodePool, plural: nodepools}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              machine: {type: string}
              tags: {type: object, additionalProperties: {type: string}}
`
