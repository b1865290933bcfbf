package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

var update = flag.Bool("update", false, "write the files instead of comparing them")

// examples are the provider configs whose Schemas are built in, a line each.
func examples() []example {
	return []example{
		{"alicloud", alicloud.APIVersion, alicloud.Kind, alicloud.Schema},
		{"aws", aws.APIVersion, aws.Kind, aws.Schema},
		{"azure", azure.APIVersion, azure.Kind, azure.Schema},
		{"gcp", gcp.APIVersion, gcp.Kind, gcp.Schema},
		{"openstack", openstack.APIVersion, openstack.Kind, openstack.Schema},
	}
}

type example struct {
	provider, apiVersion, kind string
	schema                     func() (*hotupdate.Schema, error)
}

// TestSchemasAreThoseOfTheExamples fails when the embedded files are stale. go generate writes them.
func TestSchemasAreThoseOfTheExamples(t *testing.T) {
	files, err := filepath.Glob("schemas/*.json")
	require.NoError(t, err)
	if !*update {
		assert.Len(t, files, len(examples()), "a file of no example, or an example without a file")
	}
	for _, e := range examples() {
		schema, err := e.schema()
		require.NoError(t, err)
		inJSON, err := schema.MarshalJSON()
		require.NoError(t, err)
		compact, err := json.Marshal(providerSchema{e.provider, e.apiVersion, e.kind, inJSON})
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, append(compact, '\n'), "", "  "))
		file := filepath.Join("schemas", e.provider+".json")
		if *update {
			require.NoError(t, os.MkdirAll("schemas", 0o755))
			require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644)) //nolint:gosec // a source file
			continue
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want.Bytes(), got), "%s is stale; run go generate ./hotupdate/cmd/hotupdate", file)
	}
}

// TestBuiltInSchemasAreThoseOfTheTypes loads what is embedded and compares it with the types.
func TestBuiltInSchemasAreThoseOfTheTypes(t *testing.T) {
	schemas, err := newCatalog("")
	require.NoError(t, err)
	for _, e := range examples() {
		loaded := schemas.schema(pool.TypeMeta{APIVersion: e.apiVersion, Kind: e.kind})
		require.NotNil(t, loaded, e.provider)
		compiled, err := e.schema()
		require.NoError(t, err)
		want, err := compiled.Fingerprint()
		require.NoError(t, err)
		got, err := loaded.Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, want, got, e.provider)
	}
}
