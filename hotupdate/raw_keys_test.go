package hotupdate_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestRawKeysAreNotMerged has maps of which the decoder would silently keep one of two entries.
func TestRawKeysAreNotMerged(t *testing.T) {
	type keyed struct {
		Ints  map[int32]string      `json:"ints,omitempty"`
		Addrs map[netip.Addr]string `json:"addrs,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[keyed]()
	require.NoError(t, err)
	for raw, path := range map[string]string{
		`{"ints":{"1":"a","01":"b"}}`:                          "ints[01]",
		`{"ints":{"01":"a","1":"b","2":"c"}}`:                  "ints[1]",
		`{"addrs":{"::1":"a","0:0:0:0:0:0:0:1":"b","::2":""}}`: "addrs[0:0:0:0:0:0:0:1]",
	} {
		_, err := schema.HashRaw([]byte(raw))
		problems := fault.All(err)
		require.Len(t, problems, 1, raw)
		assert.Equal(t, "duplicate-map-key", problems[0].Code, raw)
		assert.Equal(t, path, problems[0].Path, raw)
	}
	document, err := schema.DocumentRaw([]byte(`{"ints":{"01":"a","2":"b"}}`))
	require.NoError(t, err)
	assert.Equal(t, `{"ints":{"1":"a","2":"b"}}`, string(document), "one name for a key may be spelled in any way")
}
