package hotupdate_test

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func (s subject) hotPart(t require.TestingT, config reflect.Value) string {
	part, err := s.schema.AppendHot(nil, config.Interface())
	require.NoError(t, err, "%s", s.describe(config))
	return string(part)
}

// TestHotPartChangesWithHotFields: among configurations with the same hash the hot part differs exactly if Diff lists a Hot change. It
// may also differ by the selector of an Ignored collection, without which the Hot fields of an element could not be read again.
func TestHotPartChangesWithHotFields(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a := s.draw(t)
		b := respelled(t, hashView, s.root, a)
		if rapid.Bool().Draw(t, "same meaning") {
			b = respelled(t, fullView, s.root, a)
		}
		changes := s.diff(t, a, b)
		same := s.hotPart(t, a) == s.hotPart(t, b)
		if !same && slices.ContainsFunc(changes.Of(hotupdate.Ignored), isSelector) {
			return
		}
		require.Equal(t, len(changes.Of(hotupdate.Hot)) == 0, same, "%v\n%s", changes, s.describe(a, b))
	})
}

// selectors are the pointers to what hotwhen names, in generated and in written types.
var selectors = regexp.MustCompile(`/(when[0-9]+|mode|triggerRollingOnUpdate)$`)

func isSelector(c hotupdate.Change) bool { return selectors.MatchString(c.Pointer) }

// TestHotPartSeesEveryHotChange: whatever else changes, a Hot change is in the hot part.
func TestHotPartSeesEveryHotChange(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		if changes := s.diff(t, a, b); len(changes.Of(hotupdate.Hot)) > 0 {
			require.NotEqual(t, s.hotPart(t, a), s.hotPart(t, b), "%v\n%s", changes, s.describe(a, b))
		}
	})
}

// TestHotPartIsAConfiguration: the hot part can be decoded, and is its own hot part. It holds no leaf of another class but the places
// of elements.
func TestHotPartIsAConfiguration(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		part := s.hotPart(t, config)
		decoded, err := s.schema.Decode([]byte(part))
		require.NoError(t, err, "%s\n%s", part, s.describe(config))
		require.Equal(t, part, s.hotPart(t, reflect.ValueOf(decoded)), "%s", s.describe(config))
		requireOnly(t, s, reflect.ValueOf(decoded), func(c hotupdate.Class) bool { return c == hotupdate.Hot })
	})
}

func TestHotPart(t *testing.T) {
	type volume struct {
		Name string `json:"name"`
		Size int    `json:"size"`
		IOPS int    `json:"iops,omitempty,string" hotupdatable:"true"`
	}
	type config struct {
		APIVersion string            `json:"apiVersion,omitempty"`
		Zone       string            `json:"zone"`
		Hint       string            `json:"hint"                 hotupdatable:"ignore"`
		Tags       map[string]string `json:"tags,omitempty"       hotupdatable:"true"`
		Volumes    []volume          `json:"volumes,omitempty"    hotupdatable:"false,key=name"`
	}
	for _, tc := range []struct{ name, config, want, reason string }{
		{"nothing", ``, `{}`, "nil is the empty configuration"},
		{"nothing hot", `{"zone":"z","hint":"h"}`, `{}`, "neither immutable nor ignored fields"},
		{"sorted", `{"tags":{"b":"2","a":"1"},"zone":"z"}`, `{"tags":{"a":"1","b":"2"}}`, "canonical"},
		{"empty", `{"tags":{}}`, `{}`, "an empty map is absent"},
		{
			"below a keyed list", `{"volumes":[{"name":"b","size":1,"iops":"3"},{"name":"a","size":2}]}`,
			`{"volumes":[{"iops":"3","name":"b"}]}`, "by key, and spelled so that it can be decoded",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema := schemaFor[config](t)
			decoded, err := schema.Decode([]byte(tc.config))
			require.NoError(t, err)
			got, err := schema.AppendHot([]byte("before "), decoded)
			require.NoError(t, err)
			assert.Equal(t, "before "+tc.want, string(got), tc.reason)
		})
	}
}

func TestHotPartErrors(t *testing.T) {
	var missing *hotupdate.Schema
	dst, err := missing.AppendHot([]byte("kept"), nil)
	require.Error(t, err)
	assert.Equal(t, "no-schema", fault.All(err)[0].Code)
	assert.Equal(t, "kept", string(dst))

	type config struct {
		Rate float64 `json:"rate" hotupdatable:"true"`
	}
	dst, err = schemaFor[config](t).AppendHot([]byte("kept"), &config{Rate: math.NaN()})
	require.Error(t, err)
	assert.Equal(t, "not-finite", fault.All(err)[0].Code)
	assert.Equal(t, "kept", string(dst))
}
