package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// secretValue and secretKey are in every place of a configuration that may be confidential.
const (
	secretValue = "hunter2"
	secretKey   = "keyhunter2"
)

type (
	vault struct {
		handedSecrets `hotupdatable:"inplace,sensitive"`

		Text    string                     `json:"text"    hotupdatable:"false,sensitive"`
		Pointer *string                    `json:"pointer" hotupdatable:"true,sensitive"`
		Map     map[string]string          `json:"map"     hotupdatable:"true,sensitive"`
		Keys    map[string]string          `json:"keys"    hotupdatable:"true,sensitive=keys"`
		Nested  map[string]map[string]safe `json:"nested"  hotupdatable:"false,sensitive=keys"`
		List    []safe                     `json:"list"    hotupdatable:"false,key=name,sensitive"`
		Named   []secretName               `json:"named"   hotupdatable:"false,key=name"`
		Set     []string                   `json:"set"     hotupdatable:"true,set,sensitive"`
		Sets    []secretPart               `json:"sets"    hotupdatable:"true,set"`
		Places  []string                   `json:"places"  hotupdatable:"true,sensitive"`
		Safe    safe                       `json:"safe"    hotupdatable:"true,sensitive"`
		Any     any                        `json:"any"     hotupdatable:"true,sensitive=keys"`
		Part    *secretPart                `json:"part"    hotupdatable:"false,presence"`
	}
	handedSecrets struct {
		Handed string `json:"handed"`
	}
	safe struct {
		Name string `json:"name"`
		Text string `json:"text" hotupdatable:"true"`
	}
	secretName struct {
		Name string `json:"name" hotupdatable:"false,sensitive"`
		Open string `json:"open"`
	}
	secretPart struct {
		Open   string `json:"open"`
		Secret string `json:"secret" hotupdatable:"true,sensitive"`
	}
)

// fullVault has a secret with a suffix in every place, so that two vaults differ everywhere.
func fullVault(suffix string) *vault {
	v := secretValue + suffix
	k := secretKey + suffix
	return &vault{
		handedSecrets: handedSecrets{v},
		Text:          v, Pointer: &v, Map: map[string]string{"open": v}, Keys: map[string]string{k: v},
		Nested: map[string]map[string]safe{k: {k: {Name: v, Text: v}}},
		List:   []safe{{Name: k, Text: v}}, Named: []secretName{{Name: k, Open: "open"}}, Set: []string{v}, Sets: []secretPart{{Secret: v}},
		Places: []string{v}, Safe: safe{v, v}, Any: map[string]any{k: v}, Part: &secretPart{Secret: v},
	}
}

// renderings are all the ways in which a value can get into a log.
func renderings(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	require.NoError(t, err)
	return fmt.Sprintf("%v %+v %#v %s %q\n%s", v, v, v, v, v, encoded)
}

// assertDiscreet checks that neither a secret value nor a secret key can be read from a text.
func assertDiscreet(t *testing.T, text string) {
	t.Helper()
	assert.NotContains(t, strings.ToLower(text), secretValue)
}

func TestSecretsAreNotInChanges(t *testing.T) {
	s := schemaFor[vault](t)
	for _, pair := range [][2]*vault{{nil, fullVault("a")}, {fullVault("a"), nil}, {fullVault("a"), fullVault("b")}} {
		changes, err := s.Diff(pair[0], pair[1])
		require.NoError(t, err)
		assertDiscreet(t, renderings(t, changes))
		for _, c := range changes {
			assertDiscreet(t, renderings(t, c))
			assertDiscreet(t, renderings(t, &c))
		}
		for _, class := range []hotupdate.Class{hotupdate.Immutable, hotupdate.InPlace, hotupdate.Hot} {
			assertDiscreet(t, renderings(t, changes.Of(class)))
			assert.NotEmpty(t, changes.Of(class))
		}
	}
}

// TestSourcesHideKeys: a change whose path hides the key does not name it as the source of its class either, also without the Go type.
func TestSourcesHideKeys(t *testing.T) {
	type config struct {
		Keys   map[string]string            `json:"keys"   hotupdatable:"true,sensitive=keys"`
		Nested map[string]map[string]string `json:"nested" hotupdatable:"true,sensitive=keys"`
		Open   map[string]string            `json:"open"   hotupdatable:"true,sensitive"`
		Tagged map[string]safe              `json:"tagged" hotupdatable:"true,sensitive=keys,keyclass=false:keyhunter2a"`
	}
	s, err := hotupdate.SchemaOf[config](
		hotupdate.WithTag(`keys["keyhunter2a"]`, "false"), hotupdate.WithTag(`nested[]["keyhunter2*"]`, "false"),
		hotupdate.WithTag(`open["team"]`, "false"),
	)
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(export(t, s))
	require.NoError(t, err)
	secret := map[string]string{"keyhunter2a": secretValue}
	updated := config{
		secret,
		map[string]map[string]string{"x": secret},
		map[string]string{"team": secretValue},
		map[string]safe{"keyhunter2a": {Text: secretValue}},
	}
	for _, schema := range []*hotupdate.Schema{s, loaded} {
		changes, err := schema.DiffRaw(nil, toJSON(t, reflect.ValueOf(updated)))
		require.NoError(t, err)
		assertDiscreet(t, renderings(t, changes))
		origins := map[string]string{}
		for _, c := range changes {
			origins[c.Path] = c.Origin + " " + c.Source
		}
		assert.Equal(t, map[string]string{
			"keys[(sensitive)]": "override keys[(sensitive)]", "nested[(sensitive)][(sensitive)]": "override nested[][(sensitive)]",
			"open[team]":               `override open["team"]`,
			"tagged[(sensitive)]":      "struct tag hotupdate_test.config.Tagged",
			"tagged[(sensitive)].text": "struct tag hotupdate_test.safe.Text",
		}, origins)
	}
}

