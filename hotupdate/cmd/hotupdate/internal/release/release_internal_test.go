package release

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// config is a provider config.
type config struct {
	Volume *struct {
		IOPS *int32 `json:"iops,omitempty"`
	} `json:"volume,omitempty"`
	Tags map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

// FuzzRelease: whatever stands in a file, it is a release that can hash, or an error.
func FuzzRelease(f *testing.F) {
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(f, err)
	written, err := schema.MarshalJSON()
	require.NoError(f, err)
	f.Add(written)
	f.Add([]byte(`{"formatVersion": 1, "schema": ` + string(
		written,
	) + `, "eras": [{"name": "a", "hash": "raw"}, {"name": "b", "from": "1.34", "hash": "cut", "nulls": "keep"}]}`))
	f.Add([]byte(`{"apiVersion": "a/v1", "kind": "K", "schema": ` + string(written) + `}`))
	f.Add([]byte(`{"eras": null, "schema": "\u0000"}`))
	directory := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parse(filepath.Join(directory, "release.json"), data)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		_, _ = r.Hash(
			&facts.Pool{Worker: hash.Worker{KubernetesVersion: "1.34.1"}, Config: facts.ConfigOf([]byte(`{"volume":{"iops":5}}`))},
		)
		h, err := r.Hash(&facts.Pool{})
		require.NoError(t, errors.Join(err, h.Refused), "no config is the empty one")
		assert.NotNil(t, h.Era)
	})
}
