package tree

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestManyAreIndexed: of many members or elements, none is sought one by one, wherever the value comes from, and the
// index finds what a search finds. A search in each of n members takes n times n steps.
func TestManyAreIndexed(t *testing.T) {
	for _, n := range []int{few, few + 1, 3 * few} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			var members, elements []string
			for i := range n {
				members = append(members, fmt.Sprintf(`"m%d": {"a": %d}`, i, i))
				elements = append(elements, fmt.Sprintf(`{"name": "e%d", "a": %d}`, i%(n-1), i)) // the last repeats a name
			}
			elements[n/2] = `{"a": "nameless"}`
			object := "{" + strings.Join(members, ", ") + "}"
			list := "[" + strings.Join(elements, ", ") + "]"
			text := []byte(`{"object": ` + object + `, "list": ` + list + `}`)
			fromJSON, err := ParseJSON(text)
			require.NoError(t, err)
			fromYAML, err := ParseYAML(text, 1)
			require.NoError(t, err)
			repeated, err := ParseJSON([]byte(`{"object": {"m1": "first", ` + object[1:] + `}`))
			require.NoError(t, err)
			number := func(name string, below *Node) *Node { return below.With([]string{"b"}, TextOf(name)) }
			changed := fromJSON.At("object").With([]string{"m2", "a"}, TextOf("other"))
			for from, root := range map[string]*Node{
				"JSON": fromJSON, "YAML": fromYAML, "repeated": repeated, "With": changed,
				"Mapped":  fromJSON.At("object").Mapped(number),
				"Grafted": Grafted(changed, fromYAML.At("object"), nil),
				"list":    Grafted(fromJSON.At("list").Mapped(number), fromJSON.At("list"), nil),
			} {
				requireIndexed(t, root, from)
			}
		})
	}
}

func requireIndexed(t *testing.T, n *Node, from string) {
	t.Helper()
	assert.Equal(t, n.Len() > few, n.index != nil, from)
	sought := *n
	sought.index = nil
	for i := range n.below {
		below := &n.below[i]
		switch n.kind {
		case Object:
			assert.Same(t, sought.member(below.name), n.member(below.name), from)
		case List:
			name := below.At(nameKey).Text()
			assert.Same(t, sought.Keyed(nameKey, name), n.Keyed(nameKey, name), from)
		case Null, Bool, Number, Text:
		}
		requireIndexed(t, below, from)
	}
	assert.Nil(t, n.member("another"), from)
	assert.Nil(t, n.named("another"), from)
}
