package hash_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hash"
)

// A configuration of which the cut leaves nothing but TypeMeta may be hashed as if there was none.
func ExampleOnlyTypeMeta() {
	fmt.Println(hash.OnlyTypeMeta([]byte(`{ "kind": "WorkerConfig" }`)))
	fmt.Println(hash.OnlyTypeMeta([]byte(`{"kind":"WorkerConfig","volume":{}}`)))
	fmt.Println(hash.OnlyTypeMeta(nil))
	// Output:
	// true
	// false
	// true
}

func TestOnlyTypeMeta(t *testing.T) {
	for _, tc := range []struct {
		raw    string
		want   bool
		reason string
	}{
		{"", true, "nothing"},
		{" \r\n\t", true, "white space"},
		{" null ", true, "null"},
		{"{}", true, "an empty object"},
		{` { "kind" : "K", "apiVersion":"v1" } `, true, "in any order and spelling"},
		{`{"\u006bind":"K"}`, true, "with escapes"},
		{`{"kind":"K","kind":"K"}`, true, "twice"},
		{`{"Kind":"K"}`, false, "another name"},
		{`{"kind":"K","nodeTemplate":{}}`, false, "an empty member is one"},
		{`{"kind":"K","tags":null}`, false, "so is null"},
		{`[]`, false, "no object"},
		{`"kind"`, false, "no object"},
		{`nullx`, false, "no JSON"},
		{`{"kind":"K"`, false, "no JSON"},
	} {
		assert.Equal(t, tc.want, hash.OnlyTypeMeta([]byte(tc.raw)), "%s: %s", tc.raw, tc.reason)
	}
}
