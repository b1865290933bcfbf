package hotupdate_test

import (
	"crypto/sha256"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestGoldenSchemas loads Schemas that were exported once and never again. They give raw configs the same document and
// the same sum for ever. A file that no longer loads, or another document, would replace the machines of every pool in
// an era with an old Schema.
func TestGoldenSchemas(t *testing.T) {
	for _, tc := range []struct{ file, fingerprint, raw, document string }{
		{
			"aws.schema.json", "s1:9d96c09fd25ba9d8a638a42f3533b19bf10e821731d3128a93a9d867211683d3",
			`{"kind":"WorkerConfig","volume":{"iops":10000},"dataVolumes":[{"name":"kubelet-dir","snapshotID":"snap-13234"}],
			"iamInstanceProfile":{"name":"my-profile","arn":"my-instance-profile-arn"},"tags":{"vm":{"key1":"val1"},"network":{"key3":"val3"}},
			"nodeTemplate":{"capacity":{},"virtualCapacity":{"cpu":"1"}}}`,
			`{"dataVolumes":[{"name":"kubelet-dir","snapshotID":"snap-13234"}],"iamInstanceProfile":{"arn":"my-instance-profile-arn","name":"my-profile"},"volume":{"iops":10000}}`,
		},
		{
			"everything.schema.json", "s1:" + everythingFingerprint, everythingJSON,
			`{"addr":"10.0.0.1","any":{"x":[1]},"array":[null,0],"big":1.2345678901234567890123e+22,"bool":true,"bytes":"AAE=",` +
				`"duration":"1m30s","embedded":"e","extension":{"a":null,"b":1},"float":2.5,"intMap":{"10":{"id":1,"on":false}},` +
				`"ints":{"a":-1,"c":0,"d":4,"e":5,"f":6,"g":7,"h":8},"keyed":[{"id":10,"mode":"","value":"v"}],` +
				`"map":{"10.0.0.2":{"value":"m"}},"metaTime":"2024-01-01T12:30:00Z","microTime":"2024-01-01T12:30:00.123456Z",` +
				`"number":1.5,"port":80,"positional":[{},{},{"id":1}],"quantity":"2147483648","raw":[100],"set":["a","b"],` +
				`"time":"2024-01-01T10:30:00.5Z"}`,
		},
	} {
		t.Run(tc.file, func(t *testing.T) {
			data, err := os.ReadFile("testdata/golden/" + tc.file)
			require.NoError(t, err)
			schema, err := hotupdate.LoadSchema(data)
			require.NoError(t, err)
			fingerprint, err := schema.Fingerprint()
			require.NoError(t, err)
			assert.Equal(t, tc.fingerprint, fingerprint)
			document, err := schema.DocumentRaw([]byte(tc.raw))
			require.NoError(t, err)
			assert.Equal(t, tc.document, string(document))
			sum, err := schema.HashRaw([]byte(tc.raw))
			require.NoError(t, err)
			assert.Equal(t, hotupdate.Sum(sha256.Sum256([]byte(tc.document))), sum)
		})
	}
}

const everythingFingerprint = "5b6550114636a311648a9c23175241912722cd700e5b22ab8e97d4b19e0c1448"
