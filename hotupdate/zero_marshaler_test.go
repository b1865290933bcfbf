package hotupdate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// unready has a marshaler that fails on its zero value.
type unready struct{ text string }

func (u unready) MarshalText() ([]byte, error) {
	if u.text == "" {
		return nil, errors.New("no text")
	}
	return []byte(u.text), nil
}

func (u *unready) UnmarshalText(text []byte) error {
	u.text = string(text)
	return nil
}

type unreadyMode struct {
	Mode unready `json:"mode"`
}

type unreadyBelow struct {
	Below []struct {
		Name string  `json:"name"`
		Mode unready `json:"mode" hotupdatable:"inplace"`
	} `json:"below" hotupdatable:"true,key=name"`
}

type unreadyArray struct {
	Modes [1][2]unready `json:"modes,omitzero"`
}

// TestZeroValueWithoutText: raw {} failed under the compiled Schema and had a hash under the loaded one, so that a new field of such a type
// refused the configurations of before. Such a field is refused when the Schema is compiled.
func TestZeroValueWithoutText(t *testing.T) {
	for _, row := range []schemaErrorRow{
		{
			"immutable field", errorOf(hotupdate.SchemaOf[unreadyMode]()), at("zero-fails", "hotupdate_test.unreadyMode", "Mode"),
			"an unset field could not be hashed",
		},
		{
			"in a hot element", errorOf(hotupdate.SchemaOf[unreadyBelow]()), at("zero-fails", "hotupdate_test.unreadyBelow", "Below.Mode"),
			"the field itself is hashed",
		},
		{
			"array", errorOf(hotupdate.SchemaOf[unreadyArray]()), at("zero-fails", "hotupdate_test.unreadyArray", "Modes"),
			"{} has a zero array",
		},
		{
			"override", errorOf(hotupdate.SchemaOf[unreadyMode](hotupdate.WithTag("mode", "inplace"))),
			at("zero-fails", "hotupdate_test.unreadyMode", "Mode"), "in-place fields are hashed",
		},
	} {
		assert.Equal(t, row.want, problemsOf(row.err), "%s: %s", row.name, row.reason)
	}
}

// TestZeroWithoutTextIsIgnored: a type that cannot be edited is used with a class that is not hashed.
func TestZeroWithoutTextIsIgnored(t *testing.T) {
	for _, class := range []string{"ignore", "true"} {
		_, err := hotupdate.SchemaOf[unreadyMode](hotupdate.WithTag("mode", class))
		require.NoError(t, err, class)
	}
}

// TestUnsetWithoutText: of a field whose zero value has no text, both Schemas say the same.
func TestUnsetWithoutText(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		Ignored unready  `json:"ignored"       hotupdatable:"ignore"`
		May     unready  `json:"may,omitempty"`
		Pointer *unready `json:"pointer"`
	}]()
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(export(t, schema))
	require.NoError(t, err)
	for _, raw := range []string{
		`{}`, `{"ignored":null}`, `{"may":null}`, `{"pointer":null}`, `{"ignored":"x"}`, `{"may":"x"}`, `{"pointer":"x"}`,
	} {
		want, err := schema.DocumentRaw([]byte(raw))
		require.NoError(t, err, raw)
		got, err := loaded.DocumentRaw([]byte(raw))
		require.NoError(t, err, raw)
		assert.Equal(t, string(want), string(got), raw)
		changes, err := schema.DiffRaw([]byte(`{}`), []byte(raw))
		require.NoError(t, err, raw)
		others, err := loaded.DiffRaw([]byte(`{}`), []byte(raw))
		require.NoError(t, err, raw)
		assert.Equal(t, changes, others, raw)
	}
}
