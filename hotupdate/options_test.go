package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// optionHost has a field for each option. Its struct tags are given by overrides.
type optionHost struct {
	Text    string                 `json:"text,omitempty"`
	Pointer *string                `json:"pointer,omitempty"`
	Object  *optionMode            `json:"object,omitempty"`
	Names   []string               `json:"names,omitempty"`
	Items   []optionMode           `json:"items,omitempty"`
	Labels  map[string]string      `json:"labels,omitempty"`
	Sizes   map[string]*optionMode `json:"sizes,omitempty"`
	On      bool                   `json:"on,omitempty"`
}

type optionMode struct {
	Mode string `json:"mode"`
	Size *int32 `json:"size,omitempty"`
}

// optionRow has two configurations that an option of a field treats in another way than a field without options. A new option
// needs a row here: the rest follows.
type optionRow struct{ name, path, text, old, updated string }

var optionRows = []optionRow{
	{"set", "names", "set", `{"names":["a","b"]}`, `{"names":["b","a"]}`},
	{"key", "items", "key=mode", `{"items":[{"mode":"a"},{"mode":"b"}]}`, `{"items":[{"mode":"b"},{"mode":"a"}]}`},
	{"hotwhen", "sizes", "hotwhen=mode:on", `{"sizes":{"a":{"mode":"on","size":1}}}`, `{"sizes":{"a":{"mode":"on","size":2}}}`},
	{"keyclass", "labels", "keyclass=true:a", `{"labels":{"a":"1"}}`, `{"labels":{"a":"2"}}`},
	{"default", "pointer", "default=on", `{}`, `{"pointer":"on"}`},
	{"presence", "object", "presence", `{}`, `{"object":{}}`},
	{"as", "text", "as=quantity", `{"text":"1Gi"}`, `{"text":"1024Mi"}`},
	{"sensitive", "text", "sensitive", `{"text":"a"}`, `{"text":"b"}`},
}

// seen is what a Schema says of the two configurations of a row.
type seen struct {
	isOneHash bool
	changes   string
}

func (row optionRow) seenBy(t *testing.T, s *hotupdate.Schema) seen {
	t.Helper()
	old, err := s.HashRaw([]byte(row.old))
	require.NoError(t, err, row.name)
	updated, err := s.HashRaw([]byte(row.updated))
	require.NoError(t, err, row.name)
	changes, err := s.DiffRaw([]byte(row.old), []byte(row.updated))
	require.NoError(t, err, row.name)
	return seen{old == updated, textOf(t, changes)}
}

// textOf has all but the source of a class, which is another one without the Go type.
func textOf(t *testing.T, changes hotupdate.Changes) string {
	t.Helper()
	for i := range changes {
		changes[i].Source = ""
	}
	text, err := json.Marshal(changes)
	require.NoError(t, err)
	return string(text)
}

// seenInGo is seenBy for the same configurations in Go.
func (row optionRow) seenInGo(t *testing.T, s *hotupdate.Schema) seen {
	t.Helper()
	old, err := s.Decode([]byte(row.old))
	require.NoError(t, err, row.name)
	updated, err := s.Decode([]byte(row.updated))
	require.NoError(t, err, row.name)
	first, err := s.Hash(old)
	require.NoError(t, err, row.name)
	second, err := s.Hash(updated)
	require.NoError(t, err, row.name)
	changes, err := s.Diff(old, updated)
	require.NoError(t, err, row.name)
	return seen{first == second, textOf(t, changes)}
}

// schemas are the Schema of the type without the option, and with it.
func (row optionRow) schemas(t *testing.T) (without, with *hotupdate.Schema) {
	t.Helper()
	without, err := hotupdate.SchemaOf[optionHost](hotupdate.WithTag(row.path, "false"))
	require.NoError(t, err, row.name)
	with, err = hotupdate.SchemaOf[optionHost](hotupdate.WithTag(row.path, "false,"+row.text))
	require.NoError(t, err, row.name)
	return without, with
}

// TestEveryOption: whatever a struct tag may say has an effect, and the effect is the same by every way on which a Schema is used.
func TestEveryOption(t *testing.T) {
	t.Parallel()
	var names []string
	for _, row := range optionRows {
		names = append(names, row.name)
	}
	assert.Equal(t, structtag.OptionNames(), names, "every option has a row here, in the order of the option kinds")
	for _, row := range optionRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			without, with := row.schemas(t)
			want := row.seenBy(t, with)
			assert.NotEqual(t, row.seenBy(t, without), want, "the option has no effect on a hash or a difference")
			assert.Equal(t, want, row.seenInGo(t, with), "a Go value means another thing than its JSON")
			_, err := hotupdate.SchemaOf[optionHost](hotupdate.WithTag("on", "false,"+row.text))
			assert.Equal(t, row.name == "sensitive", err == nil, "a field of any type takes the option, without an effect")
			row.checkExport(t, without, with)
			row.checkCompatibility(t, without, with)
		})
	}
}

// checkExport: an exported Schema has the option, and so has its fingerprint; or else pools that differ only by it look alike.
func (row optionRow) checkExport(t *testing.T, without, with *hotupdate.Schema) {
	t.Helper()
	plain, err := without.Fingerprint()
	require.NoError(t, err)
	fingerprint, err := with.Fingerprint()
	require.NoError(t, err)
	assert.NotEqual(t, plain, fingerprint, "the exported Schema does not have the option: hotupdate explain and audit judge without it")
	exported, err := with.MarshalJSON()
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err, "the exported Schema cannot be loaded")
	again, err := loaded.MarshalJSON()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(exported, again), "the loaded Schema is exported as another one: %s", again)
	assert.Equal(t, row.seenBy(t, with), row.seenBy(t, loaded), "the loaded Schema means another thing than the Go type")
}

