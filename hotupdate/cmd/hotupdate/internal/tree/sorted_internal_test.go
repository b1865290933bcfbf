package tree

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAppendSorted: encoding/json is the oracle, also for repeated members, null and text that is no UTF-8.
func TestAppendSorted(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b", "c", "<&>", "\"\\", "é", "\u2028", "\xff", "\xfe", "\n", "\x7f", ""}), rapid.String(),
	)
	var draw func(t *rapid.T, depth int) Node
	draw = func(t *rapid.T, depth int) Node {
		n := Node{name: text.Draw(t, "name")}
		below := 0
		switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
		case kind <= 2 && depth > 0:
			n.kind = []Kind{Object, Object, List}[kind]
			below = rapid.IntRange(0, 2*few).Draw(t, "length")
		case kind == 3:
			n.kind = Bool
			n.text = "true"
		case kind == 4:
			n.kind = Number
			n.text = "1.50"
		case kind == 5:
			n.kind = Text
			n.text = text.Draw(t, "text")
		}
		nodes := make([]Node, below)
		for i := range nodes {
			nodes[i] = draw(t, depth-1)
		}
		n.hold(nodes)
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		n := draw(t, 2)
		want, err := json.Marshal(n.Value(json.RawMessage("null")))
		require.NoError(t, err)
		require.Equal(t, string(want), string(n.JSON()))
	})
}
