package tree_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestApplied: each row is what kubectl apply leaves in the cluster. The gardener module compares the
// whole with kubectl's own code.
func TestApplied(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cluster, manifest, last, want string
		kept                          int
	}{
		"the same":                                 {`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`, 0},
		"another value":                            {`{"a":1}`, `{"a":2}`, `{"a":1}`, `{"a":2}`, 0},
		"a new member":                             {`{"a":1}`, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`, 0},
		"the server's member":                      {`{"a":1,"s":2}`, `{"a":1}`, `{"a":1}`, `{"a":1,"s":2}`, 1},
		"the user's member":                        {`{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1}`, 0},
		"without a last manifest":                  {`{"a":1,"b":2}`, `{"a":1}`, ``, `{"a":1,"b":2}`, 1},
		"null removes":                             {`{"a":1,"s":2}`, `{"a":1,"s":null}`, `{"a":1}`, `{"a":1}`, 0},
		"null of nothing":                          {`{"a":1}`, `{"a":1,"b":null}`, ``, `{"a":1,"b":null}`, 0},
		"objects are merged":                       {`{"o":{"a":1,"s":{"x":1,"y":2}}}`, `{"o":{"a":2}}`, `{"o":{"a":1}}`, `{"o":{"a":2,"s":{"x":1,"y":2}}}`, 2},
		"an object goes with what is in it":        {`{"o":{"a":1,"s":2}}`, `{}`, `{"o":{"a":1}}`, `{}`, 0},
		"an empty object removes what was applied": {`{"o":{"a":1,"s":2}}`, `{"o":{}}`, `{"o":{"a":1}}`, `{"o":{"s":2}}`, 1},
		"a list is replaced":                       {`{"l":[{"a":1,"s":2}]}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1}]}`, 0},
		"another type":                             {`{"o":{"a":1}}`, `{"o":"x"}`, ``, `{"o":"x"}`, 0},
		"an object instead of a text":              {`{"o":"x"}`, `{"o":{"a":1}}`, ``, `{"o":{"a":1}}`, 0},
		"no manifest":                              {`{"a":1,"b":{"c":2,"d":{}}}`, ``, ``, `{"a":1,"b":{"c":2,"d":{}}}`, 3},
	} {
		cluster := tree.Of([]byte(test.cluster))
		last := tree.Of([]byte(test.last))
		merged, kept := tree.Applied(cluster, tree.Of([]byte(test.manifest)), last)
		assert.JSONEq(t, test.want, string(merged.JSON()), name)
		assert.Equal(t, test.kept, kept, name)
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
