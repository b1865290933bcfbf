package login_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
)

// TestKeysAreEqualForEqualValues: keys differ as soon as a name, a value or the scope does. Pieces are
// drawn from few letters, so that parts that are joined without a separator would meet.
func TestKeysAreEqualForEqualValues(t *testing.T) {
	piece := rapid.StringMatching(`[a1 ]{0,3}`)
	type access struct {
		secret map[string]string
		scope  string
	}
	draw := func(t *rapid.T, name string) access {
		names := rapid.OneOf(piece, rapid.Just("userData"))
		return access{rapid.MapOfN(names, piece, 0, 3).Draw(t, name), piece.Draw(t, name+"'s scope")}
	}
	keyOf := func(a access) string {
		secret := map[string][]byte{}
		for name, value := range a.secret {
			secret[name] = []byte(value)
		}
		return login.Key(secret, a.scope)
	}
	rapid.Check(t, func(t *rapid.T) {
		first := draw(t, "first")
		second := draw(t, "second")
		firstKey := keyOf(first)
		secondKey := keyOf(second)
		delete(first.secret, "userData")
		delete(second.secret, "userData")
		isEqual := maps.Equal(first.secret, second.secret) && first.scope == second.scope
		assert.Equal(t, isEqual, firstKey == secondKey, "%v %v", first, second)
		assert.Equal(t, firstKey, keyOf(first))
	})
}

// TestPartsAreNotJoined has pairs that meet if parts are joined.
func TestPartsAreNotJoined(t *testing.T) {
	key := func(scope string, nameAndValue ...string) string {
		secret := map[string][]byte{}
		for i := 0; i < len(nameAndValue); i += 2 {
			secret[nameAndValue[i]] = []byte(nameAndValue[i+1])
		}
		return login.Key(secret, scope)
	}
	seen := map[string]bool{}
	for _, k := range []string{
		key(""), key("", "", ""), key("a"), key("", "a", ""), key("", "", "a"), key("ab"), key("a", "b", ""), key("a", "", "b"),
		key("", "ab", ""), key("", "a", "b"), key("", "a", "", "b", ""), key("", "a", "b1 c", "d", ""), key("", "a", "b", "c", "d"),
	} {
		assert.False(t, seen[k])
		seen[k] = true
		assert.Regexp(t, `^[0-9a-f]{64}$`, k)
	}
}

func TestValue(t *testing.T) {
	secret := map[string][]byte{"new": []byte(" a\n"), "former": []byte("b"), "empty": {}}
	for want, names := range map[string][]string{"a": {"new", "former"}, "b": {"missing", "former"}} {
		assert.Equal(t, want, login.Value(secret, names...))
	}
	assert.Empty(t, login.Value(secret, "empty", "former"), "a value that is there counts")
	assert.Empty(t, login.Value(secret, "missing"))
	assert.Empty(t, login.Value(secret))
	assert.Empty(t, login.Value(nil, "new"))
}
