package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

func TestChangesOfAClass(t *testing.T) {
	changes := hotupdate.Changes{{Path: "a", Class: hotupdate.Hot}, {Path: "b"}, {Path: "c", Class: hotupdate.Hot}}
	assert.Equal(t, hotupdate.Changes{changes[0], changes[2]}, changes.Of(hotupdate.Hot))
	assert.Equal(t, hotupdate.Changes{changes[1]}, changes.Of(hotupdate.Immutable))
	assert.Empty(t, changes.Of(hotupdate.Ignored))
}

func TestStrategies(t *testing.T) {
	for _, s := range []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate} {
		parsed, err := hotupdate.ParseStrategy(s.String())
		require.NoError(t, err)
		assert.Equal(t, s, parsed)
	}
	parsed, err := hotupdate.ParseStrategy("")
	require.NoError(t, err, "the Shoot API's default")
	assert.Equal(t, hotupdate.AutoRollingUpdate, parsed)
	for _, name := range []string{"autoRollingUpdate", "AutoRollingUpdate ", "unknown"} {
		_, err = hotupdate.ParseStrategy(name)
		require.EqualError(
			t, err, "hotupdate: the update strategy is unknown; write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate", name,
		)
	}
}

// MachineUpdateStrategy stands in for Gardener's types of this name.
type MachineUpdateStrategy string

// TestStrategyOf: a field of Gardener's is read as its name is; no unknown name is taken for a known strategy.
func TestStrategyOf(t *testing.T) {
	assert.Equal(t, hotupdate.AutoRollingUpdate, hotupdate.StrategyOf[MachineUpdateStrategy](nil), "the Shoot API's default")
	for _, name := range []string{"", "AutoRollingUpdate", "AutoInPlaceUpdate", "ManualInPlaceUpdate"} {
		parsed, err := hotupdate.ParseStrategy(name)
		require.NoError(t, err)
		assert.Equal(t, parsed, hotupdate.StrategyOf(new(MachineUpdateStrategy(name))), name)
		assert.Equal(t, parsed, hotupdate.StrategyOf(new(name)), name)
	}
	schema := schemaFor[admitted](t)
	for _, name := range []string{"unknown", "autoRollingUpdate", "AutoRollingUpdate "} {
		strategy := hotupdate.StrategyOf(new(MachineUpdateStrategy(name)))
		assert.Equal(t, "unknown", strategy.String(), name)
		assert.Equal(t, hotupdate.OutcomeIndeterminate, hotupdate.Changes{}.Outcome(strategy), name)
		assert.Equal(t, []string{"InternalError "}, lines(schema.ValidateUpdateRaw(nil, nil, strategy, nil)), name)
	}
}

func TestWords(t *testing.T) {
	for want, word := range map[string]interface{ String() string }{
		"immutable": hotupdate.Immutable, "in-place": hotupdate.InPlace, "hot": hotupdate.Hot, "ignored": hotupdate.Ignored,
		"none": hotupdate.OutcomeNone, "hot-update": hotupdate.OutcomeHotUpdate, "in-place-update": hotupdate.OutcomeInPlaceUpdate,
		"roll": hotupdate.OutcomeRoll, "forbidden": hotupdate.OutcomeForbidden, "indeterminate": hotupdate.OutcomeIndeterminate,
		"AutoRollingUpdate": hotupdate.AutoRollingUpdate, "AutoInPlaceUpdate": hotupdate.AutoInPlaceUpdate,
		"ManualInPlaceUpdate": hotupdate.ManualInPlaceUpdate,
	} {
		assert.Equal(t, want, word.String())
	}
	assert.Equal(t, "unknown", hotupdate.Strategy(9).String())
	assert.Equal(t, "unknown", hotupdate.Outcome(9).String())
}

// TestOmitted lists changes that may be defaults: fields that one side does not set, and without a declared default.
func TestOmitted(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		Size *int   `json:"size,omitempty"`
	}
	type config struct {
		Plain    *int              `json:"plain,omitempty"`
		Declared *int              `json:"declared,omitempty" hotupdatable:"false,default=3"`
		Items    []item            `json:"items,omitempty"    hotupdatable:"false,key=name"`
		Map      map[string]string `json:"map,omitempty"`
		List     []string          `json:"list,omitempty"`
		Set      []string          `json:"set,omitempty"      hotupdatable:"false,set"`
		Filled   []string          `json:"filled,omitempty"`
		Marked   *[]string         `json:"marked,omitempty"   hotupdatable:"false,presence"`
		Array    [2]int            `json:"array"`
		Given    *[]string         `json:"given,omitempty"    hotupdatable:"false,default='[\"x\"]'"`
		Object   *struct {
			Inner []string `json:"inner,omitempty"`
		} `json:"object,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	assert.NoError(t, err)
	changes, err := schema.DiffRaw([]byte(`{"items":[{"name":"a"}],"list":["a"],"set":[],"filled":["a"],"marked":[]}`),
		[]byte(`{"plain":1,"declared":4,"items":[{"name":"a","size":1},{"name":"b","size":1}],"map":{"k":"v"},"set":["a"],"filled":["a","b"],"marked":["a"],
			"array":[0,1],"given":["y"],"object":{"inner":["a"]}}`))
	assert.NoError(t, err)
	got := map[string]bool{}
	for _, c := range changes {
		got[c.Path] = c.Omitted
	}
	assert.Equal(t, map[string]bool{
		"plain": true, "items[name=a].size": true, // a defaulter could have set them
		"map[k]": true, "list[0]": true, "set[=a]": true, "array[1]": true, "object.inner[0]": true, // and lists and maps
		"declared": false, "given[0]": false, // neither has the default
		"items[name=b].size": false, "filled[1]": false, // no defaulter makes elements
		"marked[0]": false, // an empty list is set
	}, got)
}
