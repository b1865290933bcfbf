package tree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestGrafted: what a program merges has the texts of the manifest, or else of the cluster.
func TestGrafted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ merged, manifest, cluster, want string }{
		"the manifest's text": {`{"a":300}`, `{"a": 3e2}`, `{"a": 300.0}`, `{"a": 3e2}`},
		"the cluster's text":  {`{"a":300}`, ``, `{"a": 300.0}`, `{"a": 300.0}`},
		"of both":             {`{"a":1,"b":300}`, `{"a":1.0}`, `{"b":3e2}`, `{"a":1.0,"b":3e2}`},
		"neither":             {`{"a":2}`, `{"a":1}`, `{"a":3}`, `{"a":2}`},
		"large numbers":       {`{"a":9007199254740992}`, `{"a":9007199254740993}`, ``, `{"a":9007199254740993}`},
		"elements with a name": {
			`[{"name":"x","v":1},{"name":"y","v":1}]`, `[{"name":"y","v":1.0}]`, `[{"name":"x","v":1e0}]`,
			`[{"name":"x","v":1e0},{"name":"y","v":1.0}]`,
		},
		"elements without one":  {`[{"v":1}]`, `[{"v":1},{"v":2}]`, ``, `[{"v":1}]`},
		"null members are none": {`{"a":1}`, `{"a":1.0,"b":null}`, ``, `{"a":1.0,"b":null}`},
	} {
		of := func(text string) *tree.Node { return tree.Of([]byte(text)) }
		grafted := tree.Grafted(of(test.merged), of(test.manifest), of(test.cluster))
		assert.Equal(t, string(of(test.want).Compact()), string(grafted.Compact()), name)
	}
}

// TestBeyond: the paths that only the first value has.
func TestBeyond(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		value, other string
		want         []string
	}{
		"the same":            {`{"a":1}`, `{"a":2}`, nil},
		"a member":            {`{"a":1,"b":2}`, `{"a":1}`, []string{"b"}},
		"leaves of an object": {`{"o":{"a":1,"b":{"c":2}}}`, `{"o":{"a":1}}`, []string{"o.b.c"}},
		"a named element":     {`{"l":[{"name":"x","v":1},{"name":"y"}]}`, `{"l":[{"name":"x"}]}`, []string{"l.name=x.v", "l.name=y.name"}},
		"a list":              {`{"l":[1]}`, `{}`, []string{"l"}},
		"null":                {`{"a":null}`, `{}`, nil},
	} {
		var paths []string
		for _, path := range tree.Of([]byte(test.value)).Beyond(tree.Of([]byte(test.other))) {
			paths = append(paths, strings.Join(path, "."))
		}
		assert.Equal(t, test.want, paths, name)
	}
}

func TestRemoves(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a":null}`: true, `{"a":{"b":null}}`: true, `{"a":{"b":{"c":null}}}`: true, `{"a":{"b":{"c":{"d":null}}}}`: false,
		`{}`: false, `{"a":1}`: false, `{"a":{"b":{"c":false}}}`: false, `null`: false, `{"a":[null]}`: false,
	} {
		assert.Equal(t, want, tree.Of([]byte(text)).Removes("a", "b", "c"), text)
	}
}
