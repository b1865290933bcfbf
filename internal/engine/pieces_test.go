package engine_test

import (
	"crypto/sha256"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// TestPiecesOfEveryLength: a piece may end anywhere, inside or outside of texts and keys. No byte is lost or written twice.
func TestPiecesOfEveryLength(t *testing.T) {
	compiled := engine.Of(plan(t))
	const piece = 4 << 10
	for _, end := range []int{piece, piece / 4 * 3, 2 * piece} {
		for size := end - 40; size < end+4; size++ {
			for _, unit := range []string{"x", "é", "\""} {
				text := strings.Repeat(unit, size/len(unit)) + "."
				for _, c := range []*config{
					{Text: text, Int64: 1},
					{Default: text, Bytes: []byte(text)},
					{Texts: []string{text, text, "a"}, Lists: [][]string{{"a"}, {text}, nil}},
					{Set: []string{"b", text, "a", text}, Array: [2]place{{Zone: text}}},
					{Named: []named{{Name: text, Extra: &text}, {Name: "a"}}, Tags: map[string]string{text: text, "a": "b"}},
					{Tree: map[string]place{text: {Zone: "a"}, "b": {}}, HotTree: map[string]*place{text: {Zone: "gone"}, "c": {Kept: 1}}},
					{Ranked: []ranked{{Rank: 2, Text: text}, {Rank: 1}}, HotNamed: []named{{Name: text}}, TextP: new(new(word(text)))},
				} {
					want, err := compiled.Append(nil, reflect.ValueOf(c))
					require.NoError(t, err)
					sum, err := compiled.Sum(reflect.ValueOf(c))
					require.NoError(t, err)
					require.Equal(t, sha256.Sum256(want), sum)
				}
			}
		}
	}
}
