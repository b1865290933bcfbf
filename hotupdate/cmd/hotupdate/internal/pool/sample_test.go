package pool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// minorsOfEras are Kubernetes versions before and after each change of era of the released extensions.
var minorsOfEras = []string{"1.33.1", "1.37.1"}

// rulesOf returns what rules answers for a field of the config of a provider.
func rulesOf(t *testing.T, of provider.Provider, minor string, o judge.Options) func(field string) verdict.Verdict {
	t.Helper()
	sampler, err := pool.NewSampler(of, minor, o)
	require.NoError(t, err)
	return func(field string) verdict.Verdict {
		v, _, isField := sampler.Today(field)
		require.True(t, isField, field)
		return v
	}
}

// withParents returns a path, and the paths of all fields above it.
func withParents(path string) (paths []string) {
	above := ""
	for _, step := range fieldpath.ParseShown(path) {
		above = step.After(above)
		paths = append(paths, above)
	}
	return paths
}

// sampleIn is an extension and a minor of a sample edit.
type sampleIn struct {
	minor     string
	extension judge.Extension
}

// samplesIn are today's releases and adopted extensions, each before and after each change of era.
func samplesIn() (samples []sampleIn) {
	for _, minor := range minorsOfEras {
		samples = append(samples, sampleIn{minor, judge.Released}, sampleIn{minor, judge.Adopted})
	}
	return samples
}

// TestRulesAreAsGraveAsPlan: what rules says of a field is at least as grave as what plan says of an edit of any leaf
// at or below it, for every field of the Schemas, in every era. The leaves are found in the exported Schemas.
func TestRulesAreAsGraveAsPlan(t *testing.T) {
	t.Parallel()
	schemas := schemaOfExamples(t)
	for _, in := range samplesIn() {
		for _, of := range extensions.All() {
			t.Run(of.Name+"/"+in.minor+"/"+string(in.extension), func(t *testing.T) {
				t.Parallel()
				minor := in.minor
				o := judge.Options{Providers: extensions.All(), Schema: schemas, Extension: in.extension}
				rules := rulesOf(t, of, minor, o)
				leaves := leavesOf(t, of)
				require.NotEmpty(t, leaves)
				for _, leaf := range leaves {
					one := leaf.around(leaf.values[0])
					other := leaf.around(leaf.values[1])
					list, _, _ := strings.Cut(leaf.path, "[]") // an edit of a whole element is an edit of the list
					for _, edit := range []struct{ before, after, of string }{
						{one, other, leaf.path}, {other, one, leaf.path}, {`{}`, one, list}, {one, `{}`, list},
					} {
						planned := compareConfigs(t, of, minor, edit.before, edit.after, o).Verdict
						for _, field := range withParents(edit.of) {
							require.GreaterOrEqual(t, rules(field), planned, "%s: %s to %s", field, edit.before, edit.after)
						}
					}
				}
			})
		}
	}
}

// TestRulesAreAsGraveAsPlanOfSamples is the same for the hand-written configs of this package, in which fields stand
// together whose meanings depend on each other.
func TestRulesAreAsGraveAsPlanOfSamples(t *testing.T) {
	t.Parallel()
	schemas := schemaOfExamples(t)
	for _, of := range extensions.All() {
		for _, minor := range minorsOfEras {
			o := judge.Options{Providers: extensions.All(), Schema: schemas, Extension: judge.Released}
			rules := rulesOf(t, of, minor, o)
			for name, values := range configsOf[of.Name] {
				for _, before := range append([]string{""}, values...) {
					for _, after := range append([]string{""}, values...) {
						got := compareConfigs(t, of, minor, memberOf(name, before), memberOf(name, after), o)
						require.GreaterOrEqual(t, rules(name), got.Verdict, "%s: %s to %s", name, before, after)
						if len(got.Changes) != 1 {
							continue
						}
						path := strings.TrimPrefix(got.Changes[0].Path, "providerConfig.")
						if got.Changes[0].Op != hotupdate.OpReplace { // an edit of a whole element is an edit of the list
							path, _, _ = strings.Cut(path, "[")
						}
						for _, field := range withParents(path) {
							require.GreaterOrEqual(t, rules(field), got.Verdict, "%s: %s to %s", field, before, after)
						}
					}
				}
			}
		}
	}
}

func memberOf(name, value string) string {
	if value == "" {
		return `{}`
	}
	return `{"` + name + `":` + value + `}`
}

func compareConfigs(t *testing.T, of provider.Provider, minor, before, after string, o judge.Options) judge.Comparison {
	t.Helper()
	var both [2]facts.Pool
	for side, config := range []string{before, after} {
		object := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal([]byte(config), &object))
		object["apiVersion"] = json.RawMessage(`"` + of.APIVersion + `"`)
		object["kind"] = json.RawMessage(`"` + of.Kind + `"`)
		raw, err := json.Marshal(object)
		require.NoError(t, err)
		both[side] = examplePool(of.Name, minor)
		both[side].Config = facts.ConfigOf(raw)
	}
	compared, err := comparePools(both[0], both[1], o)
	require.NoError(t, err, "%s to %s", before, after)
	return compared
}

// schemaNode is a node of an exported Schema, as far as this test reads it.
type schemaNode struct {
	Kind   string
	Elem   *schemaNode
	Fields []struct {
		Name, Key string
		Type      *schemaNode
	}
}

// schemaLeaf is a leaf of a Schema: its path, a config around a value, and two values.
type schemaLeaf struct {
	path   string
	around func(value string) string
	values [2]string
}

func leavesOf(t *testing.T, of provider.Provider) []schemaLeaf {
	t.Helper()
	schema, err := of.Schema()
	require.NoError(t, err)
	text, err := schema.MarshalJSON()
	require.NoError(t, err)
	var document struct{ Root *schemaNode }
	require.NoError(t, json.Unmarshal(text, &document))
	return document.Root.leaves(t, "", "", func(value string) string { return value })
}

// leaves returns the leaves below a node. The key is the member by which the elements of a list are paired.
func (n *schemaNode) leaves(t *testing.T, path, key string, around func(string) string) (samples []schemaLeaf) {
	t.Helper()
	switch n.Kind {
	case "object":
		for _, f := range n.Fields {
			beside := ""
			if key != "" && f.Name != key {
				beside = `"` + key + `":"a",`
			}
			samples = append(samples, f.Type.leaves(t, fieldpath.Join(path, f.Name), f.Key,
				func(value string) string { return around(`{` + beside + `"` + f.Name + `":` + value + `}`) })...)
		}
	case "list":
		samples = n.Elem.leaves(t, path+"[]", key, func(value string) string { return around(`[` + value + `]`) })
	case "map":
		for _, name := range []string{"cpu", "example.com/team"} {
			samples = append(samples, n.Elem.leaves(t, fieldpath.Key(path, name), "",
				func(value string) string { return around(`{"` + name + `":` + value + `}`) })...)
		}
	default:
		values, isKnown := valuesOfKind[n.Kind]
		require.True(t, isKnown, "%s: kind %s", path, n.Kind)
		samples = append(samples, schemaLeaf{path, around, values})
	}
	return samples
}

var valuesOfKind = map[string][2]string{
	"string": {`"x"`, `"y"`}, "int": {`5`, `6`}, "bool": {`true`, `false`}, "quantity": {`"3"`, `"5"`},
}