// versionsOfOptions are the versions of the JSON of a Schema that brought the options. A release reads a Schema of a version
// that it knows, and would judge without an option that it does not know: a new one needs a version above all of these.
var versionsOfOptions = map[string]int{
	"set": 1, "key": 1, "hotwhen": 1, "keyclass": 3, "default": 1, "presence": 1, "as": 2, "sensitive": 1,
}

const lastVersionOfOptions = 4

// TestEveryOptionHasAVersion: an older release refuses a Schema with an option that it does not know.
func TestEveryOptionHasAVersion(t *testing.T) {
	t.Parallel()
	for _, row := range optionRows {
		_, with := row.schemas(t)
		exported, err := with.MarshalJSON()
		require.NoError(t, err, row.name)
		var head struct {
			FormatVersion int `json:"formatVersion"`
		}
		require.NoError(t, json.Unmarshal(exported, &head), row.name)
		if version, isOld := versionsOfOptions[row.name]; isOld {
			assert.Equal(t, version, head.FormatVersion, row.name)
		} else {
			assert.Greater(t, head.FormatVersion, lastVersionOfOptions,
				"a release that does not know the option %s reads a Schema with it, and judges without it", row.name)
		}
	}
}

// checkCompatibility: an option that comes or goes is a finding, and a hash that changes by it is a roll.
func (row optionRow) checkCompatibility(t *testing.T, without, with *hotupdate.Schema) {
	t.Helper()
	for _, pair := range [][2]*hotupdate.Schema{{without, with}, {with, without}} {
		findings, err := hotupdate.Compatibility(pair[0], pair[1])
		require.NoError(t, err)
		isFound := false
		mayRoll := false
		for _, f := range findings {
			isFound = isFound || strings.HasPrefix(f.Path, row.path)
			mayRoll = mayRoll || f.Roll != hotupdate.Effect{}
		}
		assert.True(t, isFound, "the option comes or goes, and Compatibility has no finding: a release would rename pools without a warning")
		assert.True(t, mayRoll || !row.changesDocument(t, pair), "the hash of a configuration changes, and Compatibility finds no roll")
	}
}

// changesDocument reports whether a configuration has other documents by two Schemas.
func (row optionRow) changesDocument(t *testing.T, pair [2]*hotupdate.Schema) bool {
	t.Helper()
	isOther := false
	for _, raw := range []string{row.old, row.updated} {
		first, err := pair[0].DocumentRaw([]byte(raw))
		require.NoError(t, err)
		second, err := pair[1].DocumentRaw([]byte(raw))
		require.NoError(t, err)
		isOther = isOther || !bytes.Equal(first, second)
	}
	return isOther
}

// TestEveryOptionOfACRD: an option has the same effect on a field of a custom resource.
func TestEveryOptionOfACRD(t *testing.T) {
	t.Parallel()
	crd, err := os.ReadFile(filepath.Join("testdata", "options.crd.json"))
	require.NoError(t, err)
	for _, row := range optionRows {
		_, with := row.schemas(t)
		s, err := hotupdate.SchemaOfCRD(crd, "v1", hotupdate.WithTag(row.path, "false,"+row.text))
		require.NoError(t, err, row.name)
		assert.Equal(t, row.seenBy(t, with), row.seenBy(t, s), row.name)
	}
}

// TestEveryOptionIsDocumented: the package documentation has every option as a row of its list, and the specification of hashes those
// that change the document.
func TestEveryOptionIsDocumented(t *testing.T) {
	t.Parallel()
	documentation, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	specification, err := os.ReadFile(filepath.Join("..", "hash", "FORMAT.md"))
	require.NoError(t, err)
	for _, row := range optionRows {
		inList := regexp.MustCompile(fmt.Sprintf(`(?m)^//   - %s[=:]`, row.name))
		assert.True(t, inList.Match(documentation), "hotupdate/doc.go does not have the option %s", row.name)
		without, with := row.schemas(t)
		if row.changesDocument(t, [2]*hotupdate.Schema{without, with}) {
			inText := regexp.MustCompile("[,`]" + row.name + `\b`)
			assert.True(t, inText.Match(specification), "hash/FORMAT.md does not have the option %s", row.name)
		}
	}
}

// TestEveryOptionIsDrawn: the properties of generated types try every option.
func TestEveryOptionIsDrawn(t *testing.T) {
	t.Parallel()
	var drawn strings.Builder
	for seed := range 100 {
		drawn.WriteString(drawnType.Example(seed))
	}
	for _, name := range structtag.OptionNames() {
		inTag := regexp.MustCompile(`,` + name + `\b`)
		assert.True(t, inTag.MatchString(drawn.String()), "typeGenerator never draws the option %s: no property holds it", name)
	}
}

// drawnType is the text of a drawn type, with its struct tags, and of its overrides.
var drawnType = rapid.Custom(func(t *rapid.T) string {
	a := newTypeGenerator(t)
	return fmt.Sprint(a.subject().root.typ, a.overrides)
})