func TestSensitiveChanges(t *testing.T) {
	changes, err := schemaFor[vault](t).Diff(fullVault("a"), fullVault("b"))
	require.NoError(t, err)
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = fmt.Sprintf("%s %s %s %q %q", c.Op, c.Path, c.Pointer, c.Old, c.New)
		assert.Equal(t, c.Path != "named[name=(sensitive)].open", c.Sensitive, c.Path)
	}
	assert.Equal(t, []string{
		`replace any /any "" ""`,
		`replace handed /handed "" ""`,
		`remove keys[(sensitive)] /keys "" ""`,
		`add keys[(sensitive)] /keys "" ""`,
		`remove list[name=(sensitive)] /list/0 "" ""`,
		`remove list[name=(sensitive)].text /list/0/text "" ""`,
		`add list[name=(sensitive)] /list/0 "" ""`,
		`add list[name=(sensitive)].text /list/0/text "" ""`,
		`replace map[open] /map/open "" ""`,
		`remove named[name=(sensitive)].open /named/0/open "\"open\"" ""`,
		`add named[name=(sensitive)].open /named/0/open "" "\"open\""`,
		`remove nested[(sensitive)][(sensitive)].name /nested "" ""`,
		`remove nested[(sensitive)][(sensitive)].text /nested "" ""`,
		`add nested[(sensitive)][(sensitive)].name /nested "" ""`,
		`add nested[(sensitive)][(sensitive)].text /nested "" ""`,
		`replace part.secret /part/secret "" ""`,
		`replace places[0] /places/0 "" ""`,
		`replace pointer /pointer "" ""`,
		`replace safe.name /safe/name "" ""`,
		`replace safe.text /safe/text "" ""`,
		`remove set[=(sensitive)] /set/0 "" ""`,
		`add set[=(sensitive)] /set/0 "" ""`,
		`remove sets[0] /sets/0 "" ""`,
		`add sets[0] /sets/0 "" ""`,
		`replace text /text "" ""`,
	}, lines, "paths, operations and classes are shown, values and hidden keys are not")
}

// TestNamesBelowSensitiveKeys: below sensitive=keys, no path shows a name that a configuration made up, and no finding
// the key of a rule. The names of fields are shown.
func TestNamesBelowSensitiveKeys(t *testing.T) {
	type part struct {
		Name string `json:"name,omitempty"`
	}
	type keeper struct {
		Part   *part             `json:"part,omitempty"   hotupdatable:"false,sensitive=keys"`
		Labels map[string]string `json:"labels,omitempty" hotupdatable:"false,sensitive=keys,keyclass=true:keyhunter2"`
		Open   *part             `json:"open,omitempty"`
	}
	type updatedKeeper struct {
		Part   *part             `json:"part,omitempty"   hotupdatable:"false,sensitive=keys"`
		Labels map[string]string `json:"labels,omitempty" hotupdatable:"false,sensitive=keys,keyclass=true:'keyhunter3/*'"`
		Open   *part             `json:"open,omitempty"`
	}
	schema := schemaFor[keeper](t)
	open, err := schema.AdmitUnknown()
	require.NoError(t, err)
	changes, err := open.DiffRaw([]byte(`{"open":{}}`), []byte(`{"part":{"keyhunter2":1,"name":"a"},"open":{"known":1}}`))
	require.NoError(t, err)
	var got []string
	for _, c := range changes {
		got = append(got, c.Path+" "+c.Pointer)
		require.NotContains(t, fmt.Sprintf("%v %+v", c, c), secretKey)
	}
	require.Equal(t, []string{"open.known /open/known", "part[(sensitive)] /part", "part.name /part/name"}, got)

	_, err = schema.HashRaw([]byte(`{"part":{"keyhunter2":1,"name":2}}`))
	require.NotContains(t, err.Error(), secretKey)
	require.Equal(
		t, []problem{{Code: "unknown-member", Path: "part[(sensitive)]"}, {Code: "wrong-json-type", Path: "part.name"}}, problemsOf(err),
	)
	_, err = open.HashRaw([]byte(`{"part":{"keyhunter2":1,"keyhunter2":2}}`))
	require.NotContains(t, err.Error(), secretKey)

	findings, err := hotupdate.Compatibility(schema, schemaFor[updatedKeeper](t))
	require.NoError(t, err)
	require.Len(t, findings, 2)
	for _, f := range findings {
		require.Equal(t, "labels[(sensitive)]", f.Path)
		require.NotContains(t, fmt.Sprintf("%s %v %+v", f, f, f.Roll), "keyhunter")
	}
	require.True(t, findings[0].MayRoll([]byte(`{"labels":{"keyhunter2":"a"}}`)))
	require.False(t, findings[0].MayRoll([]byte(`{"labels":{"other":"a","keyhunter3/a":"b"}}`)), "the hidden key decides it")
}
