package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestConfig has a row for each form of a config.
func TestConfig(t *testing.T) {
	typed := facts.TypeMeta{APIVersion: "v1", Kind: "K"}
	for _, test := range []struct {
		name, raw string
		isAbsent  bool
		kind      facts.TypeMeta
		stored    string
	}{
		{"none", "", true, facts.TypeMeta{}, ""},
		{"null", " null ", true, facts.TypeMeta{}, " null "},
		{
			"an object", `{"kind": "K", "apiVersion": "v1", "a": {}, "l": [2, 1.50]}`, false, typed,
			`{"a":{},"apiVersion":"v1","kind":"K","l":[2,1.5]}`,
		},
		{"an empty object", "{}", false, facts.TypeMeta{}, "{}"},
		{"no JSON", "{", false, facts.TypeMeta{}, "{"},
	} {
		config := facts.ConfigOf([]byte(test.raw))
		assert.Equal(t, test.isAbsent, config.IsAbsent(), test.name)
		assert.Equal(t, test.kind, config.Type(), test.name)
		assert.Equal(t, test.raw, string(config.Raw()), test.name)
		assert.Equal(t, test.stored, string(config.Stored().Raw()), test.name)
		assert.Equal(t, test.stored, string(config.Stored().Stored().Raw()), "%s: what is stored stays", test.name)
		assert.True(t, config.Same(facts.ConfigOf([]byte(test.raw))), test.name)
	}
	var none facts.Config
	assert.True(t, none.IsAbsent())
	assert.True(t, none.Same(none.Stored()))
	assert.True(t, none.Same(facts.ConfigAt(nil)))
	assert.False(t, none.Same(facts.ConfigOf([]byte("null"))), "the bytes differ")
}

// TestConfigIsReadOnce: copies of a pool share what has been read of its config, also as it is stored.
func TestConfigIsReadOnce(t *testing.T) {
	for name, config := range map[string]facts.Config{
		"of bytes": facts.ConfigOf([]byte(`{"b": 1, "a": 2}`)), "in a manifest": facts.ConfigAt(tree.Of([]byte(`{"b": 1, "a": 2}`))),
	} {
		p := facts.Pool{Config: config}
		other := *p.WithVersion("1.34.0")
		assert.Same(t, p.Config.Tree(), other.Config.Tree(), name)
		assert.Same(t, p.Config.Stored().Tree(), other.Config.Stored().Tree(), name)
		assert.Same(t, &p.Config.Raw()[0], &other.Config.Raw()[0], name)
	}
}
